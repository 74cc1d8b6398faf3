package org.shardplan.job;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.shardplan.form.ModelCatalog;
import org.shardplan.form.Row;
import org.shardplan.form.RowsFile;
import org.shardplan.report.Validation;
import org.shardplan.report.ValidationRow;
import org.shardplan.search.SearchObserver;

/** Predicts measured runs. */
public final class ValidateJob {
    private ValidateJob() {}

    /** @throws org.shardplan.units.UserError where a file can't be read or lacks a required column */
    public static Validation run(ValidateRequest request, SearchObserver observer) {
        List<Row> rows = new ArrayList<>();
        for (String file : request.files()) {
            rows.addAll(RowsFile.read(Path.of(file), ModelCatalog::contains));
        }
        return validate(rows, Prices.load(), observer);
    }

    /** Predicts rows under given prices. */
    public static Validation validate(List<Row> rows, Prices prices, SearchObserver observer) {
        Set<String> notes = new LinkedHashSet<>();
        List<ValidationRow> results = new ArrayList<>();
        for (Row row : rows) {
            if (observer.stopRequested()) {
                break;
            }
            results.add(
                    switch (RowJob.of(row)) {
                        case RowCase.Skipped(Row skipped, String reason) ->
                            ValidationRow.skipped(
                                    skipped.id(),
                                    skipped.source(),
                                    skipped.model(),
                                    skipped.measured().stepSeconds(),
                                    reason);
                        case RowCase.Ready ready -> {
                            notes.add(ready.cluster().name() + ": " + ready.clusterRule());
                            yield RowPrediction.of(ready, prices);
                        }
                    });
            observer.progress(results.size(), rows.size(), Double.NaN);
        }
        return new Validation(results, new ArrayList<>(notes));
    }
}
