package org.shardplan.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.shardplan.Checkout;
import org.shardplan.DocumentBlock;
import org.shardplan.form.Row;
import org.shardplan.form.RowsFile;
import org.shardplan.plan.ContextParallel;
import org.shardplan.report.Errors;

/** FEATURE UNDER TEST: steps of the measured runs of bench/rows that split sequences. Nothing is fitted on them. */
final class A20_ContextRowsTest {
    /** Least rows of a line that is judged. */
    private static final int JUDGED = 5;

    private final Map<String, List<Double>> with = new TreeMap<>();
    private final Map<String, List<Double>> without = new TreeMap<>();

    private void predict() throws IOException {
        List<Row> rows = new ArrayList<>();
        try (Stream<Path> files = Files.list(Checkout.root().resolve("bench/rows"))) {
            for (Path file : files.filter(path -> path.toString().endsWith(".csv"))
                    .sorted()
                    .toList()) {
                rows.addAll(RowsFile.read(file, name -> false));
            }
        }
        RowPredictions predictions = new RowPredictions(Variation.none(SmallProblems.prices()));
        rows.parallelStream()
                .map(row -> RowOutcome.of(row, predictions))
                .filter(outcome -> outcome.scored() != null && outcome.result().kind() != null)
                .map(outcome -> outcome.scored())
                .sorted(Comparator.comparing(row -> row.point().id()))
                .toList()
                .forEach(row -> (row.judges() ? with : without)
                        .computeIfAbsent(line(row), _ -> new ArrayList<>())
                        .add(row.result().errorPercent()));
    }

    private static String line(ScoredRow row) {
        boolean few = row.ready().workload().precision().isCast();
        return "%-22s  %-8s %s"
                .formatted(row.source(), row.result().kind().text(), few ? "8 bits and less" : "16 bits");
    }

    private static Errors errors(Map<String, List<Double>> of, String line) {
        return Errors.of(of.getOrDefault(line, List.of()).stream()
                .mapToDouble(error -> error)
                .toArray());
    }

    @Test
    void errorsBySource() throws IOException {
        predict();
        StringBuilder table = new StringBuilder("```\n");
        table.append(String.format(
                Locale.ROOT,
                "%-48s  %4s  %7s  %7s  %7s    %s%n",
                "source, kind, products in",
                "rows",
                "mean",
                "median",
                "p90",
                "without cp: rows, mean, median"));
        List<Double> medians = new ArrayList<>();
        for (String line : with.keySet()) {
            Errors errors = errors(with, line);
            Errors others = errors(without, line);
            table.append(String.format(
                    Locale.ROOT,
                    "%-48s  %4d  %+6.1f%%  %6.1f%%  %6.1f%%    %s%n",
                    line,
                    errors.rows(),
                    errors.meanPercent(),
                    errors.medianPercent(),
                    errors.p90Percent(),
                    others.rows() == 0
                            ? "none"
                            : String.format(
                                    Locale.ROOT,
                                    "%d  %+.1f%%  %.1f%%",
                                    others.rows(),
                                    others.meanPercent(),
                                    others.medianPercent())));
            if (errors.rows() >= JUDGED) {
                medians.add(errors.medianPercent());
                assertTrue(errors.medianPercent() <= 12, line + " " + errors);
            }
        }
        table.append("```\n");
        double mean = medians.stream().mapToDouble(median -> median).average().orElseThrow();
        assertTrue(medians.size() >= 7, "lines of five rows or more: " + medians.size());
        assertTrue(mean <= 8, String.format(Locale.ROOT, "mean of medians %.1f", mean));
        DocumentBlock.check("docs/accuracy.md", "context", table.toString());
    }

    /** Columns do not say how attention got its keys; SimuMax's notes do. */
    @Test
    void notesTellTheWayOfExchange() throws IOException {
        List<Row> rows = RowsFile.read(Checkout.root().resolve("bench/rows/simumax.csv"), name -> false);
        long ulysses = rows.stream()
                .map(RowJob::of)
                .filter(of -> of instanceof RowCase.Ready ready
                        && ready.plan().cp() > 1
                        && ready.plan().context().type() == ContextParallel.Type.ULYSSES)
                .count();
        assertEquals(6, ulysses, "their notes say a2a");
    }
}
