package org.shardplan.form;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.shardplan.cluster.Cluster;
import org.shardplan.graph.Block;
import org.shardplan.graph.DataType;
import org.shardplan.graph.Extensions;
import org.shardplan.graph.LayerKind;
import org.shardplan.graph.LayerKind.Attend;
import org.shardplan.graph.LayerKind.CrossAttend;
import org.shardplan.graph.LayerKind.DeltaRule;
import org.shardplan.graph.LayerKind.Dense;
import org.shardplan.graph.LayerKind.Latent;
import org.shardplan.graph.LayerKind.Lightning;
import org.shardplan.graph.LayerKind.Mamba;
import org.shardplan.graph.LayerKind.NoFeed;
import org.shardplan.graph.LayerKind.NoMixer;
import org.shardplan.graph.LayerKind.Routed;
import org.shardplan.graph.Tower;
import org.shardplan.graph.TransformerGraph;
import org.shardplan.graph.TransformerSizes;
import org.shardplan.plan.ExpertRules;
import org.shardplan.plan.Layouts;
import org.shardplan.plan.Placement;
import org.shardplan.plan.Plan;
import org.shardplan.plan.PlanRules;
import org.shardplan.plan.PlanText;
import org.shardplan.plan.Schedules;
import org.shardplan.plan.Shorthand;
import org.shardplan.units.UserError;
import org.shardplan.workload.Tuning;
import org.shardplan.workload.Workload;

/** FEATURE UNDER TEST: plan.json, both directions. */
final class A20_PlanFileTest {
    private static PlanFile file(String model, String clusterWords, String planText, long globalBatch) {
        TransformerSizes sizes = ModelCatalog.find(model).sizes();
        Cluster cluster = ClusterCatalog.resolve(clusterWords);
        Shorthand plan = PlanText.parse(planText, cluster.devices());
        Map<String, Placement> placements = new LinkedHashMap<>();
        for (Block block : TransformerGraph.build(sizes, sizes.seqLen(), 1).blocks()) {
            ExpertRules.placements(block, plan.sequenceParallel(), plan.context(), plan.experts())
                    .forEach((operator, placement) -> placements.put(block.name() + "/" + operator, placement));
        }
        int microBatches = (int) (globalBatch / ((long) plan.dp() * plan.microBatch()));
        return new PlanFile(
                "shardplan 0.1.0",
                "catalog \"" + model + "\"",
                "00ff",
                sizes,
                cluster,
                new Workload(globalBatch, sizes.seqLen(), DataType.BF16, Workload.Optimizer.SGD_MOMENTUM),
                "megatron-core",
                0.05,
                new Plan(
                        plan,
                        PlanRules.mesh(plan),
                        placements,
                        Layouts.stages(plan, sizes.layers()),
                        microBatches,
                        Schedules.of(plan.schedule(), plan.pp(), plan.vpp(), microBatches)));
    }

    private static String text(PlanFile file) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        file.write(bytes, json -> {
            json.writeStartObject();
            json.writeNumberField("step_seconds", 20.1);
            json.writeEndObject();
        });
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "gpt3-175b  | dgx-a100-80gb:128 | tp=8,pp=8,vpp=3,mb=1,sp,zero=1,recompute=selective | 1536",
                "llama3-70b | dgx-h100:8        | tp=4,pp=8,vpp=5,mb=1,sp,zero=1                     | 512",
                "llama3-8b  | dgx-h100/4        | tp=1,pp=4,mb=2,recompute=full:2,schedule=gpipe     | 64",
                "llama2-7b  | tpu-v4:64         | tp=4,mb=1,zero=3                                   | 256",
                "mixtral-8x7b | dgx-h100:4      | tp=2,pp=2,ep=8,mb=1,sp,zero=1                      | 256",
                "deepseek-v3 | dgx-h100:128     | pp=16,ep=64,mb=1,zero=1                            | 1024",
                "gpt-tiny   | local:4           | tp=2,mb=1                                          | 8"
            })
    void roundTrip(String model, String cluster, String plan, long globalBatch) throws IOException {
        PlanFile file = file(model, cluster, plan, globalBatch);
        String text = text(file);
        PlanFile read = PlanFileReader.read(text, "plan.json");
        assertEquals(file.cluster(), read.cluster());
        assertEquals(file.plan(), read.plan());
        assertEquals(file, read);
        assertEquals(text, text(read));
    }

    /** Networks whose layers differ, with towers, with tasks. */
    @Test
    void whatNetworksHaveBesideLikeLayers() throws IOException {
        PlanFile plain = file("llama3-8b", "dgx-h100/4", "tp=1,pp=4,mb=2", 64);
        TransformerSizes small = ModelCatalog.find("gpt-tiny").sizes();
        Tower tower = new Tower(
                small.with(Extensions.NONE.withLayers(List.of(new LayerKind(new NoMixer(), new NoFeed())))),
                new Tower.Stem(588, 0, true, 257, true),
                256,
                new Tower.Projector(64, List.of(1024L, 4096L), 256, true, 3),
                Tower.Role.CROSSED);
        List<LayerKind> layers = List.of(
                new LayerKind(new Attend(32, 8, 128, 512, true, false, true), new Dense(7)),
                new LayerKind(new Latent(), new Routed()),
                new LayerKind(new Mamba(2, 8, 64, 128, 4, 4, true, 256, 0, false), new NoFeed()),
                new LayerKind(new DeltaRule(4, 8, 64, 32, 4, 64), new Routed()),
                new LayerKind(new Lightning(8, 64, 256), new Routed()),
                new LayerKind(new CrossAttend(8, 4, 64, true, false, 256), new Routed()));
        Extensions extensions = new Extensions(
                layers,
                false,
                true,
                true,
                true,
                2,
                new Extensions.Indexer(64, 128, 2048),
                Extensions.Head.MASKED,
                new Tower.Stem(768, 0, false, 9, false),
                List.of(tower));
        PlanFile file = new PlanFile(
                plain.tool(),
                plain.modelSource(),
                plain.modelHash(),
                plain.sizes().with(extensions),
                plain.cluster(),
                new Workload(64, 8192, DataType.BF16, Workload.Optimizer.ADAM, Tuning.lora(8, true)),
                plain.framework(),
                plain.memoryMargin(),
                plain.plan());
        String text = text(file);
        PlanFile read = PlanFileReader.read(text, "plan.json");
        assertEquals(file.sizes(), read.sizes());
        assertEquals(file.workload(), read.workload());
        assertEquals(text, text(read));
        UserError error = assertThrows(
                UserError.class, () -> PlanFileReader.read(text.replace("1 x latent", "1 x latant"), "plan.json"));
        assertTrue(String.valueOf(error.getMessage()).contains("latant"), error.getMessage());
    }

    @Test
    void itIsJsonAndHoldsTheDeviceItself() throws IOException {
        JsonNode json =
                new ObjectMapper().readTree(text(file("gpt3-175b", "dgx-a100-80gb:128", "tp=8,pp=8,mb=1", 1536)));
        assertEquals("shardplan.plan/1", json.get("format").asText());
        assertEquals(
                "a100-sxm-80gb", json.get("cluster").get("device").get("name").asText());
        assertEquals(1024, json.get("cluster").get("devices").asInt());
        assertEquals(96, json.get("model").get("sizes").get("layers").asInt());
        assertEquals("tp=8,pp=8,dp=16,mb=1", json.get("plan").get("text").asText());
        assertEquals(8, json.get("plan").get("stages").size());
        assertEquals(20.1, json.get("prediction").get("step_seconds").asDouble());
    }

    /** Each edit of a good file is one message with its place and a line that may help. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"layers\" : 96     | \"layers\" : 0           | layers",
                "\"layers\" : 96     | \"layers\" : 97          | stages",
                "\"global_batch\" : 1536 | \"global_batch\" : 1537 | micro_batches",
                "\"precision\" : \"bf16\" | \"precision\" : \"bf17\" | precision",
                "shardplan.plan/1    | shardplan.plan/2         | format",
                "tp=8,pp=8           | tp=4,pp=8                | mesh",
                "\"hash\"            | \"hush\"                 | hash",
                "\"memory\" :        | \"memory\" : 80, \"m\" : | device.memory",
                "\"framework\"       | \"frame\"                | frame",
                "\"megatron-core\"   | \"megatron-kore\"        | framework: framework",
                "\"text\" : \"tp=8   | \"text\" : \"tq=8       | text: plan",
                "\"mesh\" : [        | \"mesh\" : [[            | JSON"
            })
    void mistakes(String good, String bad, String names) throws IOException {
        String text = text(file("gpt3-175b", "dgx-a100-80gb:128", "tp=8,pp=8,dp=16,mb=1", 1536));
        String edited = text.replace(good.replace(" :", ":"), bad.replace(" :", ":"));
        assertTrue(!edited.equals(text), good);
        UserError error = assertThrows(UserError.class, () -> PlanFileReader.read(edited, "plan.json"));
        assertTrue(String.valueOf(error.getMessage()).contains("plan.json"), error.getMessage());
        assertTrue(String.valueOf(error.getMessage()).contains(names), error.getMessage());
        assertTrue(error.maybe().startsWith("Maybe"), error.maybe());
    }

    @Test
    void aConfigIsNotAPlan() {
        UserError error =
                assertThrows(UserError.class, () -> PlanFileReader.read("{\"model_type\": \"llama\"}", "config.json"));
        assertTrue(error.maybe().contains("--plan"), error.maybe());
    }
}
