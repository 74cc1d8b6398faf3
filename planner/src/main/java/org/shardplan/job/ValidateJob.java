package org.shardplan.job;

import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.shardplan.cost.Calibration;
import org.shardplan.form.ModelCatalog;
import org.shardplan.form.Row;
import org.shardplan.form.RowsFile;
import org.shardplan.report.Validation;
import org.shardplan.report.ValidationRow;
import org.shardplan.search.SearchObserver;

/** Predicts measured runs, and fits residual factors on them. */
public final class ValidateJob {
    private ValidateJob() {}

    /**
     * What came out.
     *
     * @param fitted the calibration with its residual factors fitted on these rows
     */
    public record Outcome(Validation validation, Calibration fitted) {}

    /** @throws org.shardplan.units.UserError where a file can't be read or lacks a required column */
    public static Outcome run(ValidateRequest request, SearchObserver observer) {
        List<Row> rows = new ArrayList<>();
        for (String file : request.files()) {
            rows.addAll(RowsFile.read(Path.of(file), ModelCatalog::contains));
        }
        return validate(rows, Prices.load(), observer);
    }

    /** Predicts rows under given prices. */
    public static Outcome validate(List<Row> rows, Prices prices, SearchObserver observer) {
        Set<String> notes = new LinkedHashSet<>();
        List<ValidationRow> results = new ArrayList<>();
        List<FitPoint> points = new ArrayList<>();
        for (Row row : rows) {
            if (observer.stopRequested()) {
                break;
            }
            switch (RowJob.of(row)) {
                case RowCase.Skipped(Row skipped, String reason) -> results.add(skipped(skipped, reason));
                case RowCase.Ready ready -> {
                    notes.add(ready.cluster().name().replaceFirst("[:/].*", "") + ": " + ready.clusterRule());
                    ValidationRow result = RowPrediction.of(ready, prices);
                    results.add(result);
                    if (!Double.isNaN(result.errorPercent()) && result.aside() == null) {
                        double residual = prices.calibration()
                                .residual(ready.framework(), ready.cluster().device());
                        points.add(FitPoint.of(ready, result, residual));
                    }
                }
            }
            observer.progress(results.size(), rows.size(), Double.NaN);
        }
        Validation validation =
                new Validation(results, HeldOutScores.of(points, prices.calibration()), new ArrayList<>(notes));
        return new Outcome(validation, Fit.of(points, prices.calibration(), fitted(points)));
    }

    private static ValidationRow skipped(Row row, String reason) {
        return ValidationRow.skipped(
                row.id(), row.source(), row.model(), row.measured().stepSeconds(), reason);
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
