package org.shardplan.cli;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Stdout that remembers why it lost output: a print stream swallows that. A reader that has gone away is no loss. */
final class LostOutput extends FilterOutputStream {
    private @Nullable String why;

    LostOutput(OutputStream out) {
        super(out);
    }

    /** The exit status: that of the command, or a mistake's where its results were lost, after a message. */
    int status(int status, PrintStream err) {
        if (why == null) {
            return status;
        }
        err.println("shardplan: stdout: " + why);
        err.println("Maybe the disk is full: write elsewhere");
        return status == Mistakes.BUG ? status : Mistakes.USER;
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int count) throws IOException {
        try {
            out.write(bytes, from, count);
        } catch (IOException e) {
            String message = String.valueOf(e.getMessage());
            if (!message.toLowerCase(Locale.ROOT).contains("pipe")) {
                why = message;
            }
            throw e;
        }
    }
}
