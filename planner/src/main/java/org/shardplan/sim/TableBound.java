package org.shardplan.sim;

import java.util.Arrays;
import org.shardplan.cost.PricedProgram;
import org.shardplan.plan.Schedule;
import org.shardplan.plan.SlotCounts;

/**
 * A lower bound for any table of slots: of each rank the longest path to a slot near its beginning, its own slots one after another up to
 * one near its end, and the longest path from there on. Both paths are those of the sweep, as far as the slots near the ends say; nothing
 * is assumed of the table. Nanoseconds, without the optimizer's tail; allocates nothing once its arrays are large enough.
 */
final class TableBound {
    /** Slots looked at from either end, for each virtual stage: both ends of a pipeline's filling and draining lie within. */
    private static final int SLOTS = 8;

    private PricedProgram program = Programs.EMPTY;
    private Schedule schedule = program.schedule();
    private int microBatches;

    // by cell = stage · micro-batches + micro-batch
    private long[] forwards = {};
    private long[] backwards = {};
    // by virtual stage
    private int[] gradientsLeft = {};
    // by rank
    private int[] next = {};
    private int[] limit = {};
    private long[] time = {};
    private long[] own = {};

    long nanos(PricedProgram next) {
        program = next;
        schedule = next.schedule();
        microBatches = schedule.microBatches();
        reserve();
        sums();
        long best = 0;
        begin(true);
        for (int rank = 0; rank < schedule.ranks(); rank++) {
            own[rank] += time[rank];
        }
        begin(false);
        for (int rank = 0; rank < schedule.ranks(); rank++) {
            best = Math.max(best, own[rank] + time[rank]);
        }
        return best;
    }

    private void reserve() {
        int ranks = schedule.ranks();
        if (time.length < ranks) {
            this.next = new int[ranks];
            limit = new int[ranks];
            time = new long[ranks];
            own = new long[ranks];
        }
        int cells = Math.multiplyExact(schedule.stages(), microBatches);
        if (forwards.length < cells) {
            forwards = new long[cells];
            backwards = new long[cells];
        }
        if (gradientsLeft.length < schedule.stages()) {
            gradientsLeft = new int[schedule.stages()];
        }
    }

    /** All slots of each rank one after another, sends that block among them. */
    private void sums() {
        SlotCounts counts = schedule.counts();
        Arrays.fill(own, 0, schedule.ranks(), 0);
        boolean split = program.split().exist();
        for (int q = 0; q < schedule.stages(); q++) {
            long nanos = counts.slots(q, Schedule.F) * (program.forward()[q] + blocking(q, false))
                    + counts.slots(q, Schedule.B) * (program.backward()[q] + blocking(q, true));
            if (split) {
                nanos += counts.slots(q, Schedule.INPUT) * (program.split().input()[q] + blocking(q, true))
                        + counts.slots(q, Schedule.W) * program.split().weight()[q];
            }
            nanos += counts.lastIsWeight(q)
                    ? program.split().lastWeight()[q] - program.split().weight()[q]
                    : program.lastBackward()[q] - program.backward()[q];
            own[schedule.rankOf(q)] += nanos;
        }
        for (int i = 0; i < counts.pairs().size(); i++) {
            SlotCounts.Pairs pairs = counts.pairs().get(i);
            own[pairs.rank()] +=
                    pairs.count() * program.split().beside(0, pairs.forwardStage(), 0, pairs.backwardStage());
        }
    }

    private long hop(int stage, boolean backward) {
        if (!schedule.sends(stage, backward)) {
            return 0;
        }
        return backward ? program.sendBackward()[stage] : program.sendForward()[stage];
    }

    private long blocking(int stage, boolean backward) {
        return program.sendsBlock() ? hop(stage, backward) : 0;
    }

    /** Walks slots from one end as far as they go, and takes what is walked out of the sums. */
    private void begin(boolean front) {
        int cells = schedule.stages() * microBatches;
        Arrays.fill(forwards, 0, cells, -1);
        Arrays.fill(backwards, 0, cells, -1);
        for (int q = 0; q < schedule.stages(); q++) {
            gradientsLeft[q] = schedule.batchesOf(q);
            if (front && schedule.isFirst(q)) {
                Arrays.fill(forwards, q * microBatches, (q + 1) * microBatches, 0);
            }
        }
        for (int rank = 0; rank < schedule.ranks(); rank++) {
            next[rank] = 0;
            limit[rank] = Math.min(schedule.slots(rank) / 2, SLOTS * schedule.stages());
            time[rank] = front ? program.head()[rank] : exit(rank);
        }
        boolean moved = true;
        while (moved) {
            moved = false;
            for (int rank = 0; rank < schedule.ranks(); rank++) {
                int from = next[rank];
                while (next[rank] < limit[rank] && (front ? ahead(rank) : behind(rank))) {}
                moved |= next[rank] > from;
            }
        }
    }

    private long exit(int rank) {
        boolean tied = rank == program.tiedFirst() || rank == program.tiedLast();
        return program.reduceTail()[rank] + (tied ? program.tiedReduce() : 0);
    }

    private int cell(long slot) {
        return Schedule.stage(slot) * microBatches + Schedule.microBatch(slot);
    }

    /** Nanoseconds of the slot; counts it. */
    private long nanos(long slot, boolean front) {
        int phase = Schedule.phase(slot);
        if (!Schedule.givesWeights(phase)) {
            return program.slotNanos(slot, false);
        }
        int left = gradientsLeft[Schedule.stage(slot)]--;
        return program.slotNanos(slot, front ? left == 1 : left == schedule.batchesOf(Schedule.stage(slot)));
    }

    /** The rank's next slot, or two beside each other, from the front; whether what it waits for is known. */
    private boolean ahead(int rank) {
        long slot = schedule.slotAt(rank, next[rank]);
        boolean beside = Schedule.isBeside(slot);
        long arrival = arrival(slot);
        long other = beside ? schedule.slotAt(rank, next[rank] + 1) : slot;
        long otherArrival = beside ? arrival(other) : arrival;
        if (arrival < 0 || otherArrival < 0 || (beside && next[rank] + 2 > limit[rank])) {
            return false;
        }
        long nanos = nanos(slot, true);
        if (beside) {
            long backward = nanos(other, true);
            nanos = program.split().beside(nanos, Schedule.stage(slot), backward, Schedule.stage(other));
        }
        long end = Math.max(time[rank], Math.max(arrival, otherArrival)) + nanos;
        long free = handOn(slot, end);
        own[rank] -= nanos + free - end;
        time[rank] = free;
        if (beside) {
            time[rank] = handOn(other, free);
            own[rank] -= time[rank] - free;
        }
        next[rank] += beside ? 2 : 1;
        return true;
    }

    private long arrival(long slot) {
        return switch (Schedule.phase(slot)) {
            case Schedule.F -> forwards[cell(slot)];
            case Schedule.W -> 0;
            default -> backwards[cell(slot)];
        };
    }

    /** Where a result arrives and when; when its sender is free again. */
    private long handOn(long slot, long end) {
        int phase = Schedule.phase(slot);
        if (phase == Schedule.W) {
            return end;
        }
        int stage = Schedule.stage(slot);
        boolean backward = phase != Schedule.F;
        long arrival = end + hop(stage, backward);
        if (!backward && schedule.isLast(stage)) {
            backwards[cell(slot)] = arrival;
        } else if (!backward) {
            forwards[cell(slot) + microBatches] = arrival;
        } else if (!schedule.isFirst(stage)) {
            backwards[cell(slot) - microBatches] = arrival;
        }
        return program.sendsBlock() ? arrival : end;
    }

    /** The rank's next slot from the back: from its start to the end of the step; whether all that waits for it is known. */
    private boolean behind(int rank) {
        int index = schedule.slots(rank) - 1 - next[rank];
        long slot = schedule.slotAt(rank, index);
        boolean beside = index > 0 && Schedule.isBeside(schedule.slotAt(rank, index - 1));
        long other = beside ? schedule.slotAt(rank, index - 1) : slot;
        if (!followed(slot) || !followed(other) || (beside && next[rank] + 2 > limit[rank])) {
            return false;
        }
        long nanos = nanos(slot, false);
        long buckets = buckets(slot, rank);
        if (beside) {
            nanos = program.split().beside(nanos(other, false), Schedule.stage(other), nanos, Schedule.stage(slot));
        }
        long way = time[rank];
        long blocked = program.sendsBlock() ? hopOf(slot) : 0;
        way = Math.max(way + blocked, hopOf(slot) + follower(slot, rank));
        if (beside) {
            long hop = hopOf(other);
            blocked += program.sendsBlock() ? hop : 0;
            way = program.sendsBlock()
                    ? hop + Math.max(way, follower(other, rank))
                    : Math.max(way, hop + follower(other, rank));
        }
        own[rank] -= nanos + blocked;
        time[rank] = Math.max(nanos + way, buckets);
        put(slot, time[rank]);
        if (beside) {
            put(other, time[rank]);
        }
        next[rank] += beside ? 2 : 1;
        return true;
    }

    private long hopOf(long slot) {
        return Schedule.phase(slot) == Schedule.W ? 0 : hop(Schedule.stage(slot), Schedule.phase(slot) != Schedule.F);
    }

    private void put(long slot, long way) {
        if (Schedule.phase(slot) == Schedule.F) {
            forwards[cell(slot)] = way;
        } else if (Schedule.phase(slot) != Schedule.W) {
            backwards[cell(slot)] = way;
        }
    }

    /** Whether the way on from what waits for the slot's result is known. */
    private boolean followed(long slot) {
        return follower(slot, schedule.rankOf(Schedule.stage(slot))) >= 0;
    }

    /** The way on from the start of the slot that waits for this one's result; where none does, from the end of its send. */
    private long follower(long slot, int rank) {
        int stage = Schedule.stage(slot);
        return switch (Schedule.phase(slot)) {
            case Schedule.F -> schedule.isLast(stage) ? backwards[cell(slot)] : forwards[cell(slot) + microBatches];
            case Schedule.W -> exit(rank);
            default -> schedule.isFirst(stage) ? exit(rank) : backwards[cell(slot) - microBatches];
        };
    }

    /** From the start of a slot that makes the stage's last weight gradients through its buckets to the end; 0 for others. */
    private long buckets(long slot, int rank) {
        int stage = Schedule.stage(slot);
        int phase = Schedule.phase(slot);
        if (!Schedule.givesWeights(phase) || gradientsLeft[stage] != schedule.batchesOf(stage) - 1) {
            return 0;
        }
        long[] ready = phase == Schedule.W ? program.split().weightReady()[stage] : program.bucketReady()[stage];
        long[] nanos = program.bucketNanos()[stage];
        long sum = 0;
        long way = 0;
        for (int bucket = nanos.length - 1; bucket >= 0; bucket--) {
            sum += nanos[bucket];
            way = Math.max(way, ready[bucket] + sum);
        }
        return nanos.length == 0 ? 0 : way + exit(rank);
    }
}
