package org.shardplan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Documents point only to what is there, and the README starts with the two commands. */
final class DocumentsTest {
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)#\\s]+)[^)]*\\)");

    /** Written beside this one; take it out when it is there. */
    private static final Set<String> TO_COME = Set.of("docs/accuracy.md");

    private static List<Path> documents() throws IOException {
        List<Path> all = new ArrayList<>();
        Path root = Checkout.root();
        for (Path folder : List.of(root.resolve("docs"), root.resolve("examples"))) {
            try (Stream<Path> files = Files.walk(folder)) {
                files.filter(file -> file.toString().endsWith(".md")).forEach(all::add);
            }
        }
        for (String name : List.of("README.md", "CONTRIBUTING.md", "CHANGELOG.md")) {
            all.add(root.resolve(name));
        }
        return all;
    }

    @Test
    void linksResolve() throws IOException {
        List<String> broken = new ArrayList<>();
        for (Path document : documents()) {
            Matcher link = LINK.matcher(Files.readString(document));
            while (link.find()) {
                String target = link.group(1);
                Path folder = document.getParent();
                if (!target.contains("://")
                        && !TO_COME.contains(target)
                        && folder != null
                        && !Files.exists(folder.resolve(target))) {
                    broken.add(Checkout.root().relativize(document) + ": " + target);
                }
            }
        }
        assertEquals(List.of(), broken);
    }

    @Test
    void theReadmeStartsWithTheTwoCommands() throws IOException {
        List<String> lines = Files.readAllLines(Checkout.root().resolve("README.md"));
        int plan = first(lines, "./shardplan plan ");
        int check = first(lines, "./check");
        assertTrue(plan > 0 && plan < 15 && check > plan && check < 20, plan + ", " + check);
        assertTrue(lines.get(plan).contains("examples/"));
    }

    /** What stands under the command was printed by it: scripts/readme-output.sh. */
    @Test
    void theReadmeShowsOutput() throws IOException {
        String text = Files.readString(Checkout.root().resolve("README.md"));
        int from = text.indexOf("<!-- output");
        int to = text.indexOf("<!-- end of output -->");
        assertTrue(from > 0 && to > from + 500, "Maybe run scripts/readme-output.sh");
        assertTrue(text.substring(from, to).contains("Best plan"));
    }

    private static int first(List<String> lines, String start) {
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).startsWith(start)) {
                return i;
            }
        }
        return -1;
    }
}
