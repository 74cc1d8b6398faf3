package org.shardplan.cli;

import java.io.Console;
import java.io.File;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * Where the output goes.
 *
 * @param width columns
 * @param color whether stdout may be coloured: a terminal, and NO_COLOR is not set
 * @param unicode whether the charset of stdout has block elements
 * @param errorsShown whether stderr is a terminal, so that progress may be drawn
 * @param charset of stdout and stderr
 */
record Terminal(int width, boolean color, boolean unicode, boolean errorsShown, Charset charset) {
    private static final int DEFAULT_WIDTH = 100;
    private static final int LEAST_WIDTH = 60;
    private static final int MOST_WIDTH = 160;

    /** No terminal at all: ASCII, 100 columns. */
    static final Terminal NONE = new Terminal(DEFAULT_WIDTH, false, false, false, StandardCharsets.US_ASCII);

    static Terminal detect() {
        boolean out = isTerminal(1);
        String noColor = System.getenv("NO_COLOR");
        boolean plain = (noColor != null && !noColor.isEmpty()) || "dumb".equals(System.getenv("TERM"));
        Charset charset = charset(System.getProperty("stdout.encoding"));
        boolean unicode = charset.newEncoder().canEncode("█±…×─·");
        return new Terminal(width(out), out && !plain, unicode, isTerminal(2), charset);
    }

    private static Charset charset(@org.jspecify.annotations.Nullable String name) {
        return name != null && Charset.isSupported(name) ? Charset.forName(name) : StandardCharsets.UTF_8;
    }

    /** Linux says what a descriptor is; elsewhere both are taken to be what the console is. */
    private static boolean isTerminal(int descriptor) {
        Path link = Path.of("/proc/self/fd/" + descriptor);
        if (Files.isSymbolicLink(link)) {
            try {
                String target = Files.readSymbolicLink(link).toString();
                return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
            } catch (IOException e) {
                return false;
            }
        }
        Console console = System.console(); // null or not a terminal: both mean none
        return Objects.nonNull(console) && console.isTerminal();
    }

    private static int width(boolean terminal) {
        int asked = number(System.getenv("COLUMNS"));
        int width = asked > 0 ? asked : terminal ? sttyColumns() : 0;
        return width > 0 ? Math.clamp(width, LEAST_WIDTH, MOST_WIDTH) : DEFAULT_WIDTH;
    }

    private static int sttyColumns() {
        try {
            Process stty = new ProcessBuilder("stty", "size")
                    .redirectInput(new File("/dev/tty"))
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String answer = new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
            stty.waitFor(1, TimeUnit.SECONDS);
            return number(answer.substring(answer.indexOf(' ') + 1));
        } catch (IOException e) {
            return 0; // no stty here: the default width will do
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return 0;
        }
    }

    private static int number(@org.jspecify.annotations.Nullable String text) {
        return text != null && text.matches("[0-9]{1,5}") ? Integer.parseInt(text) : 0;
    }
}
