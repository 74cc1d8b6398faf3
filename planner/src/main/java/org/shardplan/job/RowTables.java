package org.shardplan.job;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The small tables that say how rows are read: resources of this package, {@code #} starts a comment line. */
final class RowTables {
    private RowTables() {}

    /** The lines that are neither blank nor comments, in order. */
    static List<String> lines(String file) {
        try (InputStream in = RowTables.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException("resource " + file + " is missing");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
