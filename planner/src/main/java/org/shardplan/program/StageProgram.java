package org.shardplan.program;

import java.util.List;

/**
 * A virtual stage: runs of equal blocks in order.
 *
 * @param rank pipeline coordinate
 * @param runs blocks, each with its repeats
 */
public record StageProgram(int rank, List<Run> runs) {
    public StageProgram {
        runs = List.copyOf(runs);
    }

    /** What the backward pass computes again. */
    public enum Level {
        NONE,
        SELECTIVE,
        FULL
    }

    /** {@code repeats} times one block, all recomputed alike. */
    public record Run(BlockProgram program, int repeats, Level level) {}

    /** Bytes that it sends on, on one rank. */
    public long outputBytes() {
        return runs.isEmpty() ? 0 : runs.getLast().program().output();
    }
}
