package org.shardplan.sim;

import java.util.ArrayList;
import java.util.List;
import org.shardplan.cost.PricedProgram;
import org.shardplan.plan.Schedule;
import org.shardplan.sim.Timeline.Event;
import org.shardplan.sim.Timeline.Kind;
import org.shardplan.sim.Timeline.MemoryPoint;
import org.shardplan.sim.Timeline.Stream;

/** Events and memory points of the program that a sweep has just run. */
final class Timelines {
    private final PricedProgram program;
    private final Schedule schedule;
    private final Sweep sweep;
    private final List<Event> events = new ArrayList<>();
    private final List<MemoryPoint> memory = new ArrayList<>();
    private final long[] tailEnd;
    /** Start of the two slots that run beside each other. */
    private long besideStart;
    /** End of the slot that was drawn last. */
    private long drawn;

    private Timelines(PricedProgram program, Sweep sweep) {
        this.program = program;
        this.schedule = program.schedule();
        this.sweep = sweep;
        this.tailEnd = new long[schedule.ranks()];
    }

    static Timeline of(PricedProgram program, Sweep sweep, int multiplicity) {
        Timelines made = new Timelines(program, sweep);
        for (int rank = 0; rank < made.schedule.ranks(); rank++) {
            made.add(Stream.COMPUTE, Kind.HOST, rank, -1, 0, program.head()[rank]);
            made.slots(rank);
            made.tail(rank);
        }
        made.meetings();
        return new Timeline(made.schedule.ranks(), multiplicity, made.events, made.memory, sweep.makespan());
    }

    private void slots(int rank) {
        long[] slots = schedule.slotsOf(rank);
        MemoryWalk.Held held = new MemoryWalk.Held(program, rank);
        int[] gradientsLeft = new int[schedule.stages()];
        for (long slot : slots) {
            gradientsLeft[Schedule.stage(slot)] += Schedule.givesWeights(Schedule.phase(slot)) ? 1 : 0;
        }
        memory.add(new MemoryPoint(rank, 0, held.bytes()));
        long dataFree = 0;
        for (int index = 0; index < slots.length; index++) {
            long slot = slots[index];
            int stage = Schedule.stage(slot);
            int batch = Schedule.microBatch(slot);
            int phase = Schedule.phase(slot);
            boolean backward = Schedule.isBackward(phase);
            boolean last = Schedule.givesWeights(phase) && --gradientsLeft[stage] == 0;
            long end = sweep.slotEnd(rank, index);
            long nanos = program.slotNanos(slot, last);
            if (Schedule.isBeside(slot)) {
                int other = Schedule.stage(slots[index + 1]);
                boolean otherLast = Schedule.phase(slots[index + 1]) == Schedule.B && gradientsLeft[other] == 1;
                long otherNanos = program.slotNanos(slots[index + 1], otherLast);
                besideStart = end - program.split().beside(nanos, stage, otherNanos, other);
            }
            boolean paired = Schedule.isBeside(slot) || (index > 0 && Schedule.isBeside(slots[index - 1]));
            long start = paired ? besideStart : end - nanos;
            Kind kind = backward ? Kind.BACKWARD : phase == Schedule.F ? Kind.FORWARD : Kind.WEIGHT;
            // a forward slot beside a backward one is drawn in front of it: each has its share of the time of both
            long drawnEnd = Schedule.isBeside(slot) ? start + share(nanos, slots[index + 1], end - start) : end;
            long drawnStart = paired && backward ? drawn : start;
            drawn = drawnEnd;
            events.add(new Event(rank, Stream.COMPUTE, kind, stage, batch, -1, drawnStart, drawnEnd));
            memory.add(new MemoryPoint(rank, drawnStart, held.duringNext(slot)));
            memory.add(new MemoryPoint(rank, drawnEnd, held.bytes()));
            if (kind != Kind.WEIGHT) {
                send(rank, stage, batch, backward);
            }
            if (last) {
                dataFree = buckets(rank, stage, dataFree);
            }
        }
    }

    /** The forward slot's part of the time of two slots beside each other. */
    private long share(long forwardNanos, long backwardSlot, long both) {
        long backwardNanos = program.slotNanos(backwardSlot, false);
        long sum = forwardNanos + backwardNanos;
        return sum == 0 ? 0 : Math.round((double) forwardNanos / sum * both);
    }

    private void send(int rank, int stage, int batch, boolean backward) {
        long nanos = sweep.hop(stage, backward);
        if (nanos < 0) {
            return;
        }
        int peer = schedule.rankOf(backward ? stage - 1 : stage + 1);
        long end = sweep.arrival(stage, batch, backward);
        Stream stream = backward ? Stream.SEND_BACKWARD : Stream.SEND_FORWARD;
        events.add(new Event(rank, stream, Kind.SEND, stage, batch, peer, end - nanos, end));
    }

    private long buckets(int rank, int stage, long dataFree) {
        long free = dataFree;
        long[] nanos = program.bucketNanos()[stage];
        for (int bucket = 0; bucket < nanos.length; bucket++) {
            long start = Math.max(free, sweep.lastGradientStart(stage) + sweep.bucketReady(stage)[bucket]);
            free = start + nanos[bucket];
            add(Stream.DATA, Kind.GRADIENT_REDUCE, rank, stage, start, free);
        }
        return free;
    }

    private void tail(int rank) {
        long start = Math.max(sweep.dataEnd(rank), Math.max(sweep.computeEnd(rank), sweep.sendsEnd(rank)));
        tailEnd[rank] = start + program.reduceTail()[rank];
        add(Stream.DATA, Kind.GRADIENT_REDUCE, rank, -1, start, tailEnd[rank]);
    }

    private void meetings() {
        if (program.tiedReduce() != 0) {
            long start = Math.max(tailEnd[program.tiedFirst()], tailEnd[program.tiedLast()]);
            long end = start + program.tiedReduce();
            add(Stream.DATA, Kind.GRADIENT_REDUCE, program.tiedFirst(), -1, start, end);
            if (program.tiedLast() != program.tiedFirst()) {
                add(Stream.DATA, Kind.GRADIENT_REDUCE, program.tiedLast(), -1, start, end);
            }
        }
        for (int rank = 0; rank < schedule.ranks(); rank++) {
            long end = sweep.meeting() + program.optimizerTail()[rank];
            add(Stream.COMPUTE, Kind.OPTIMIZER, rank, -1, sweep.meeting(), end);
            step(rank, end);
        }
    }

    /** Temporaries of the optimizer's step. */
    private void step(int rank, long end) {
        long bytes = program.memory().stepBytes()[rank];
        if (bytes > 0) {
            long held = MemoryWalk.staticBytes(program.memory(), rank);
            memory.add(new MemoryPoint(rank, sweep.meeting(), held + bytes));
            memory.add(new MemoryPoint(rank, end, held));
        }
    }

    private void add(Stream stream, Kind kind, int rank, int stage, long start, long end) {
        if (end > start) {
            events.add(new Event(rank, stream, kind, stage, -1, -1, start, end));
        }
    }
}
