package org.shardplan.sim;

import org.shardplan.cost.StageMemory;
import org.shardplan.plan.Schedule;
import org.shardplan.plan.ScheduleKind;
import org.shardplan.plan.Schedules;
import org.shardplan.plan.SlotCounts;

/**
 * Peak activation bytes of a schedule without a walk of its table: equal to {@link MemoryWalk}. GPipe and 1F1B O(1), interleaved O(vpp);
 * of all others the few moments that {@link SlotCounts} has kept.
 *
 * <p>Between the borders of chunks in the order of forward and of backward slots, the bytes in flight are linear in the slot's index,
 * so that a peak lies at a border; away from both ends, groups of micro-batches repeat, so that a few groups stand for all.
 */
public final class PeakFormula {
    /** Groups looked at from either end; in flight are never more than one and a half. */
    private static final int GROUPS = 4;

    private final StageMemory memory;
    private final int pp;
    private final int vpp;
    private final int microBatches;
    private final int rank;
    private final int group;
    private final int fullGroups;
    private final int rest;
    private final int slots;
    private final int inFlight;
    /** Saved bytes of one micro-batch on the rank's first chunks. */
    private final long[] sums;

    private PeakFormula(StageMemory memory, ScheduleKind kind, int pp, int vpp, int microBatches, int rank) {
        this.memory = memory;
        this.pp = pp;
        this.vpp = vpp;
        this.microBatches = microBatches;
        this.rank = rank;
        this.group = Schedules.group(pp, vpp, microBatches);
        this.fullGroups = microBatches / group;
        this.rest = microBatches % group;
        this.slots = microBatches * vpp;
        this.inFlight = Schedules.inFlight(kind, pp, vpp, microBatches, group, rank);
        this.sums = new long[vpp + 1];
        for (int chunk = 0; chunk < vpp; chunk++) {
            sums[chunk + 1] = sums[chunk] + memory.savedBytes()[chunk * pp + rank];
        }
    }

    /**
     * Most bytes of saved activations and transients at one moment.
     *
     * @param memory by virtual stage; of arrays by rank only the optimizer's step is read
     */
    public static long activationBytes(
            StageMemory memory, ScheduleKind kind, int pp, int vpp, int microBatches, int rank) {
        long slots = vpp == 1
                ? Schedules.inFlight(kind, pp, 1, microBatches, rank) * memory.savedBytes()[rank]
                        + Math.max(memory.forwardPeakBytes()[rank], memory.backwardPeakBytes()[rank])
                : new PeakFormula(memory, kind, pp, vpp, microBatches, rank).peak();
        return Math.max(slots, memory.stepBytes()[rank]);
    }

    /** A lower bound on {@link #activationBytes} that takes O(vpp): when the last forward slot before the first backward slot runs. */
    public static long leastActivationBytes(
            StageMemory memory, ScheduleKind kind, int pp, int vpp, int microBatches, int rank) {
        if (vpp == 1) {
            return activationBytes(memory, kind, pp, vpp, microBatches, rank);
        }
        PeakFormula formula = new PeakFormula(memory, kind, pp, vpp, microBatches, rank);
        return formula.forward(formula.inFlight - 1);
    }

    /** Most allocated bytes of a rank. */
    public static long allocatedBytes(
            StageMemory memory, ScheduleKind kind, int pp, int vpp, int microBatches, int rank) {
        return MemoryWalk.staticBytes(memory, rank) + activationBytes(memory, kind, pp, vpp, microBatches, rank);
    }

    /** Most bytes of saved activations and transients at one moment, of any schedule. */
    public static long activationBytes(StageMemory memory, Schedule schedule, int rank) {
        ScheduleKind kind = schedule.kind();
        if (kind != null && kind.isClassic()) {
            int chunks = schedule.stages() / schedule.ranks();
            return activationBytes(memory, kind, schedule.ranks(), chunks, schedule.microBatches(), rank);
        }
        long most = memory.stepBytes()[rank];
        int[] stages = schedule.counts().stagesOf(rank);
        for (SlotCounts.Moment moment : schedule.counts().moments(rank)) {
            int forward = moment.forwardStage();
            int backward = moment.backwardStage();
            long bytes = (forward < 0 ? 0 : memory.forwardPeakBytes()[forward])
                    + (backward < 0 ? 0 : memory.backwardPeakBytes()[backward]);
            for (int chunk = 0; chunk < stages.length; chunk++) {
                bytes += moment.saved()[chunk] * memory.savedBytes()[stages[chunk]]
                        + moment.kept()[chunk] * memory.keptBytes()[stages[chunk]];
            }
            most = Math.max(most, bytes);
        }
        return most;
    }

    /** Most allocated bytes of a rank, of any schedule. */
    public static long allocatedBytes(StageMemory memory, Schedule schedule, int rank) {
        return MemoryWalk.staticBytes(memory, rank) + activationBytes(memory, schedule, rank);
    }

    private long peak() {
        long peak = Math.max(forward(inFlight - 1), Math.max(forward(inFlight), backward(slots - inFlight)));
        for (int index = 0; index <= fullGroups; index++) {
            if (index == GROUPS && fullGroups > 2 * GROUPS) {
                index = fullGroups - GROUPS;
            }
            int size = index == fullGroups ? rest : group;
            for (int chunk = 0; chunk < vpp; chunk++) {
                peak = Math.max(peak, around(index * group * vpp + chunk * size));
            }
        }
        return Math.max(peak, around(slots));
    }

    /** The peak at slots next to a border of chunks. */
    private long around(int border) {
        long forwards = Math.max(forward(border - 1), Math.max(forward(border), forward(border + inFlight - 1)));
        long backwards = Math.max(backward(border - 1), Math.max(backward(border), backward(border - inFlight)));
        return Math.max(forwards, backwards);
    }

    /** Bytes while the n-th forward slot runs; 0 where there is none. */
    private long forward(int n) {
        if (n < 0 || n >= slots) {
            return 0;
        }
        return saved(n + 1, Math.max(0, n - inFlight + 1)) + memory.forwardPeakBytes()[chunkOf(n) * pp + rank];
    }

    /** Bytes while the n-th backward slot runs; 0 where there is none. */
    private long backward(int n) {
        if (n < 0 || n >= slots) {
            return 0;
        }
        int stage = (vpp - 1 - chunkOf(n)) * pp + rank;
        return saved(Math.min(slots, n + inFlight), n) + memory.backwardPeakBytes()[stage];
    }

    /** Saved bytes after so many forward and backward slots. */
    private long saved(int forwards, int backwards) {
        return made(forwards, false) - made(backwards, true);
    }

    /** Bytes that the first {@code n} slots of a pass have made or freed: whole groups, chunks done in the group, micro-batches done in the chunk. */
    private long made(int n, boolean backward) {
        if (n >= slots) {
            return microBatches * sums[vpp];
        }
        int whole = Math.min(n / (group * vpp), fullGroups);
        int size = whole == fullGroups ? rest : group;
        int inGroup = n - whole * group * vpp;
        int chunk = inGroup / size;
        int inChunk = inGroup % size;
        long done = backward ? sums[vpp] - sums[vpp - chunk] : sums[chunk];
        int running = backward ? vpp - 1 - chunk : chunk;
        return (long) whole * group * sums[vpp] + size * done + inChunk * memory.savedBytes()[running * pp + rank];
    }

    private int chunkOf(int n) {
        int whole = Math.min(n / (group * vpp), fullGroups);
        int size = whole == fullGroups ? rest : group;
        return (n - whole * group * vpp) / size;
    }
}
