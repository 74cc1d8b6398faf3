package org.shardplan.sim;

import java.util.Arrays;
import java.util.List;
import org.shardplan.cost.PricedProgram;
import org.shardplan.cost.SplitSlots;
import org.shardplan.plan.Schedule;

/**
 * The third rung: a program's tasks as events, on streams of devices whose links they share. Semantics are those of
 * {@link PricedProgram}, for each {@link Lane}; a gradient bucket is reduced when all lanes have it. A task lasts at least as long as
 * it was priced, so that nothing is ever earlier than in a {@link Sweep}; where nothing is disturbed, nothing is later.
 *
 * <p>A cell is a lane's devices of one pipeline rank. It has a compute stream and two for sends; reductions have one a rank, since all
 * lanes take part. The object owns its arrays and allocates nothing once they are large enough. One object a thread.
 */
public final class Events {
    private static final int HEAD = 0;
    private static final int IDLE = 1;
    private static final int SLOT = 2;
    private static final int SENDING = 3;

    private final Flows flows = new Flows();
    private final LinkChoice choice = new LinkChoice();
    private EventRecord recorded = EventRecord.NONE;

    private List<Lane> lanes = List.of();
    private double jitter;
    private Jitter draws = Jitter.NONE;
    private Schedule schedule = Programs.EMPTY.schedule();
    private int ranks;
    private int stages;
    private int microBatches;
    private int cells;
    private long events;
    private long makespan;

    // by lane, stage and micro-batch: whether its input has arrived
    private boolean[] forwardIn = {};
    private boolean[] backwardIn = {};
    // by cell
    private int[] state = {};
    private int[] nextSlot = {};
    private int[] nextForwardSend = {};
    private int[] nextBackwardSend = {};
    private long[] cellEnd = {};
    /** Whether the slot that comes next has run, beside the one before it. */
    private boolean[] besideDone = {};

    private final SlotTimes times = new SlotTimes();
    // by rank
    private Reductions reductions = new Reductions();

    /** Makespan of one step. @throws IllegalArgumentException where the schedule waits for itself */
    public long run(Lanes program) {
        begin(program);
        while (!flows.isEmpty()) {
            step();
        }
        return finish();
    }

    /** The same, and when the tasks of one lane began and ended. */
    long run(Lanes program, int lane, EventRecord record) {
        recorded = record;
        record.begin(lane, program.lanes().get(lane).program());
        try {
            return run(program);
        } finally {
            recorded = EventRecord.NONE;
        }
    }

    /** Tasks that the last run has ended. */
    public long events() {
        return events;
    }

    void begin(Lanes program) {
        lanes = program.lanes();
        jitter = program.jitter();
        draws = new Jitter(program.seed(), program.width());
        schedule = lanes.getFirst().program().schedule();
        ranks = schedule.ranks();
        stages = schedule.stages();
        microBatches = schedule.microBatches();
        cells = ranks * lanes.size();
        events = 0;
        grow();
        choice.of(program);
        flows.reset(3 * cells + ranks, cells, choice.count(), ranks);
        reductions.reset(schedule);
        times.reset(lanes);
        for (int lane = 0; lane < lanes.size(); lane++) {
            int first = lane * stages * microBatches;
            Arrays.fill(backwardIn, first, first + stages * microBatches, false);
            for (int stage = 0; stage < stages; stage++) {
                int input = first + stage * microBatches;
                Arrays.fill(forwardIn, input, input + microBatches, schedule.isFirst(stage));
            }
            for (int rank = 0; rank < ranks; rank++) {
                int cell = lane * ranks + rank;
                for (int link = 0; link < choice.count(); link++) {
                    flows.capacity(cell, link, lanes.get(lane).capacity()[rank][choice.link(link)]);
                }
                state[cell] = HEAD;
                nextSlot[cell] = 0;
                nextForwardSend[cell] = 0;
                nextBackwardSend[cell] = 0;
                cellEnd[cell] = 0;
                besideDone[cell] = false;
                flows.start(3 * cell, lanes.get(lane).program().head()[rank]);
            }
        }
    }

    private void grow() {
        int inputs = Math.multiplyExact(Math.multiplyExact(lanes.size(), stages), microBatches);
        if (forwardIn.length < inputs) {
            forwardIn = new boolean[inputs];
            backwardIn = new boolean[inputs];
        }
        if (state.length < cells) {
            state = new int[cells];
            nextSlot = new int[cells];
            nextForwardSend = new int[cells];
            nextBackwardSend = new int[cells];
            cellEnd = new long[cells];
            besideDone = new boolean[cells];
        }
    }

    /** Ends one task and starts what waited for it. */
    void step() {
        int stream = flows.next();
        events++;
        if (stream >= 3 * cells) {
            bucketEnded(stream - 3 * cells);
            return;
        }
        int cell = stream / 3;
        cellEnd[cell] = flows.now();
        if (stream % 3 == 0) {
            computeEnded(cell);
        } else {
            boolean backward = stream % 3 == 2;
            int index = (backward ? nextBackwardSend[cell] : nextForwardSend[cell]) - 1;
            arrive(cell, index);
            send(cell, backward);
        }
    }

    private void computeEnded(int cell) {
        int was = state[cell];
        state[cell] = IDLE;
        if (was == SLOT) {
            int index = nextSlot[cell]++;
            recorded.slotEnd(cell, index, flows.now());
            long slot = schedule.slotAt(cell % ranks, index);
            besideDone[cell] = Schedule.isBeside(slot);
            if (!handOn(cell, slot, index)) {
                advance(cell);
            }
        } else {
            if (was == SENDING) {
                arrive(cell, nextSlot[cell] - 1);
            }
            advance(cell);
        }
    }

    /** Hands a slot's result on; whether the compute stream sends it now. */
    private boolean handOn(int cell, long slot, int index) {
        int phase = Schedule.phase(slot);
        if (phase == Schedule.W) {
            return false;
        }
        int stage = Schedule.stage(slot);
        boolean backward = Schedule.isBackward(phase);
        if (!schedule.sends(stage, backward)) {
            arrive(cell, index);
            return false;
        }
        if (lanes.getFirst().program().sendsBlock()) {
            state[cell] = SENDING;
            startSend(cell, 3 * cell, stage, backward, index);
            return true;
        }
        send(cell, backward);
        return false;
    }

    /** Starts the next send of the cell's queue, where the stream is free and a slot has ended. */
    private void send(int cell, boolean backward) {
        int stream = 3 * cell + (backward ? 2 : 1);
        if (!flows.idle(stream)) {
            return;
        }
        int[] next = backward ? nextBackwardSend : nextForwardSend;
        while (next[cell] < nextSlot[cell]) {
            int index = next[cell]++;
            long slot = schedule.slotAt(cell % ranks, index);
            int phase = Schedule.phase(slot);
            boolean same = backward ? Schedule.isBackward(phase) : phase == Schedule.F;
            if (same && schedule.sends(Schedule.stage(slot), backward)) {
                startSend(cell, stream, Schedule.stage(slot), backward, index);
                return;
            }
        }
    }

    private void startSend(int cell, int stream, int stage, boolean backward, int index) {
        Lane lane = lanes.get(cell / ranks);
        long nanos = (backward ? lane.program().sendBackward() : lane.program().sendForward())[stage];
        int peer = cell - cell % ranks + schedule.rankOf(backward ? stage - 1 : stage + 1);
        recorded.sendStart(cell, index, flows.now());
        choice.want(
                flows,
                stream,
                (backward ? lane.use().sendBackward() : lane.use().sendForward())[stage],
                nanos);
        flows.start(stream, nanos, cell, peer, 1);
    }

    /** What the slot at this place made is where it is needed. */
    private void arrive(int cell, int index) {
        long slot = schedule.slotAt(cell % ranks, index);
        int stage = Schedule.stage(slot);
        int lane = cell / ranks;
        int input = (lane * stages + stage) * microBatches + Schedule.microBatch(slot);
        boolean backward = Schedule.isBackward(Schedule.phase(slot));
        if (backward && !schedule.isFirst(stage)) {
            backwardIn[input - microBatches] = true;
        } else if (!backward && schedule.isLast(stage)) {
            backwardIn[input] = true;
        } else if (!backward) {
            forwardIn[input + microBatches] = true;
        }
        if (schedule.sends(stage, backward)) {
            recorded.sendEnd(cell, index, flows.now());
            advance(lane * ranks + schedule.rankOf(backward ? stage - 1 : stage + 1));
        }
    }

    /** Starts the cell's next slot, where its stream is free and its input there; with the one beside it, where there is one. */
    private void advance(int cell) {
        int rank = cell % ranks;
        if (state[cell] != IDLE || nextSlot[cell] == schedule.slots(rank)) {
            return;
        }
        long slot = schedule.slotAt(rank, nextSlot[cell]);
        if (besideDone[cell]) {
            besideDone[cell] = false;
            int index = nextSlot[cell]++;
            recorded.slotEnd(cell, index, flows.now());
            if (!handOn(cell, slot, index)) {
                advance(cell);
            }
            return;
        }
        boolean beside = Schedule.isBeside(slot);
        long other = beside ? schedule.slotAt(rank, nextSlot[cell] + 1) : slot;
        int lane = cell / ranks;
        if (!inputThere(lane, slot) || !inputThere(lane, other)) {
            return;
        }
        state[cell] = SLOT;
        long nanos = times.nanos(lane, slot);
        long[] use = times.use(lane, slot);
        if (beside) {
            SplitSlots split = lanes.get(lane).program().split();
            nanos = split.beside(nanos, Schedule.stage(slot), times.nanos(lane, other), Schedule.stage(other));
            use = times.both(use, times.use(lane, other), nanos);
            recorded.slotStart(cell, nextSlot[cell] + 1, flows.now());
        }
        startSlot(cell, slot, nanos, use);
        if (times.started(lane, other, flows.now())) {
            reductions.join(rank, Schedule.stage(other));
            reduce(rank);
        }
    }

    private boolean inputThere(int lane, long slot) {
        int input = (lane * stages + Schedule.stage(slot)) * microBatches + Schedule.microBatch(slot);
        int phase = Schedule.phase(slot);
        return phase == Schedule.W || (phase == Schedule.F ? forwardIn[input] : backwardIn[input]);
    }

    private void startSlot(int cell, long slot, long nanos, long[] use) {
        long longer = jitter == 0
                ? nanos
                : nanos
                        + (long) (nanos
                                * jitter
                                * draws.slowest(lanes.get(cell / ranks).number(), slot));
        recorded.slotStart(cell, nextSlot[cell], flows.now());
        choice.want(flows, 3 * cell, use, longer);
        flows.start(3 * cell, longer, cell, cell, 1);
    }

    private void bucketEnded(int rank) {
        if (reductions.waited(rank)) {
            startBucket(rank);
            return;
        }
        int bucket = reductions.bucket(rank);
        recorded.bucketEnd(reductions.stage(rank), bucket, flows.now());
        reductions.ended(rank, flows.now());
        reduce(rank);
    }

    /** Starts the rank's next bucket, or waits until all lanes have it. */
    private void reduce(int rank) {
        int stream = 3 * cells + rank;
        if (!flows.idle(stream) || !reductions.next(rank, lanes.getFirst().program())) {
            return;
        }
        int stage = reductions.stage(rank);
        int bucket = reductions.bucket(rank);
        long ready = times.ready(stage, bucket);
        if (ready > flows.now()) {
            reductions.waits(rank);
            flows.start(stream, ready - flows.now());
        } else {
            startBucket(rank);
        }
    }

    private void startBucket(int rank) {
        int stream = 3 * cells + rank;
        int stage = reductions.stage(rank);
        int bucket = reductions.bucket(rank);
        Lane lane = lanes.getFirst();
        long nanos = lane.program().bucketNanos()[stage][bucket];
        recorded.bucketStart(stage, bucket, flows.now());
        choice.want(flows, stream, lane.use().buckets()[stage][bucket], nanos);
        flows.start(stream, nanos, rank, rank, lanes.size());
    }

    private long finish() {
        long meeting = 0;
        long tail = 0;
        for (int lane = 0; lane < lanes.size(); lane++) {
            PricedProgram program = lanes.get(lane).program();
            for (int rank = 0; rank < ranks; rank++) {
                int cell = lane * ranks + rank;
                if (nextSlot[cell] < schedule.slots(rank)) {
                    throw new IllegalArgumentException(
                            "schedule " + schedule + " waits for itself: rank " + rank + ", slot " + nextSlot[cell]);
                }
                long end = end(lane, rank);
                boolean ties = program.tiedReduce() != 0 && (rank == program.tiedFirst() || rank == program.tiedLast());
                meeting = Math.max(meeting, end + (ties ? program.tiedReduce() : 0));
                tail = Math.max(tail, program.optimizerTail()[rank]);
            }
        }
        makespan = meeting + tail;
        recorded.end(meeting, makespan);
        return makespan;
    }

    /** End of a cell's own tasks. */
    long ownEnd(int lane, int rank) {
        return cellEnd[lane * ranks + rank];
    }

    /** End of a cell's own tasks and its rank's reductions. */
    private long end(int lane, int rank) {
        long own = Math.max(cellEnd[lane * ranks + rank], reductions.end(rank));
        return own + lanes.get(lane).program().reduceTail()[rank];
    }

    /** What a direction of a link carries now, over what it can: 0 to 1. For tests, between two steps. */
    double load(int cell, int link, int direction) {
        int rank = cell % ranks;
        return flows.load(cell, link, direction) / lanes.get(cell / ranks).capacity()[rank][choice.link(link)];
    }

    Flows flows() {
        return flows;
    }

    int linksShared() {
        return choice.count();
    }

    int cells() {
        return cells;
    }
}
