package org.shardplan.cli;

import java.io.PrintStream;
import org.shardplan.report.Style;

/** What all commands of one run share: where to write and how. */
final class Session {
    final PrintStream out;
    final PrintStream err;
    final Terminal terminal;
    final Interruption interruption;
    boolean quiet;
    boolean verbose;

    Session(PrintStream out, PrintStream err, Terminal terminal, Interruption interruption) {
        this.out = out;
        this.err = err;
        this.terminal = terminal;
        this.interruption = interruption;
    }

    Style style() {
        return new Style(terminal.width(), terminal.color(), terminal.unicode());
    }

    /** A remark for people on stderr; nothing with --quiet. */
    void say(String text) {
        if (!quiet) {
            err.println(text);
        }
    }

    /** A detail on stderr, with --verbose alone. */
    void detail(String text) {
        if (verbose) {
            err.println(text);
        }
    }
}
