package org.shardplan.plan;

import java.util.Arrays;

/**
 * A schedule as data: for each rank the order of (virtual stage, micro-batch, phase). The map from virtual stages to ranks
 * is free (V shapes, two directions).
 *
 * <p>A slot is packed into a {@code long}: phase in the lowest 2 bits, micro-batch in the next 30, virtual stage above.
 */
public final class Schedule {
    /** Forward. */
    public static final int F = 0;
    /** Backward: input gradients, and weight gradients too where no slot of phase {@link #W} exists for it. */
    public static final int B = 1;
    /** Weight gradients alone. */
    public static final int W = 2;

    private final long[][] slotsByRank;
    private final int[] rankOfStage;
    private final int microBatches;

    public Schedule(long[][] slotsByRank, int[] rankOfStage, int microBatches) {
        this.slotsByRank = slotsByRank;
        this.rankOfStage = rankOfStage.clone();
        this.microBatches = microBatches;
    }

    public static long slot(int stage, int microBatch, int phase) {
        return ((long) stage << 32) | ((long) microBatch << 2) | phase;
    }

    public static int stage(long slot) {
        return (int) (slot >>> 32);
    }

    public static int microBatch(long slot) {
        return (int) (slot >>> 2) & 0x3fffffff;
    }

    public static int phase(long slot) {
        return (int) (slot & 3);
    }

    public int ranks() {
        return slotsByRank.length;
    }

    public int stages() {
        return rankOfStage.length;
    }

    public int microBatches() {
        return microBatches;
    }

    public int rankOf(int stage) {
        return rankOfStage[stage];
    }

    public int slots(int rank) {
        return slotsByRank[rank].length;
    }

    public long slotAt(int rank, int index) {
        return slotsByRank[rank][index];
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Schedule schedule
                && Arrays.deepEquals(schedule.slotsByRank, slotsByRank)
                && Arrays.equals(schedule.rankOfStage, rankOfStage);
    }

    @Override
    public int hashCode() {
        return Arrays.deepHashCode(slotsByRank);
    }
}
