package org.shardplan;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Texts that stand in {@code src/test/resources}; {@code -Dshardplan.update=true} writes them anew. */
public final class Golden {
    private Golden() {}

    /** @param name path below {@code src/test/resources/org/shardplan} */
    public static void check(String name, String actual) throws IOException {
        Path file = Checkout.root().resolve("planner/src/test/resources/org/shardplan/" + name);
        if (Boolean.getBoolean("shardplan.update")) {
            Files.createDirectories(file.getParent());
            Files.writeString(file, actual);
        }
        String wanted = Files.isRegularFile(file) ? Files.readString(file) : "";
        assertEquals(
                wanted, actual, () -> file + ". Maybe run with -Dshardplan.update=true and look at the difference");
    }
}
