package org.shardplan.job;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.shardplan.form.ClusterCatalog;
import org.shardplan.form.DeviceCatalog;
import org.shardplan.form.ModelCatalog;
import org.shardplan.form.Row;
import org.shardplan.form.RowsFile;
import org.shardplan.report.Validation;
import org.shardplan.report.ValidationRow;
import org.shardplan.search.SearchObserver;
import org.shardplan.units.UserError;

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
        RowJob cases = new RowJob(
                name -> ModelCatalog.contains(name)
                        ? Optional.of(ModelCatalog.find(name).sizes())
                        : Optional.empty(),
                name -> DeviceCatalog.names().contains(name)
                        ? Optional.of(DeviceCatalog.get(name))
                        : Optional.empty(),
                ValidateJob::cluster);
        Set<String> notes = new LinkedHashSet<>();
        List<ValidationRow> results = new ArrayList<>();
        for (Row row : rows) {
            if (observer.stopRequested()) {
                break;
            }
            results.add(
                    switch (cases.of(row)) {
                        case RowCase.Skipped(Row skipped, String reason) ->
                            ValidationRow.skipped(
                                    skipped.id(),
                                    skipped.source(),
                                    skipped.shape().model(),
                                    skipped.measured().stepSeconds().orElse(Double.NaN),
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

    private static Optional<org.shardplan.cluster.Cluster> cluster(String words) {
        try {
            return Optional.of(ClusterCatalog.resolve(words));
        } catch (UserError notThere) {
            return Optional.empty();
        }
    }
}
