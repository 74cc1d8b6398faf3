package org.shardplan.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** One command, run in this process as the shell would run it. */
public record Run(int status, String out, String err) {

    public static Run of(String... args) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Session session = new Session(
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                Terminal.NONE,
                new Interruption());
        int status = Main.run(args, session);
        return new Run(status, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    /** Words apart by blanks, none of which holds one. */
    public static Run line(String words) {
        return of(words.strip().split(" +"));
    }

    /** Two lines on stderr: what is wrong, and what may help; no stack trace, nothing on stdout, status 2. */
    public void assertMistake() {
        assertEquals(2, status, err);
        assertEquals("", out);
        List<String> lines = err.lines().toList();
        assertEquals(2, lines.size(), err);
        assertTrue(lines.get(0).startsWith("shardplan: "), err);
        assertTrue(lines.get(1).startsWith("Maybe "), err);
    }
}
