package org.shardplan.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardplan.form.Row;
import org.shardplan.form.RowsFile;
import org.shardplan.plan.Recompute;
import org.shardplan.report.Ledger;
import org.shardplan.report.SourceScore;
import org.shardplan.report.Validation;
import org.shardplan.report.ValidationRow;
import org.shardplan.search.SearchObserver;

/** FEATURE UNDER TEST: scores of measured rows, on rows whose right answer is known. */
final class A15_LedgerScoresTest {
    private static final String HEADER =
            "id,source,gpu,gpus,precision,global_batch,seq_len,layers,hidden,heads,vocab,tp,"
                    + "micro_batch,recompute,framework_family,year,step_seconds,provenance,notes,experts\n";

    @TempDir
    Path folder;

    /** A row of so many layers that took so many seconds. */
    private static String row(String id, String source, int layers, double seconds, String rest) {
        return String.format(
                Locale.ROOT,
                "%s,%s,a100-sxm-80gb,8,bf16,64,2048,%d,2048,16,51200,1,2,full,megatron-lm,2022,%f,%s%n",
                id,
                source,
                layers,
                seconds,
                rest);
    }

    private List<Row> rows(String... lines) throws IOException {
        Path file = folder.resolve("rows.csv");
        Files.writeString(file, HEADER + String.join("", lines));
        return RowsFile.read(file, name -> false);
    }

    private static Validation validate(List<Row> rows) {
        return ValidateJob.validate(rows, Variation.none(Prices.load()), SearchObserver.NONE)
                .validation();
    }

    /** What the model says of those sizes, with no factor at all. */
    private double predicted(int layers) throws IOException {
        Prices prices = Prices.load();
        ValidationRow row =
                validate(rows(row("x", "s", layers, 1, "measured,,"))).rows().getFirst();
        return row.predictedStepSeconds()
                / prices.calibration()
                        .residual("megatron-lm-2022", org.shardplan.form.DeviceCatalog.get("a100-sxm-80gb"));
    }

    private static SourceScore score(Ledger ledger, String source) {
        return ledger.sources().stream()
                .filter(score -> score.source().equals(source))
                .findFirst()
                .orElseThrow();
    }

    /** One source runs at 1.1 of the model, the other at 1.3: each is off by what the other's factor says. */
    @Test
    void aSourceIsJudgedByTheOthers() throws IOException {
        double small = predicted(12);
        double large = predicted(24);
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < 5; i++) {
            boolean even = i % 2 == 0;
            lines.append(row("a" + i, "a", even ? 12 : 24, 1.1 * (even ? small : large), "measured,,"));
            lines.append(row("b" + i, "b", even ? 12 : 24, 1.3 * (even ? small : large), "measured,,"));
        }
        Ledger ledger = validate(rows(lines.toString())).ledger();
        assertEquals(100 * (1.3 / 1.1 - 1), score(ledger, "a").leftOut().medianPercent(), 0.05);
        assertEquals(100 * (1.1 / 1.3 - 1), score(ledger, "b").leftOut().meanPercent(), 0.05);
        assertEquals(0, score(ledger, "a").scaled().medianPercent(), 0.05, "its own three first rows tell");
        assertEquals(2, score(ledger, "a").scaled().rows(), "which are not scored");
        assertTrue(score(ledger, "a").sharesDevice());
        assertEquals(10, ledger.points().size());
    }

    @Test
    void composedRowsCountInNothingElse() throws IOException {
        double seconds = predicted(12);
        Validation validation = validate(rows(
                row("a1", "a", 12, seconds, "measured,,"),
                row("c1", "c", 12, 9 * seconds, "composed,,"),
                row("c2", "c", 24, 9 * seconds, "composed,,"),
                row("c3", "c", 12, 9 * seconds, "composed,,")));
        Ledger ledger = validation.ledger();
        assertTrue(score(ledger, "c").composed());
        assertEquals(3, score(ledger, "c").leftOut().rows());
        assertEquals(1, ledger.rows());
        assertEquals(0, ledger.means(SourceScore::leftOut).sources());
    }

    @Test
    void whatDoesNotCountIsTold() throws IOException {
        List<Row> rows = rows(
                row("a1", "a", 12, 1, "measured,,"),
                row("a2", "a", 12, 1, "measured,FLAG batch inconsistent; see source,"),
                row("a3", "a", 12, 1, "memory,,"),
                row("a4", "a", 12, 1, "measured,,8"));
        assertNull(Standing.aside(rows.getFirst()));
        assertEquals("flagged as doubtful: batch inconsistent", Standing.aside(rows.get(1)));
        assertEquals("unverified: its step is from memory", Standing.aside(rows.get(2)));
        assertEquals("arch moe", Standing.aside(rows.get(3)));
        Ledger ledger = validate(rows).ledger();
        assertEquals(1, ledger.rows());
        assertEquals(
                List.of("a2", "a3"),
                ledger.faults().stream().map(Ledger.Fault::id).toList());
    }

    @Test
    void aRowThatCountsAndCantBePredictedIsSkipped() throws IOException {
        Ledger ledger = validate(rows(row("a1", "a", 12, 1, "measured,,").replace(",8,bf16,64,", ",8,bf16,63,")))
                .ledger();
        assertEquals(1, ledger.rows());
        assertEquals(0, ledger.evaluated());
        assertTrue(
                ledger.skips().getFirst().reason().contains("global_batch 63"),
                ledger.skips().toString());
    }

    @Test
    void aStepThatIsEndlessIsSkippedByName() throws IOException {
        Row endless = rows(row("a1", "a", 12, 1, "measured,,").replace(",8,bf16,64,", ",8,bf16,900000000,"))
                .getFirst();
        RowPredictions predictions = new RowPredictions(Variation.none(Prices.load()));
        String reason = RowOutcome.of(endless, predictions).result().skipped();
        assertTrue(String.valueOf(reason).contains("which no run has"), reason);
    }

    /** Leaving an effect out changes what the model reads, not what was measured. */
    @Test
    void aVariationLeavesAnEffectOut() throws IOException {
        List<Row> rows = rows(row("a1", "a", 12, 1, "measured,,"));
        UnaryOperator<RowCase.Ready> without = row -> new RowCase.Ready(
                row.row(),
                row.sizes(),
                row.workload(),
                row.cluster(),
                row.clusterRule(),
                new org.shardplan.plan.Shorthand(
                        row.plan().tp(),
                        row.plan().pp(),
                        row.plan().vpp(),
                        row.plan().dp(),
                        row.plan().microBatch(),
                        row.plan().sequenceParallel(),
                        row.plan().zero(),
                        Recompute.NONE,
                        row.plan().schedule(),
                        row.plan().order(),
                        row.plan().layout(),
                        List.of()),
                row.framework(),
                row.attention(),
                row.gradientBytes(),
                row.memoryKind(),
                row.assumed());
        Prices prices = Prices.load();
        Variation variation = new Variation(prices, true, without, UnaryOperator.identity(), UnaryOperator.identity());
        double with = validate(rows).rows().getFirst().predictedStepSeconds();
        double less = ValidateJob.validate(rows, variation, SearchObserver.NONE)
                .validation()
                .rows()
                .getFirst()
                .predictedStepSeconds();
        assertEquals(0.75, less / with, 0.05, "a step without its fourth pass");
    }

    /** 6 operations a parameter and token, four thirds of them, over 8 devices of 312 TFLOP/s. */
    @Test
    void theFormula() throws IOException {
        RowCase.Ready ready = (RowCase.Ready)
                RowJob.of(rows(row("a1", "a", 12, 1, "measured,,")).getFirst());
        double parameters = 12.0 * 12 * 2048 * 2048 + 51200.0 * 2048;
        double seconds = 6 * parameters * 64 * 2048 * 4 / 3 / (8 * 312e12);
        assertEquals(1, FormulaBaseline.seconds(ready) / seconds, 0.01);
    }
}
