package org.shardplan.job;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Published rows with a fault that their own columns do not tell (resource {@code row-faults.tsv}): left out by id, never silently. */
final class RowFaults {
    private static final Map<String, String> REASONS = read();

    private RowFaults() {}

    /** What is wrong with a row; null = nothing known. */
    static @Nullable String of(String id) {
        return REASONS.get(id);
    }

    private static Map<String, String> read() {
        String file = "row-faults.tsv";
        try (InputStream in = RowFaults.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException("resource " + file + " is missing");
            }
            Map<String, String> reasons = new TreeMap<>();
            new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .map(line -> line.split("\t", 2))
                    .forEach(cells -> reasons.put(cells[0], cells[1]));
            return reasons;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
