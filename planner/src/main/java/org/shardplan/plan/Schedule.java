package org.shardplan.plan;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A schedule as data: for each rank the order of (virtual stage, micro-batch, phase). The map from virtual stages to ranks
 * is free (V shapes, two directions).
 *
 * <p>A slot is packed into a {@code long}: phase in the lowest 2 bits, micro-batch in the next 30, virtual stage above; the highest bit
 * says that a forward slot runs beside the backward slot after it.
 *
 * <p>Where the model has two copies, the second one's virtual stages come behind those of the first, and each micro-batch passes one copy.
 *
 * <p>A generated schedule ({@link Schedules#of}) knows its {@link #kind()} and builds its table when a slot is first asked
 * for: bounds need the kind alone.
 */
public final class Schedule {
    /** Forward. */
    public static final int F = 0;
    /** Backward in one: input gradients and weight gradients. */
    public static final int B = 1;
    /** Weight gradients alone, some time after {@link #INPUT} of the same micro-batch. */
    public static final int W = 2;
    /** Backward for input gradients alone: what a table calls B where it has a W of the same micro-batch. */
    public static final int INPUT = 3;

    private static final long BESIDE = Long.MIN_VALUE;

    /** One object, so that a table built by one thread is safely seen by others. */
    private record Table(long[][] slotsByRank) {}

    private final @Nullable ScheduleKind kind;
    private final int[] rankOfStage;
    private final int ranks;
    private final int copies;
    private final int microBatches;
    /** By copy. */
    private final int[] batchesOfCopy;

    private @Nullable Table table;
    private @Nullable SlotCounts counts;

    /** A free schedule: slots by rank, in order, and the rank of each virtual stage. */
    public Schedule(long[][] slotsByRank, int[] rankOfStage, int microBatches) {
        this(slotsByRank, rankOfStage, new int[] {microBatches});
    }

    /**
     * A free schedule of one copy of the model or more.
     *
     * @param batchesOfCopy micro-batches that pass each copy
     */
    public Schedule(long[][] slotsByRank, int[] rankOfStage, int[] batchesOfCopy) {
        this.kind = null;
        this.table = new Table(slotsByRank);
        this.ranks = slotsByRank.length;
        this.rankOfStage = rankOfStage.clone();
        this.copies = batchesOfCopy.length;
        this.batchesOfCopy = batchesOfCopy.clone();
        this.microBatches = Arrays.stream(batchesOfCopy).sum();
    }

    /** A generated one. */
    Schedule(ScheduleKind kind, int pp, int vpp, int microBatches) {
        this.kind = kind;
        this.ranks = pp;
        this.copies = kind.copies();
        this.rankOfStage = new int[pp * vpp * copies];
        for (int stage = 0; stage < rankOfStage.length; stage++) {
            rankOfStage[stage] = kind.rankOf(stage, pp);
        }
        this.microBatches = microBatches;
        this.batchesOfCopy = new int[copies];
        Arrays.fill(batchesOfCopy, microBatches / copies);
    }

    /** The table that a user gave, as the schedule of a plan. */
    Schedule(ScheduleKind kind, Schedule given) {
        this.kind = kind;
        this.ranks = given.ranks;
        this.copies = given.copies;
        this.rankOfStage = given.rankOfStage;
        this.microBatches = given.microBatches;
        this.batchesOfCopy = given.batchesOfCopy;
        this.table = given.table;
    }

    public static long slot(int stage, int microBatch, int phase) {
        return ((long) stage << 32) | ((long) microBatch << 2) | phase;
    }

    /** The forward slot, to run beside the backward slot that follows it in the rank's order. */
    public static long beside(long forwardSlot) {
        return forwardSlot | BESIDE;
    }

    /** Whether the slot runs beside the one that follows it. */
    public static boolean isBeside(long slot) {
        return slot < 0;
    }

    public static int stage(long slot) {
        return (int) (slot >>> 32) & Integer.MAX_VALUE;
    }

    public static int microBatch(long slot) {
        return (int) (slot >>> 2) & 0x3fffffff;
    }

    public static int phase(long slot) {
        return (int) (slot & 3);
    }

    /** Whether a phase gives input gradients. */
    public static boolean isBackward(int phase) {
        return (phase & 1) == 1;
    }

    /** Whether a phase gives weight gradients. */
    public static boolean givesWeights(int phase) {
        return phase == B || phase == W;
    }

    /** Generator that it came from, or the user's table; null for a free schedule. */
    public @Nullable ScheduleKind kind() {
        return kind;
    }

    /** Whether bounds know it by formulas: GPipe, 1F1B, interleaved. */
    public boolean isClassic() {
        return kind != null && kind.isClassic();
    }

    /** Whether some weight gradients have slots of their own. */
    public boolean splits() {
        if (kind != null) {
            return kind.splits();
        }
        return Arrays.stream(table().slotsByRank).flatMapToLong(Arrays::stream).anyMatch(slot -> phase(slot) == W);
    }

    public int ranks() {
        return ranks;
    }

    /** Virtual stages of all copies. */
    public int stages() {
        return rankOfStage.length;
    }

    public int copies() {
        return copies;
    }

    /** Virtual stages of one copy of the model. */
    public int stagesOfCopy() {
        return rankOfStage.length / copies;
    }

    /** Whether micro-batches enter at this stage. */
    public boolean isFirst(int stage) {
        return stage % stagesOfCopy() == 0;
    }

    /** Whether micro-batches turn round at this stage. */
    public boolean isLast(int stage) {
        return stage % stagesOfCopy() == stagesOfCopy() - 1;
    }

    public int microBatches() {
        return microBatches;
    }

    /** Micro-batches that pass a stage. */
    public int batchesOf(int stage) {
        return batchesOfCopy[stage / stagesOfCopy()];
    }

    public int rankOf(int stage) {
        return rankOfStage[stage];
    }

    /** Whether a stage's result, or its gradient, goes to another rank. */
    public boolean sends(int stage, boolean backward) {
        boolean none = backward ? isFirst(stage) : isLast(stage);
        return !none && rankOfStage[backward ? stage - 1 : stage + 1] != rankOfStage[stage];
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

    /** What its table comes to; made when first asked for. */
    public SlotCounts counts() {
        SlotCounts made = counts;
        if (made == null) {
            made = new SlotCounts(this);
            counts = made;
        }
        return made;
    }

    private Table table() {
        Table built = table;
        if (built == null) {
            if (kind == null) {
                throw new IllegalStateException("a free schedule has its table");
            }
            built = new Table(Schedules.table(kind, ranks, stagesOfCopy() / ranks, microBatches));
            table = built;
        }
        return built;
    }

    @Override
    public boolean equals(Object other) {
        if (!(other instanceof Schedule schedule)
                || !Arrays.equals(schedule.batchesOfCopy, batchesOfCopy)
                || !Arrays.equals(schedule.rankOfStage, rankOfStage)
                || schedule.ranks != ranks) {
            return false;
        }
        return (kind != null && schedule.kind != null && kind.equals(schedule.kind))
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
