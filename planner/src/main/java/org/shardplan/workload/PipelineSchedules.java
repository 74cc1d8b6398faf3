package org.shardplan.workload;

import java.util.Set;

/**
 * Pipeline schedules that a framework runs; none where it has no pipeline.
 *
 * @param kinds words of {@link #KINDS}
 * @param wholeRounds interleaving wants a number of micro-batches that is a multiple of pp
 */
public record PipelineSchedules(Set<String> kinds, boolean wholeRounds) {
    /** As in a plan's text; {@code table}: any order that its user writes down. */
    public static final Set<String> KINDS =
            Set.of("gpipe", "1f1b", "interleaved", "zb-h1", "zb-h2", "zb-v", "dualpipe", "dualpipev", "table");

    private static final Set<String> CLASSIC = Set.of("gpipe", "1f1b", "interleaved");

    public PipelineSchedules {
        kinds = Set.copyOf(kinds);
    }

    /** GPipe and 1F1B, interleaved or not. */
    public static PipelineSchedules classic(boolean interleaved) {
        return new PipelineSchedules(interleaved ? CLASSIC : Set.of("gpipe", "1f1b"), false);
    }

    /** Whether some of them keep weight gradients apart or run passes beside each other. */
    public boolean splits() {
        return !CLASSIC.containsAll(kinds);
    }
}
