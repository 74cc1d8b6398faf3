package org.shardplan.sim;

import java.util.Arrays;
import org.shardplan.cost.PricedProgram;
import org.shardplan.plan.Schedule;

/**
 * The longest path of a priced program, each rank's order fixed by its schedule: exact under the semantics of
 * {@link PricedProgram}. All times are nanoseconds.
 *
 * <p>Ranks advance in turn, each until it waits for something that isn't there yet; every task is looked at once, O(tasks). The object
 * owns its arrays, grows them on demand and allocates nothing once they are large enough. One object a thread.
 *
 * <p>Expects {@code bucketReady[q]} to rise and to end by {@code lastBackward[q]}, or {@code lastWeight[q]}, so that buckets join the data stream in the order of
 * the slots that make the last weight gradients. Between stages of one rank nothing is sent: the result is there when its slot ends.
 */
public final class Sweep {
    private static final long LOCAL = -1;

    // of the program that runs
    private PricedProgram program;
    private Schedule schedule;
    private int microBatches;

    // by cell = stage · micro-batches + micro-batch: when its input has arrived, -1 = not yet
    private long[] forwardArrival = {};
    private long[] backwardArrival = {};
    // by slot, rank after rank
    private long[] slotEnd = {};
    // by virtual stage
    private long[] forwardHop = {};
    private long[] backwardHop = {};
    /** Slots that still make weight gradients. */
    private int[] gradientsLeft = {};

    private long[] lastGradientStart = {};
    /** Whether the last of them is one of phase W. */
    private boolean[] lastIsWeight = {};
    // by rank
    private int[] firstSlot = {};
    private int[] nextSlot = {};
    private long[] computeFree = {};
    private long[] sendForwardFree = {};
    private long[] sendBackwardFree = {};
    private long[] dataFree = {};
    private long[] rankEnd = {};

    private long besideEnd;
    private long meeting;
    private long makespan;

    /** Empty, ready to run. */
    public Sweep() {
        program = Programs.EMPTY;
        schedule = program.schedule();
    }

    /**
     * Makespan of one step.
     *
     * @throws IllegalArgumentException where the schedule waits for itself
     */
    public long run(PricedProgram program) {
        prepare(program);
        int ranks = schedule.ranks();
        boolean moved = true;
        while (moved) {
            moved = false;
            for (int rank = 0; rank < ranks; rank++) {
                moved |= advance(rank);
            }
            for (int rank = ranks - 2; rank > 0; rank--) {
                moved |= advance(rank);
            }
        }
        for (int rank = 0; rank < ranks; rank++) {
            if (nextSlot[rank] < schedule.slots(rank)) {
                throw new IllegalArgumentException(
                        "schedule " + schedule + " waits for itself: rank " + rank + ", slot " + nextSlot[rank]);
            }
        }
        return finish();
    }

    /**
     * Runs the program and makes objects of what was found.
     *
     * @param multiplicity devices that each rank stands for
     */
    public Timeline timeline(PricedProgram program, int multiplicity) {
        run(program);
        return Timelines.of(program, this, multiplicity);
    }

    /** Tasks that a run looks at: slots, and sends between ranks. */
    public long tasks() {
        long tasks = 0;
        for (int rank = 0; rank < schedule.ranks(); rank++) {
            tasks += schedule.slots(rank);
        }
        for (int stage = 0; stage < schedule.stages(); stage++) {
            tasks += forwardHop[stage] == LOCAL ? 0 : microBatches;
            tasks += backwardHop[stage] == LOCAL ? 0 : microBatches;
        }
        return tasks;
    }

    private void prepare(PricedProgram next) {
        program = next;
        schedule = next.schedule();
        microBatches = schedule.microBatches();
        int stages = schedule.stages();
        int ranks = schedule.ranks();
        int slots = 0;
        if (firstSlot.length < ranks) {
            growRanks(ranks);
        }
        for (int rank = 0; rank < ranks; rank++) {
            firstSlot[rank] = slots;
            slots = Math.addExact(slots, schedule.slots(rank));
            nextSlot[rank] = 0;
            computeFree[rank] = next.head()[rank];
            sendForwardFree[rank] = 0;
            sendBackwardFree[rank] = 0;
            dataFree[rank] = 0;
        }
        if (forwardHop.length < stages) {
            growStages(stages);
        }
        for (int stage = 0; stage < stages; stage++) {
            forwardHop[stage] = schedule.sends(stage, false) ? next.sendForward()[stage] : LOCAL;
            backwardHop[stage] = schedule.sends(stage, true) ? next.sendBackward()[stage] : LOCAL;
            gradientsLeft[stage] = schedule.batchesOf(stage);
        }
        int cells = Math.multiplyExact(stages, microBatches);
        if (forwardArrival.length < cells) {
            forwardArrival = new long[cells];
            backwardArrival = new long[cells];
        }
        Arrays.fill(forwardArrival, 0, cells, -1);
        for (int first = 0; first < stages; first += schedule.stagesOfCopy()) {
            Arrays.fill(forwardArrival, first * microBatches, (first + 1) * microBatches, 0);
        }
        Arrays.fill(backwardArrival, 0, cells, -1);
        if (slotEnd.length < slots) {
            slotEnd = new long[slots];
        }
    }

    private void growRanks(int ranks) {
        firstSlot = new int[ranks];
        nextSlot = new int[ranks];
        computeFree = new long[ranks];
        sendForwardFree = new long[ranks];
        sendBackwardFree = new long[ranks];
        dataFree = new long[ranks];
        rankEnd = new long[ranks];
    }

    private void growStages(int stages) {
        forwardHop = new long[stages];
        backwardHop = new long[stages];
        gradientsLeft = new int[stages];
        lastGradientStart = new long[stages];
        lastIsWeight = new boolean[stages];
    }

    /** Runs the rank's slots until one has to wait for a task not seen yet; whether there were any. */
    private boolean advance(int rank) {
        long[] slots = schedule.slotsOf(rank);
        int begin = nextSlot[rank];
        int index = begin;
        int base = firstSlot[rank];
        long free = computeFree[rank];
        while (index < slots.length) {
            long slot = slots[index];
            int stage = Schedule.stage(slot);
            int cell = stage * microBatches + Schedule.microBatch(slot);
            int phase = Schedule.phase(slot);
            long end;
            if (phase == Schedule.F) {
                long arrival = forwardArrival[cell];
                if (arrival < 0) {
                    break;
                }
                if (Schedule.isBeside(slot)) {
                    long other = arrivalOf(slots[index + 1]);
                    if (other < 0) {
                        break;
                    }
                    free = runBeside(rank, slot, slots[index + 1], Math.max(free, Math.max(arrival, other)));
                    slotEnd[base + index] = besideEnd;
                    slotEnd[base + index + 1] = besideEnd;
                    index += 2;
                    continue;
                }
                end = Math.max(free, arrival) + program.forward()[stage];
                free = sendForward(rank, stage, cell, end);
            } else if (phase == Schedule.W) {
                end = free + weightNanos(rank, stage, free);
                free = end;
            } else {
                long arrival = backwardArrival[cell];
                if (arrival < 0) {
                    break;
                }
                long start = Math.max(free, arrival);
                end = start + backwardNanos(rank, stage, phase, start);
                free = sendBackward(rank, stage, cell, end);
            }
            slotEnd[base + index] = end;
            index++;
        }
        computeFree[rank] = free;
        nextSlot[rank] = index;
        return index > begin;
    }

    /** When what a backward slot waits for has arrived, -1 = not yet. */
    private long arrivalOf(long backwardSlot) {
        return backwardArrival[Schedule.stage(backwardSlot) * microBatches + Schedule.microBatch(backwardSlot)];
    }

    /** Runs a forward slot and the backward slot beside it; when compute is free again. */
    private long runBeside(int rank, long forward, long backward, long start) {
        int up = Schedule.stage(forward);
        int down = Schedule.stage(backward);
        long backwardNanos = backwardNanos(rank, down, Schedule.phase(backward), start);
        besideEnd = start + program.split().beside(program.forward()[up], up, backwardNanos, down);
        long free = sendForward(rank, up, up * microBatches + Schedule.microBatch(forward), besideEnd);
        return sendBackward(rank, down, down * microBatches + Schedule.microBatch(backward), free);
    }

    private long backwardNanos(int rank, int stage, int phase, long start) {
        if (phase == Schedule.INPUT) {
            return program.split().input()[stage];
        }
        if (--gradientsLeft[stage] > 0) {
            return program.backward()[stage];
        }
        lastGradientStart[stage] = start;
        lastIsWeight[stage] = false;
        reduce(rank, stage, start, program.bucketReady()[stage]);
        return program.lastBackward()[stage];
    }

    private long weightNanos(int rank, int stage, long start) {
        if (--gradientsLeft[stage] > 0) {
            return program.split().weight()[stage];
        }
        lastGradientStart[stage] = start;
        lastIsWeight[stage] = true;
        reduce(rank, stage, start, program.split().weightReady()[stage]);
        return program.split().lastWeight()[stage];
    }

    /** Hands a forward result on; when the sender's compute stream is free again. */
    private long sendForward(int rank, int stage, int cell, long end) {
        if (schedule.isLast(stage)) {
            backwardArrival[cell] = end;
            return end;
        }
        int next = cell + microBatches;
        long hop = forwardHop[stage];
        if (hop == LOCAL) {
            forwardArrival[next] = end;
            return end;
        }
        if (program.sendsBlock()) {
            forwardArrival[next] = end + hop;
            sendForwardFree[rank] = end + hop;
            return end + hop;
        }
        long arrival = Math.max(sendForwardFree[rank], end) + hop;
        forwardArrival[next] = arrival;
        sendForwardFree[rank] = arrival;
        return end;
    }

    /** Hands a gradient on; when the sender's compute stream is free again. */
    private long sendBackward(int rank, int stage, int cell, long end) {
        if (schedule.isFirst(stage)) {
            return end;
        }
        int next = cell - microBatches;
        long hop = backwardHop[stage];
        if (hop == LOCAL) {
            backwardArrival[next] = end;
            return end;
        }
        if (program.sendsBlock()) {
            backwardArrival[next] = end + hop;
            sendBackwardFree[rank] = end + hop;
            return end + hop;
        }
        long arrival = Math.max(sendBackwardFree[rank], end) + hop;
        backwardArrival[next] = arrival;
        sendBackwardFree[rank] = arrival;
        return end;
    }

    /** Puts the stage's gradient buckets on the rank's data stream. */
    private void reduce(int rank, int stage, long start, long[] ready) {
        long[] nanos = program.bucketNanos()[stage];
        long free = dataFree[rank];
        for (int bucket = 0; bucket < nanos.length; bucket++) {
            free = Math.max(free, start + ready[bucket]) + nanos[bucket];
        }
        dataFree[rank] = free;
    }

    private long finish() {
        int ranks = schedule.ranks();
        for (int rank = 0; rank < ranks; rank++) {
            rankEnd[rank] = slotsAndStreamsEnd(rank) + program.reduceTail()[rank];
        }
        if (program.tiedReduce() != 0) {
            int first = program.tiedFirst();
            int last = program.tiedLast();
            long end = Math.max(rankEnd[first], rankEnd[last]) + program.tiedReduce();
            rankEnd[first] = end;
            rankEnd[last] = end;
        }
        meeting = 0;
        long tail = 0;
        for (int rank = 0; rank < ranks; rank++) {
            meeting = Math.max(meeting, rankEnd[rank]);
            tail = Math.max(tail, program.optimizerTail()[rank]);
        }
        makespan = meeting + tail;
        return makespan;
    }

    private long slotsAndStreamsEnd(int rank) {
        return Math.max(
                Math.max(computeFree[rank], dataFree[rank]), Math.max(sendForwardFree[rank], sendBackwardFree[rank]));
    }

    // what the last run found; read by Timelines and Breakdown

    long makespan() {
        return makespan;
    }

    /** When all ranks have met. */
    long meeting() {
        return meeting;
    }

    long slotEnd(int rank, int index) {
        return slotEnd[firstSlot[rank] + index];
    }

    /** Start of the slot that made the stage's last weight gradients. */
    long lastGradientStart(int stage) {
        return lastGradientStart[stage];
    }

    /** When that slot's buckets are ready, from its start on. */
    long[] bucketReady(int stage) {
        return lastIsWeight[stage] ? program.split().weightReady()[stage] : program.bucketReady()[stage];
    }

    /** Length of the send that carries the stage's result (or gradient, where {@code backward}) to another rank; -1 where none does. */
    long hop(int stage, boolean backward) {
        return backward ? backwardHop[stage] : forwardHop[stage];
    }

    /** When what the stage sent for this micro-batch arrived. */
    long arrival(int stage, int microBatch, boolean backward) {
        int cell = stage * microBatches + microBatch;
        return backward ? backwardArrival[cell - microBatches] : forwardArrival[cell + microBatches];
    }

    /** End of the rank's compute stream, blocking sends included. */
    long computeEnd(int rank) {
        return computeFree[rank];
    }

    /** End of the rank's own sends. */
    long sendsEnd(int rank) {
        return Math.max(sendForwardFree[rank], sendBackwardFree[rank]);
    }

    /** End of the rank's data stream; 0 where nothing ran on it. */
    long dataEnd(int rank) {
        return dataFree[rank];
    }
}
