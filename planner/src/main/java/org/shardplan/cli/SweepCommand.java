package org.shardplan.cli;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.shardplan.job.SweepJob;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code shardplan sweep}. */
@Command(
        name = "sweep",
        description = "Plans every model on every cluster of a file: one table, the cheapest way first.",
        footer = "Example: shardplan sweep examples/sweep/cheapest.yaml")
final class SweepCommand implements Callable<Integer> {
    private final Session session;

    @Parameters(paramLabel = "SWEEP.yaml", description = "models, clusters, batches, tokens and limits")
    private String file = "";

    @Option(
            names = "--json",
            paramLabel = "F",
            description = "write the table as JSON; - = stdout, instead of the text")
    private @Nullable String json;

    SweepCommand(Session session) {
        this.session = session;
    }

    @Override
    public Integer call() {
        SweepJob.Outcome outcome;
        try (Progress progress = new Progress(session)) {
            outcome = SweepJob.run(file, progress);
        }
        CatalogOutput.write(outcome.table(), json, session);
        return outcome.reached() ? 0 : 1;
    }
}
