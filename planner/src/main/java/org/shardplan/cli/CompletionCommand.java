package org.shardplan.cli;

import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;

/** {@code shardplan completion}. */
@Command(
        name = "completion",
        description = "Prints a completion script for bash and zsh.",
        footer = "Example: source <(shardplan completion)")
final class CompletionCommand implements Callable<Integer> {
    private final Session session;

    CompletionCommand(Session session) {
        this.session = session;
    }

    @Override
    public Integer call() {
        session.out.print(AutoComplete.bash("shardplan", Main.commandLine(session, Verbs.NAMES)));
        return 0;
    }
}
