package org.shardplan.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.shardplan.Checkout;
import org.shardplan.Golden;

/** FEATURE UNDER TEST: scores of sources, what they come to together, and how they are printed. */
final class A07_LedgerTest {
    private static final double NAN = Double.NaN;

    private static SourceScore source(String name, boolean composed, boolean shares, double[] errors, double inside) {
        Errors ours = Errors.of(errors);
        Errors formula = Errors.of(new double[] {-20, 20, 25});
        return new SourceScore(
                name,
                composed,
                5,
                4,
                shares,
                ours,
                ours,
                Errors.NONE,
                formula,
                formula,
                inside,
                15,
                "",
                Errors.NONE,
                4,
                4,
                0,
                0);
    }

    private static final Ledger SAMPLE = new Ledger(
            List.of(
                    source("a", false, true, new double[] {-2, 4, 6}, 1),
                    source("b", false, false, new double[] {10, 20, 60}, 0.5),
                    source("two-rows", false, true, new double[] {90, 90}, 0),
                    source("made", true, true, new double[] {50, 50, 50}, 0)),
            List.of(new RankingScore(
                    "a",
                    false,
                    2,
                    9,
                    new RankingScore.Order(0.9, 0.85, 0.8, 0, 3),
                    new RankingScore.Order(0.1, 0.15, 0.5, 20, 30),
                    List.of(new RankingScore.Job("gpt, 8 gpus", 5, Errors.of(new double[] {-3, 5}), 0.9, 0)))),
            new ComparisonError(12, 4.5, 20),
            List.of(new Ledger.Skip("b", 1, "offload comes with a later issue")),
            List.of(new Ledger.Fault("b-7", "b", "flagged as doubtful")),
            List.of(new Ledger.Point("a", 10, 10.4)));

    @Test
    void errorsOfASource() {
        Errors errors = Errors.of(new double[] {-10, NAN, 5, 1, 3});
        assertEquals(4, errors.rows(), "what is unknown does not count");
        assertEquals(4, errors.medianPercent(), 1e-9, "of 1, 3, 5, 10");
        assertEquals(8.5, errors.p90Percent(), 1e-9, "0.7 of the way from 5 to 10");
        assertEquals(4.75, errors.meanSizePercent(), 1e-9);
        assertEquals(-0.25, errors.meanPercent(), 1e-9, "signed");
        assertEquals(10, errors.worstPercent(), 1e-9);
        assertTrue(Double.isNaN(Errors.NONE.medianPercent()));
    }

    /** Composed sources and those of two rows are in no mean. */
    @Test
    void sourcesWeighTheSame() {
        Means means = SAMPLE.means(SourceScore::leftOut);
        assertEquals(2, means.sources());
        assertEquals(12, means.medianPercent(), 1e-9, "of 4 and 20");
        assertEquals((5.6 + 52) / 2, means.p90Percent(), 1e-9);
        assertEquals((8 / 3.0 + 30) / 2, means.meanPercent(), 1e-9);
        assertEquals(
                1, SAMPLE.means(SourceScore::leftOut, SourceScore::sharesDevice).sources());
        assertEquals(15, SAMPLE.rows(), "composed rows are counted apart");
        assertEquals(12, SAMPLE.evaluated());
    }

    @Test
    void coverage() {
        assertEquals(0.75, SAMPLE.coverage().insideShare(), 1e-9);
        assertTrue(Double.isNaN(SAMPLE.coverage().leastShare()), "no source has ten rows");
    }

    @Test
    void theFormulaIsNearerWhereItsMedianIsSmaller() {
        assertEquals(List.of(), SAMPLE.formulaIsNearer(SourceScore::leftOut, SourceScore::formulaLeftOut));
        assertEquals(
                List.of("a"),
                SAMPLE.formulaIsNearer(SourceScore::formulaLeftOut, SourceScore::leftOut),
                "b is as far off");
    }

    @Test
    void text() throws IOException {
        Golden.check("report/ledger.txt", LedgerReport.print(SAMPLE, Style.PLAIN));
    }

    @Test
    void kinds() throws IOException {
        Golden.check("report/kinds.txt", KindReport.print(List.of(new KindLedger(RunKind.DENSE, SAMPLE)), Style.PLAIN));
    }

    private static String text(Validation validation) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ValidationJson.write(validation, bytes);
        return bytes.toString(StandardCharsets.UTF_8);
    }

    private static Validation whole() {
        ValidationRow row = ValidationRow.skipped(
                "b-2", "b", "moe", 5, false, "experts are not built yet", "arch moe", RunKind.EXPERTS);
        HeldOut heldOut = new HeldOut("a", "megatron-lm-2021", 3, 1.02, 4.5, 0.97, "b, c", 5.5, 11, -2.5);
        return new Validation(
                List.of(row),
                SAMPLE,
                List.of(new KindLedger(RunKind.EXPERTS, SAMPLE)),
                List.of(new PairScore("tp", 12, 11, 20)),
                List.of(heldOut),
                List.of("a note"));
    }

    @Test
    void document() throws IOException {
        Golden.check("report/ledger.json", text(whole()));
    }

    /** Every key that is written stands in the published schema, and every required one is written. */
    @Test
    void theSchemaHoldsEveryKey() throws IOException {
        ObjectMapper mapper = new ObjectMapper();
        JsonNode schema = mapper.readTree(
                Checkout.root().resolve("docs/schemas/validation-1.schema.json").toFile());
        follow(mapper.readTree(text(whole())), schema, "");
    }

    private static void follow(JsonNode node, JsonNode schema, String path) {
        if (node.isObject()) {
            node.fieldNames().forEachRemaining(key -> {
                assertTrue(schema.get("properties").has(key), path + "/" + key + " is not in the schema");
                follow(node.get(key), schema.get("properties").get(key), path + "/" + key);
            });
            schema.get("required").forEach(key -> assertTrue(node.has(key.asText()), path + "/" + key));
        } else if (node.isArray()) {
            node.forEach(item -> follow(item, schema.get("items"), path + "[]"));
        }
    }
}
