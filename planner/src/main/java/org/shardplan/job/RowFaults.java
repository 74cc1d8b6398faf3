package org.shardplan.job;

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
        Map<String, String> reasons = new TreeMap<>();
        for (String line : RowTables.lines("row-faults.tsv")) {
            String[] cells = line.split("\t", 2);
            reasons.put(cells[0], cells[1]);
        }
        return reasons;
    }
}
