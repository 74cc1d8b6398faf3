package org.shardplan.plan;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A schedule as data: for each rank the order of (virtual stage, micro-batch, phase). The map from virtual stages to ranks
 * is free (V shapes, two directions).
 *
 * <p>A slot is packed into a {@code long}: phase in the lowest 2 bits, micro-batch in the next 30, virtual stage above.
 *
 * <p>A generated schedule ({@link Schedules#of}) knows its {@link #kind()} and builds its table when a slot is first asked
 * for: bounds need the kind alone.
 */
public final class Schedule {
    /** Forward. */
    public static final int F = 0;
    /** Backward: input gradients, and weight gradients too where no slot of phase {@link #W} exists for it. */
    public static final int B = 1;
    /** Weight gradients alone. */
    public static final int W = 2;

    /** One object, so that a table built by one thread is safely seen by others. */
    private record Table(long[][] slotsByRank) {}

    private final @Nullable ScheduleKind kind;
    private final int[] rankOfStage;
    private final int ranks;
    private final int microBatches;
    private @Nullable Table table;

    /** A free schedule: slots by rank, in order, and the rank of each virtual stage. */
    public Schedule(long[][] slotsByRank, int[] rankOfStage, int microBatches) {
        this.kind = null;
        this.table = new Table(slotsByRank);
        this.ranks = slotsByRank.length;
        this.rankOfStage = rankOfStage.clone();
        this.microBatches = microBatches;
    }

    /** A generated one: virtual stage q runs on rank q mod {@code pp}. */
    Schedule(ScheduleKind kind, int pp, int vpp, int microBatches) {
        this.kind = kind;
        this.ranks = pp;
        this.rankOfStage = new int[pp * vpp];
        for (int stage = 0; stage < rankOfStage.length; stage++) {
            rankOfStage[stage] = stage % pp;
        }
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

    /** Generator that it came from; null for a free schedule. */
    public @Nullable ScheduleKind kind() {
        return kind;
    }

    public int ranks() {
        return ranks;
    }

    /** Virtual stages. */
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
        return slotsOf(rank).length;
    }

    public long slotAt(int rank, int index) {
        return slotsOf(rank)[index];
    }

    /** The slots of a rank in order: the table itself, for fast loops; not to be written. */
    public long[] slotsOf(int rank) {
        return table().slotsByRank[rank];
    }

    private Table table() {
        Table built = table;
        if (built == null) {
            if (kind == null) {
                throw new IllegalStateException("a free schedule has its table");
            }
            built = new Table(Schedules.table(kind, ranks, rankOfStage.length / ranks, microBatches));
            table = built;
        }
        return built;
    }

    @Override
    public boolean equals(Object other) {
        if (!(other instanceof Schedule schedule)
                || schedule.microBatches != microBatches
                || !Arrays.equals(schedule.rankOfStage, rankOfStage)
                || schedule.ranks != ranks) {
            return false;
        }
        return (kind != null && kind == schedule.kind)
                || Arrays.deepEquals(schedule.table().slotsByRank, table().slotsByRank);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(rankOfStage) * 31 + microBatches;
    }

    @Override
    public String toString() {
        return (kind == null ? "free" : kind.text()) + " pp=" + ranks + " stages=" + stages() + " m=" + microBatches;
    }
}
