package org.shardplan.job;

import org.shardplan.cost.Calibration;
import org.shardplan.cost.CalibrationFile;
import org.shardplan.cost.CollectiveModel;
import org.shardplan.cost.KernelModel;
import org.shardplan.cost.KernelTables;
import org.shardplan.search.Evaluation;
import org.shardplan.search.Problem;

/** The tables and constants that prices rest on, read once. */
public record Prices(KernelModel kernels, CollectiveModel collectives, Calibration calibration) {

    /** Those that ship with Shardplan. */
    public static Prices load() {
        return of(CalibrationFile.load());
    }

    /** The shipped tables under another calibration. */
    public static Prices of(Calibration calibration) {
        KernelTables tables = KernelTables.load();
        return new Prices(new KernelModel(tables, calibration), new CollectiveModel(tables), calibration);
    }

    Evaluation evaluation(Problem problem) {
        return new Evaluation(problem, kernels, collectives, calibration);
    }
}
