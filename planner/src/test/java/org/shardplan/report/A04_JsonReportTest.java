package org.shardplan.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.shardplan.Checkout;
import org.shardplan.Golden;
import org.shardplan.cluster.Economics;
import org.shardplan.search.PlanningResult;

/** FEATURE UNDER TEST: the result document, key by key as it is promised. */
final class A04_JsonReportTest {
    private static JsonNode parsed(PlanningResult result) throws IOException {
        return new ObjectMapper().readTree(text(result));
    }

    private static String text(PlanningResult result) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        JsonReport.write(result, bytes);
        return bytes.toString(java.nio.charset.StandardCharsets.UTF_8);
    }

    private static List<String> keys(JsonNode node) {
        List<String> keys = new ArrayList<>();
        node.fieldNames().forEachRemaining(keys::add);
        return keys;
    }

    @Test
    void theContract() throws IOException {
        JsonNode json = parsed(Samples.found(Optional.empty()));
        assertEquals("shardplan.result/1", json.get("format").asText());
        assertEquals(
                List.of(
                        "method",
                        "evaluator",
                        "space",
                        "evaluated",
                        "pruned",
                        "wall_seconds",
                        "optimal",
                        "lower_bound_seconds",
                        "stopped",
                        "within_comparison_error"),
                keys(json.get("search")));
        JsonNode plan = json.get("plans").get(0);
        assertTrue(keys(plan)
                .containsAll(List.of(
                        "plan",
                        "mesh",
                        "devices",
                        "devices_idle",
                        "framework",
                        "evaluator",
                        "step_seconds",
                        "step_seconds_interval",
                        "tokens_per_second_per_device",
                        "model_tflops_per_device",
                        "mfu",
                        "hfu",
                        "time",
                        "memory")));
        assertEquals(
                List.of(
                        "compute_seconds",
                        "exposed_tp_seconds",
                        "exposed_cp_seconds",
                        "exposed_ep_seconds",
                        "exposed_pp_seconds",
                        "exposed_dp_seconds",
                        "exposed_offload_seconds",
                        "bubble_seconds",
                        "optimizer_seconds",
                        "host_seconds"),
                keys(plan.get("time")));
        assertTrue(keys(plan.get("memory").get("stages").get(0))
                .containsAll(List.of(
                        "parameters_bytes",
                        "gradients_bytes",
                        "optimizer_bytes",
                        "activations_bytes",
                        "other_bytes",
                        "allocated_bytes",
                        "reserved_bytes")));
        double sum = 0;
        for (JsonNode share : plan.get("time")) {
            sum += share.asDouble();
        }
        assertEquals(plan.get("step_seconds").asDouble(), sum, 1e-9);
        assertEquals(3, json.get("plans").size());
        assertEquals(2, plan.get("step_seconds_interval").size());
        assertEquals("tp", plan.get("mesh").get(2).get("name").asText());
        assertEquals(8, plan.get("mesh").get(2).get("size").asInt());
    }

    @Test
    void theWholeDocument() throws IOException {
        Golden.check("report/nothing-fits.json", text(Samples.nothingFits()));
    }

    @Test
    void unknownIsNull() throws IOException {
        JsonNode json = parsed(Samples.nothingFits());
        assertTrue(json.get("search").get("lower_bound_seconds").isNull());
        assertEquals(0, json.get("plans").size());
        assertEquals(91L << 30, json.get("nearest_miss").get("need_bytes").asLong());
    }

    /** An unknown price is null and "unknown", never 0; what the step alone says stays. */
    @Test
    void anUnknownPriceIsUnknown() throws IOException {
        PlanningResult unknown = Samples.training(Economics.UNKNOWN);
        JsonNode run = parsed(unknown).get("plans").get(0).get("training");
        assertTrue(run.get("dollars").isNull()
                && run.get("kilowatt_hours").isNull()
                && run.get("goodput").isNull());
        assertEquals(22.07, run.get("days").asDouble(), 0.05);
        String text = TextReport.print(unknown, Style.PLAIN);
        assertTrue(text.contains("USD unknown") && text.contains("kWh unknown") && text.contains("mtbf"), text);
        PlanningResult known = Samples.training(new Economics(2.5, 1275, 1.2, 1.8e8, 600, 1e11, ""));
        JsonNode all = parsed(known).get("plans").get(0).get("training");
        assertEquals(
                1024 * 2.5 * 24 * all.get("expected_days").asDouble(),
                all.get("dollars").asDouble(),
                1);
        assertTrue(parsed(Samples.found(Optional.empty())).get("plans").get(0).get("training") == null);
    }

    /** Every key that is written stands in the published schema, and every required one is written. */
    @Test
    void theSchemaHoldsEveryKey() throws IOException {
        JsonNode schema = new ObjectMapper()
                .readTree(Checkout.root()
                        .resolve("docs/schemas/result-1.schema.json")
                        .toFile());
        for (PlanningResult result : List.of(
                Samples.nothingFits(),
                Samples.found(Optional.empty()),
                Samples.training(Economics.UNKNOWN),
                Samples.training(new Economics(2.5, 1275, 1.2, 1.8e8, 600, 1e11, "")))) {
            follow(parsed(result), schema, schema, "");
        }
    }

    private static void follow(JsonNode node, JsonNode wanted, JsonNode root, String path) {
        JsonNode schema = wanted.has("$ref") ? root.get("$defs").get("plan") : wanted;
        if (node.isObject()) {
            for (String key : keys(node)) {
                assertTrue(schema.get("properties").has(key), path + "/" + key + " is not in the schema");
                follow(node.get(key), schema.get("properties").get(key), root, path + "/" + key);
            }
            schema.get("required").forEach(key -> assertTrue(node.has(key.asText()), path + "/" + key));
        } else if (node.isArray()) {
            node.forEach(item -> follow(item, schema.get("items"), root, path + "[]"));
        }
    }
}
