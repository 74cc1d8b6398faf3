package org.shardplan.cli;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.shardplan.cost.CalibrationFile;
import org.shardplan.job.ValidateJob;
import org.shardplan.job.ValidateRequest;
import org.shardplan.report.Validation;
import org.shardplan.report.ValidationJson;
import org.shardplan.report.ValidationReport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code shardplan validate}. */
@Command(
        name = "validate",
        description = "Predicts measured runs: a line a row, and a summary a source.",
        footer = "Example: shardplan validate bench/rows/*.csv")
final class ValidateCommand implements Callable<Integer> {
    private final Session session;

    @Parameters(paramLabel = "ROWS.csv", arity = "1..*", description = "measured runs, one a line")
    private List<String> files = new ArrayList<>();

    @Option(names = "--json", paramLabel = "F", description = "write rows and summary; - = stdout, instead of the text")
    private @Nullable String json;

    @Option(
            names = "--fit",
            paramLabel = "OUT",
            description = "write a calibration whose residual factors are fitted on these rows")
    private @Nullable String fit;

    ValidateCommand(Session session) {
        this.session = session;
    }

    @Override
    public Integer call() {
        FileOutput file = Outputs.file("--json", json);
        FileOutput calibration = Outputs.file("--fit", fit);
        ValidateJob.Outcome outcome;
        try (Progress progress = new Progress(session)) {
            outcome = ValidateJob.run(new ValidateRequest(files), progress);
        }
        Validation validation = outcome.validation();
        if ("-".equals(json)) {
            Outputs.print(session, out -> ValidationJson.write(validation, out));
        } else {
            session.out.print(ValidationReport.print(validation, session.style()));
        }
        if (file != null) {
            file.write(out -> ValidationJson.write(validation, out));
            session.say("wrote " + file);
        }
        if (calibration != null) {
            calibration.write(
                    out -> out.write(CalibrationFile.text(outcome.fitted()).getBytes(StandardCharsets.UTF_8)));
            session.say("wrote " + calibration + ": "
                    + (outcome.factors().isEmpty()
                            ? "no factor of these rows, which takes 3 runs of 2 shapes of one framework on one device"
                            : String.join(", ", outcome.factors()) + "; SHARDPLAN_CALIBRATION=" + calibration
                                    + " lets other commands use it"));
        }
        return 0;
    }
}
