package org.shardplan.cli;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.util.List;
import org.shardplan.job.ToolVersion;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;

/**
 * The command line. Results go to stdout, diagnostics to stderr. Exit status: 0 yes, 1 the answer is no, 2 a mistake of the
 * user's, 70 a bug of ours, 130 and 143 interrupted.
 */
@Command(
        name = "shardplan",
        description = "Plans hybrid parallel training of neural networks.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "VERB",
        footer = "Example: shardplan plan gpt3-175b --cluster dgx-a100-80gb:128 --global-batch 1536")
public final class Main implements Runnable {
    private final Session session;

    private Main(Session session) {
        this.session = session;
    }

    @Option(names = "--quiet", scope = ScopeType.INHERIT, description = "no progress and no remarks on stderr")
    void quiet(boolean quiet) {
        session.quiet = quiet;
    }

    @Option(names = "--verbose", scope = ScopeType.INHERIT, description = "details on stderr, stack traces of bugs")
    void verbose(boolean verbose) {
        session.verbose = verbose;
    }

    /** Runs one command and ends the process. */
    public static void main(String[] args) {
        Terminal terminal = Terminal.detect();
        Interruption interruption = new Interruption();
        interruption.listen();
        LostOutput lost = new LostOutput(new FileOutputStream(FileDescriptor.out));
        PrintStream out = new PrintStream(new BufferedOutputStream(lost, 1 << 16), false, terminal.charset());
        PrintStream err = new PrintStream(new FileOutputStream(FileDescriptor.err), true, terminal.charset());
        int status = lost.status(run(args, new Session(out, err, terminal, interruption)), err);
        interruption.finish();
        System.exit(status);
    }

    /** Runs one command; the exit status. Flushes both streams; a reader of stdout that has gone away is no error. */
    static int run(String[] args, Session session) {
        int status;
        try {
            status = commandLine(session, verbs(args)).execute(args);
        } catch (Error e) {
            status = Mistakes.thrown(e, session);
        }
        session.out.flush();
        session.err.flush();
        return status;
    }

    /** The verb that is meant, where it is plain to see, so that no other need be loaded; else all. */
    private static List<String> verbs(String[] args) {
        for (String arg : args) {
            if (!arg.startsWith("-")) {
                return Verbs.NAMES.contains(arg) ? List.of(arg) : Verbs.NAMES;
            }
        }
        return Verbs.NAMES;
    }

    static CommandLine commandLine(Session session, List<String> verbs) {
        CommandLine command = new CommandLine(new Main(session));
        command.getCommandSpec().version(ToolVersion.text());
        for (String verb : verbs) {
            CommandLine sub = new CommandLine(Verbs.command(verb, session));
            sub.getCommandSpec().mixinStandardHelpOptions(true);
            command.addSubcommand(verb, sub);
        }
        command.setOut(new PrintWriter(session.out, true, session.terminal.charset()));
        command.setErr(new PrintWriter(session.err, true, session.terminal.charset()));
        command.setColorScheme(Help.defaultColorScheme(session.terminal.color() ? Help.Ansi.ON : Help.Ansi.OFF));
        command.setUsageHelpWidth(session.terminal.width());
        command.setParameterExceptionHandler((e, args) -> Mistakes.parameter(e, session));
        command.setExecutionExceptionHandler((e, at, parsed) -> {
            if (e instanceof ParameterException parameter) {
                return Mistakes.parameter(parameter, session);
            }
            return Mistakes.thrown(e, session);
        });
        return command;
    }

    @Override
    public void run() {
        throw new org.shardplan.units.UserError(
                "no verb given; there are " + String.join(", ", Verbs.NAMES), "Maybe shardplan --help");
    }
}
