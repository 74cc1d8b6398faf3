package org.shardplan.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.shardplan.Golden;

/** FEATURE UNDER TEST: predicted against measured, a line a row and a summary a source. */
final class A06_ValidationTest {
    private static final double NAN = Double.NaN;
    private static final double GIB = 1L << 30;

    private static final Validation SAMPLE = new Validation(
            List.of(
                    row("a-1", "a", 10, 10.5, NAN, NAN, null, true, false),
                    row("a-2", "a", 20, 18, 40 * GIB, 44 * GIB, "allocated", true, false),
                    row("a-3", "a", 30, 30.3, NAN, NAN, null, false, false),
                    row("b-1", "b", NAN, 12, NAN, NAN, null, false, true),
                    ValidationRow.skipped(
                            "b-2", "b", "moe", 5, false, "experts are not built yet", "arch moe", RunKind.EXPERTS)),
            Ledger.EMPTY,
            List.of(),
            List.of(),
            List.of(new HeldOut("a", "megatron-lm-2021", 3, 1.02, 4.5, 0.97, "b, c", 5.5, 11, -2.5)),
            List.of("selene stands for HDR InfiniBand"));

    private static ValidationRow row(
            String id,
            String source,
            double measured,
            double predicted,
            double memory,
            double predictedMemory,
            String kind,
            Boolean fits,
            boolean oom) {
        return new ValidationRow(
                id,
                source,
                "gpt tp=8",
                "selene",
                "megatron-lm-2021",
                measured,
                predicted,
                predicted * 0.92,
                predicted * 1.08,
                0.1,
                memory,
                predictedMemory,
                kind,
                fits,
                oom,
                null,
                null,
                RunKind.DENSE);
    }

    @Test
    void summaryOfASource() {
        Validation.Summary a = SAMPLE.bySource().getFirst();
        assertEquals(5, a.medianPercent(), 1e-9, "of 5, 10 and 1 %");
        assertEquals(10, a.worstPercent(), 1e-9);
        assertEquals(1, a.biasPercent(), 1e-9);
        assertEquals(2, a.withinInterval());
        assertEquals(10, a.memoryMedianPercent(), 1e-9);
        assertEquals(3, a.fitsJudged());
        assertEquals(2, a.fitsRight(), "a-3 ran");
    }

    @Test
    void aRowThatRanOutOfMemoryIsJudgedByFits() {
        Validation.Summary b = SAMPLE.bySource().getLast();
        assertEquals(0, b.timed());
        assertEquals(1, b.fitsRight());
        assertEquals(1, b.skipped());
        assertTrue(Double.isNaN(b.medianPercent()));
    }

    @Test
    void text() throws IOException {
        Golden.check("report/validation.txt", ValidationReport.print(SAMPLE, Style.PLAIN));
    }

    @Test
    void document() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ValidationJson.write(SAMPLE, bytes);
        JsonNode json = new ObjectMapper().readTree(bytes.toByteArray());
        assertEquals(5, json.get("summary").get("rows").asInt());
        assertEquals(4, json.get("summary").get("evaluated").asInt());
        assertEquals(2, json.get("summary").get("sources").size());
        JsonNode oom = json.get("rows").get(3);
        assertTrue(oom.get("measured_step_seconds").isNull());
        assertTrue(oom.get("error_percent").isNull());
        assertEquals(false, oom.get("fits").asBoolean(true));
        assertTrue(oom.get("skipped").isNull());
        JsonNode skipped = json.get("rows").get(4);
        assertEquals("experts are not built yet", skipped.get("skipped").asText());
        assertTrue(skipped.get("fits").isNull());
        assertTrue(skipped.get("memory_kind").isNull());
        assertEquals("allocated", json.get("rows").get(1).get("memory_kind").asText());
        assertEquals(5, json.get("rows").get(0).get("error_percent").asDouble(), 1e-9);
        JsonNode heldOut = json.get("summary").get("leave_one_source_out").get(0);
        assertEquals("a", heldOut.get("source").asText());
        assertEquals(5.5, heldOut.get("median_error_percent").asDouble(), 1e-9);
        assertTrue(json.get("rows").get(0).get("left_aside").isNull());
    }

    @Test
    void catalog() throws IOException {
        Catalog catalog = new Catalog(
                "models",
                List.of("name", "parameters", "layers", "memory_bytes", "dense"),
                List.of(
                        List.of("gpt3-175b", 174_604_259_328L, 96, 80L << 30, true),
                        List.of("llama3-8b", 8_030_261_248L, 32, 40L << 30, true)),
                List.of("two models"));
        assertEquals("""
                name       parameters  layers  memory GiB  dense
                gpt3-175b       175 B      96        80.0  yes
                llama3-8b      8.03 B      32        40.0  yes
                two models
                """, CatalogReport.print(catalog, Style.PLAIN));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        CatalogReport.write(catalog, bytes);
        JsonNode json = new ObjectMapper().readTree(bytes.toByteArray());
        assertEquals("shardplan.models/1", json.get("format").asText());
        assertEquals(96, json.get("models").get(0).get("layers").asInt());
    }
}
