package org.shardplan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Figures in documents: what stands between two marks; {@code -Dshardplan.update=true} writes them anew. */
public final class DocumentBlock {
    private DocumentBlock() {}

    /**
     * @param document path below the root
     * @param name of the block, which begins with {@code <!-- begin: name -->} and ends with {@code <!-- end: name -->}
     */
    public static void check(String document, String name, String actual) throws IOException {
        Path file = Checkout.root().resolve(document);
        String text = Files.readString(file);
        String begin = "<!-- begin: " + name + " -->\n";
        String end = "<!-- end: " + name + " -->";
        int from = text.indexOf(begin) + begin.length();
        int to = text.indexOf(end);
        assertTrue(from >= begin.length() && to >= from, document + " has no block " + name);
        if (Boolean.getBoolean("shardplan.update")) {
            Files.writeString(file, text.substring(0, from) + actual + text.substring(to));
            return;
        }
        assertEquals(
                text.substring(from, to),
                actual,
                () -> document + ", block " + name
                        + ". Maybe run with -Dshardplan.update=true and look at the difference");
    }
}
