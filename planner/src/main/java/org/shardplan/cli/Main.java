package org.shardplan.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The command line. Results go to stdout, diagnostics to stderr. */
@Command(
        name = "shardplan",
        description = "Plans hybrid parallel training of neural networks.",
        version = "shardplan 0.1.0-SNAPSHOT",
        mixinStandardHelpOptions = true)
public final class Main implements Runnable {
    private Main() {}

    public static void main(String[] args) {
        System.exit(new CommandLine(new Main()).execute(args));
    }

    @Override
    public void run() {
        CommandLine.usage(this, System.err);
    }
}
