package org.shardplan.cli;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.shardplan.job.CatalogJob;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code shardplan methods}. */
@Command(name = "methods", description = "Lists the ways to search.")
final class MethodsCommand implements Callable<Integer> {
    private final Session session;

    @Option(names = "--json", paramLabel = "F", description = "write them as JSON; - = stdout, instead of the text")
    private @Nullable String json;

    MethodsCommand(Session session) {
        this.session = session;
    }

    @Override
    public Integer call() {
        return CatalogOutput.write(CatalogJob.methods(), json, session);
    }
}
