package org.shardplan.job;

import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.shardplan.cost.Calibration;
import org.shardplan.cost.CalibrationFile;
import org.shardplan.cost.CollectiveModel;
import org.shardplan.cost.KernelModel;
import org.shardplan.cost.KernelTables;
import org.shardplan.search.Evaluation;
import org.shardplan.search.Problem;
import org.shardplan.units.UserError;

/** The tables and constants that prices rest on, read once. */
public record Prices(KernelModel kernels, CollectiveModel collectives, Calibration calibration) {

    /** Names a calibration that stands for the shipped one, as {@code validate --fit} writes it. */
    public static final String VARIABLE = "SHARDPLAN_CALIBRATION";

    /**
     * Those that ship with Shardplan, or the calibration of the file that the environment names.
     *
     * @throws UserError when that file can't be read
     */
    public static Prices load() {
        String file = System.getenv(VARIABLE);
        if (file == null || file.isBlank()) {
            return of(CalibrationFile.load());
        }
        try {
            return of(CalibrationFile.read(Path.of(file)));
        } catch (IOException | InvalidPathException e) {
            throw new UserError(
                    VARIABLE + ": " + file + " can't be read",
                    "Maybe a file that shardplan validate --fit has written");
        }
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
