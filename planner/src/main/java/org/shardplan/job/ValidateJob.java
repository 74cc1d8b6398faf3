package org.shardplan.job;

import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.shardplan.cost.Calibration;
import org.shardplan.form.ModelCatalog;
import org.shardplan.form.Row;
import org.shardplan.form.RowsFile;
import org.shardplan.report.KindLedger;
import org.shardplan.report.Ledger;
import org.shardplan.report.RunKind;
import org.shardplan.report.Validation;
import org.shardplan.search.SearchObserver;

/** Predicts measured runs, and fits residual factors on them. */
public final class ValidateJob {
    private ValidateJob() {}

    /**
     * What came out.
     *
     * @param fitted the calibration in use with the residual factors that these rows give
     * @param factors those of framework generations on devices, for people
     */
    public record Outcome(Validation validation, Calibration fitted, List<String> factors) {}

    /**
     * A row that names no source is of the source that its file is named after.
     *
     * @throws org.shardplan.units.UserError where a file can't be read or lacks a required column
     */
    public static Outcome run(ValidateRequest request, SearchObserver observer) {
        List<Row> rows = new ArrayList<>();
        for (String file : request.files()) {
            Path path = Path.of(file);
            String name = String.valueOf(path.getFileName()).replaceFirst("\\.csv$", "");
            RowsFile.read(path, ModelCatalog::contains)
                    .forEach(row -> rows.add(row.source().isEmpty() ? row.of(name) : row));
        }
        return validate(rows, Variation.none(Prices.load()), observer);
    }

    /** Predicts rows under given data, on all cores; the outcome is the same on any number of them. */
    public static Outcome validate(List<Row> rows, Variation variation, SearchObserver observer) {
        Calibration shipped = variation.prices().calibration();
        RowPredictions predictions = new RowPredictions(variation);
        AtomicInteger done = new AtomicInteger();
        List<RowOutcome> outcomes = rows.parallelStream()
                .map(row -> {
                    if (observer.stopRequested()) {
                        return Optional.<RowOutcome>empty();
                    }
                    RowOutcome outcome = RowOutcome.of(row, predictions);
                    int count = done.incrementAndGet();
                    synchronized (done) {
                        observer.progress(count, rows.size(), Double.NaN);
                    }
                    return Optional.of(outcome);
                })
                .flatMap(Optional::stream)
                .toList();
        List<ScoredRow> scored = outcomes.stream()
                .map(RowOutcome::scored)
                .filter(Objects::nonNull)
                .toList();
        List<FitPoint> points = scored.stream()
                .filter(row -> row.result().fitted() && !row.judges())
                .map(ScoredRow::point)
                .toList();
        Set<String> notes = new LinkedHashSet<>();
        outcomes.stream().map(RowOutcome::note).filter(note -> !note.isEmpty()).forEach(notes::add);
        Calibration fitted = Fit.of(points, shipped, fitted(points));
        Ledger ledger = LedgerScores.of(rows, outcomes, variation.refitted() ? fitted : shipped);
        Validation validation = new Validation(
                outcomes.stream().map(RowOutcome::result).toList(),
                ledger,
                kinds(rows, outcomes, variation.refitted() ? fitted : shipped),
                PairScores.of(scored),
                HeldOutScores.of(points, shipped),
                new ArrayList<>(notes));
        Calibration whole = points.isEmpty() ? shipped : Fit.with(ledger.comparison(), Fit.into(shipped, fitted));
        List<String> factors = fitted.residuals().entrySet().stream()
                .filter(factor -> !factor.getKey().startsWith("*/"))
                .map(factor -> "%s %.3f (%d rows)"
                        .formatted(
                                factor.getKey(),
                                factor.getValue().factor(),
                                factor.getValue().rows()))
                .toList();
        return new Outcome(validation, whole, factors);
    }

    /** Ledgers of the kinds that rows are of; where all count in the first one, it says all. */
    private static List<KindLedger> kinds(List<Row> rows, List<RowOutcome> outcomes, Calibration calibration) {
        List<KindLedger> kinds = new ArrayList<>();
        for (RunKind kind : RunKind.values()) {
            boolean more = outcomes.stream()
                    .map(RowOutcome::result)
                    .anyMatch(row -> row.kind() == kind && row.aside() != null);
            if (more) {
                kinds.add(new KindLedger(kind, LedgerScores.of(rows, outcomes, calibration, kind)));
            }
        }
        return kinds;
    }

    /** The date, and what it was fitted on. */
    private static String fitted(List<FitPoint> points) {
        Set<String> sources = new TreeSet<>();
        points.forEach(point -> sources.add(point.source()));
        sources.removeAll(Fit.JUDGES);
        long rows = points.stream()
                .filter(point -> !Fit.JUDGES.contains(point.source()))
                .count();
        return LocalDate.now(ZoneOffset.UTC) + " on " + rows + " rows of " + String.join(", ", sources);
    }
}
