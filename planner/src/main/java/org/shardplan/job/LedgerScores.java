package org.shardplan.job;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.shardplan.cost.Calibration;
import org.shardplan.form.Row;
import org.shardplan.report.Errors;
import org.shardplan.report.Ledger;
import org.shardplan.report.RunKind;
import org.shardplan.report.SourceScore;
import org.shardplan.report.ValidationRow;

/**
 * Scores of every source: under the factors that ship, under factors fitted on the other sources alone, and under
 * scales from its own first rows; beside it the formula, judged the same way.
 */
final class LedgerScores {
    /** Rows of a kind, the first by id, that give a source's own scale. */
    static final int SCALE_ROWS = 3;

    private final List<ScoredRow> counted;
    private final Calibration shipped;
    private final FormulaBaseline formula;
    private final Map<String, Set<String>> sourcesOfDevice = new TreeMap<>();

    /** @param counted timed rows that count, and those of composed sources, which stand in no fit */
    private LedgerScores(List<ScoredRow> counted, Calibration shipped) {
        this.counted = counted.stream().filter(row -> !row.result().composed()).toList();
        this.shipped = shipped;
        this.formula = new FormulaBaseline(this.counted);
        for (ScoredRow row : this.counted) {
            sourcesOfDevice
                    .computeIfAbsent(row.point().device().name(), _ -> new TreeSet<>())
                    .add(row.source());
        }
    }

    /** @param rows of which the outcomes are, in the same order */
    static Ledger of(List<Row> rows, List<RowOutcome> outcomes, Calibration shipped) {
        return of(rows, outcomes, shipped, row -> row.aside() == null || row.composed());
    }

    /** Of the rows of one kind alone. */
    static Ledger of(List<Row> rows, List<RowOutcome> outcomes, Calibration shipped, RunKind kind) {
        return of(rows, outcomes, shipped, row -> row.kind() == kind);
    }

    private static Ledger of(
            List<Row> rows, List<RowOutcome> outcomes, Calibration shipped, Predicate<ValidationRow> counts) {
        List<ScoredRow> scored = outcomes.stream()
                .map(RowOutcome::scored)
                .filter(Objects::nonNull)
                .filter(row -> counts.test(row.result()))
                .toList();
        LedgerScores scores = new LedgerScores(scored, shipped);
        Map<String, List<ValidationRow>> bySource = new LinkedHashMap<>();
        for (RowOutcome outcome : outcomes) {
            ValidationRow row = outcome.result();
            if (counts.test(row)) {
                bySource.computeIfAbsent(row.source(), _ -> new ArrayList<>()).add(row);
            }
        }
        List<SourceScore> sources = new ArrayList<>();
        List<Ledger.Skip> skips = new ArrayList<>();
        List<Ledger.Point> points = new ArrayList<>();
        bySource.forEach((source, results) -> {
            List<ScoredRow> mine =
                    scored.stream().filter(row -> row.source().equals(source)).toList();
            Calibration factors = scores.without(source);
            sources.add(scores.source(source, results, mine, factors));
            skips.addAll(skips(source, results));
            mine.stream()
                    .filter(row -> !row.result().composed())
                    .map(row -> point(row, factors))
                    .forEach(points::add);
        });
        return new Ledger(
                sources,
                RankingScores.of(scored),
                RankingScores.comparisons(scores.counted),
                skips,
                faults(rows),
                points);
    }

    private static List<Ledger.Fault> faults(List<Row> rows) {
        List<Ledger.Fault> faults = new ArrayList<>();
        for (Row row : rows) {
            String fault = Standing.fault(row);
            if (fault != null) {
                faults.add(new Ledger.Fault(row.id(), row.source(), fault));
            }
        }
        return faults;
    }

    private static Ledger.Point point(ScoredRow row, Calibration factors) {
        double measured = row.result().measuredStepSeconds();
        return new Ledger.Point(row.source(), measured, measured * (1 + row.errorPercent(factor(factors, row)) / 100));
    }

    private List<ScoredRow> others(String source) {
        return counted.stream().filter(row -> !row.source().equals(source)).toList();
    }

    /** Factors and intervals that the other sources give. */
    private Calibration without(String source) {
        List<FitPoint> points = others(source).stream()
                .filter(row -> !row.judges())
                .map(ScoredRow::point)
                .toList();
        return Fit.of(points, shipped, "");
    }

    private SourceScore source(String source, List<ValidationRow> rows, List<ScoredRow> mine, Calibration factors) {
        FormulaBaseline othersFormula = new FormulaBaseline(others(source));
        List<ValidationRow> evaluated =
                rows.stream().filter(row -> row.skipped() == null).toList();
        long sharing = mine.stream()
                .filter(row -> !Set.of(source)
                        .containsAll(sourcesOfDevice.getOrDefault(
                                row.point().device().name(), Set.of())))
                .count();
        return new SourceScore(
                source,
                rows.stream().allMatch(ValidationRow::composed),
                rows.size(),
                evaluated.size(),
                2 * sharing > mine.size(),
                errors(mine, row -> row.errorPercent(factor(factors, row))),
                errors(mine, row -> row.errorPercent(factor(shipped, row))),
                scaled(mine),
                errors(mine, othersFormula::errorPercent),
                errors(mine, formula::errorPercent),
                mine.stream().mapToDouble(row -> inside(row, factors)).average().orElse(Double.NaN),
                Errors.quantile(
                        mine.stream()
                                .mapToDouble(row -> 100 * halfWidth(row, factors))
                                .sorted()
                                .toArray(),
                        0.5),
                evaluated.stream()
                        .map(ValidationRow::memoryKind)
                        .filter(Objects::nonNull)
                        .findFirst()
                        .orElse(""),
                Errors.of(evaluated.stream()
                        .mapToDouble(ValidationRow::memoryErrorPercent)
                        .toArray()),
                evaluated.size(),
                (int) evaluated.stream().filter(LedgerScores::fitsRight).count(),
                (int) evaluated.stream().filter(ValidationRow::ranOutOfMemory).count(),
                (int) evaluated.stream()
                        .filter(ValidationRow::ranOutOfMemory)
                        .filter(LedgerScores::fitsRight)
                        .count());
    }

    private static double factor(Calibration calibration, ScoredRow row) {
        return calibration.residual(row.point().framework(), row.point().device());
    }

    private static double halfWidth(ScoredRow row, Calibration factors) {
        return factors.interval(
                row.point().framework(), row.point().device(), row.point().exposedShare());
    }

    /** 1 where the measured step lies in the interval, else 0. */
    private static double inside(ScoredRow row, Calibration factors) {
        double off = Math.exp(row.point().logRatio()) / factor(factors, row) - 1;
        return Math.abs(off) <= halfWidth(row, factors) ? 1 : 0;
    }

    private static Errors errors(List<ScoredRow> rows, ToDoubleFunction<ScoredRow> percent) {
        return Errors.of(rows.stream().mapToDouble(percent).toArray());
    }

    /**
     * As {@code --fit} on the first rows would have it: one scale for each framework generation on a device, the median ratio of
     * its first rows by id, which are not scored.
     */
    private static Errors scaled(List<ScoredRow> rows) {
        Map<String, List<ScoredRow>> kinds = new TreeMap<>();
        rows.stream()
                .sorted(Comparator.comparing(row -> row.point().id()))
                .forEach(row -> kinds.computeIfAbsent(Fit.generation(row.point()), _ -> new ArrayList<>())
                        .add(row));
        List<Double> percents = new ArrayList<>();
        for (List<ScoredRow> kind : kinds.values()) {
            int first = Math.min(SCALE_ROWS, kind.size());
            double[] ratios = kind.subList(0, first).stream()
                    .mapToDouble(row -> Math.exp(row.point().logRatio()))
                    .sorted()
                    .toArray();
            double scale = Errors.quantile(ratios, 0.5);
            kind.subList(first, kind.size()).forEach(row -> percents.add(row.errorPercent(scale)));
        }
        return Errors.of(percents.stream().mapToDouble(Double::doubleValue).toArray());
    }

    private static boolean fitsRight(ValidationRow row) {
        return Boolean.valueOf(!row.ranOutOfMemory()).equals(row.fits());
    }

    private static List<Ledger.Skip> skips(String source, List<ValidationRow> rows) {
        return rows.stream()
                .map(ValidationRow::skipped)
                .filter(Objects::nonNull)
                .collect(Collectors.groupingBy(reason -> reason, TreeMap::new, Collectors.counting()))
                .entrySet()
                .stream()
                .map(entry -> new Ledger.Skip(source, entry.getValue().intValue(), entry.getKey()))
                .sorted(Comparator.comparingInt(skip -> -skip.rows()))
                .toList();
    }
}
