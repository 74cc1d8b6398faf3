package org.shardplan.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.shardplan.Checkout;

/** FEATURE UNDER TEST: every command of the examples runs, and every example has one. */
final class A04_ExamplesTest {
    private static final Path EXAMPLES = Checkout.root().resolve("examples");
    private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"|(\\S+)");

    /** Lines that start with {@code ./shardplan}. */
    static List<String> commands() throws IOException {
        List<String> commands = new ArrayList<>();
        try (Stream<Path> files = Files.walk(EXAMPLES)) {
            for (Path file :
                    files.filter(path -> path.endsWith("README.md")).sorted().toList()) {
                Files.readAllLines(file).stream()
                        .filter(line -> line.startsWith("./shardplan "))
                        .forEach(commands::add);
            }
        }
        return commands;
    }

    private static String[] words(String command) {
        List<String> words = new ArrayList<>();
        Matcher word = WORD.matcher(command.substring("./shardplan ".length()));
        while (word.find()) {
            String text = word.group(1) == null ? word.group(2) : word.group(1);
            words.add(
                    text.startsWith("examples/")
                            ? EXAMPLES.resolve(text.substring(9)).toString()
                            : text);
        }
        return words.toArray(String[]::new);
    }

    @ParameterizedTest
    @MethodSource("commands")
    void theCommandRuns(String command) {
        Run run = Run.of(words(command));
        assertEquals(0, run.status(), run.out() + run.err());
        assertTrue(run.out().contains(command.contains(" sweep ") ? "cheapest on" : " a step ("), run.out());
    }

    @Test
    void everyFolderHasACommand() throws IOException {
        try (Stream<Path> folders = Files.list(EXAMPLES)) {
            for (Path folder : folders.filter(Files::isDirectory).toList()) {
                Path readme = folder.resolve("README.md");
                assertTrue(Files.isRegularFile(readme), folder + " has no README.md");
                assertTrue(Files.readString(readme).contains("\n./shardplan "), readme + " has no command");
            }
        }
        assertFalse(commands().isEmpty());
    }
}
