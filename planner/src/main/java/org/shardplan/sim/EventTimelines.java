package org.shardplan.sim;

import java.util.ArrayList;
import java.util.List;
import org.shardplan.cost.PricedProgram;
import org.shardplan.plan.Schedule;
import org.shardplan.sim.Timeline.Event;
import org.shardplan.sim.Timeline.Kind;
import org.shardplan.sim.Timeline.MemoryPoint;
import org.shardplan.sim.Timeline.Stream;

/** Makes a timeline of what was recorded of one lane. */
final class EventTimelines {
    private final PricedProgram program;
    private final Schedule schedule;
    private final EventRecord record;
    private final List<Event> events = new ArrayList<>();
    private final List<MemoryPoint> memory = new ArrayList<>();

    private EventTimelines(PricedProgram program, EventRecord record) {
        this.program = program;
        this.record = record;
        schedule = program.schedule();
    }

    /** @param multiplicity devices that each rank stands for */
    static Timeline of(PricedProgram program, EventRecord record, int multiplicity) {
        EventTimelines made = new EventTimelines(program, record);
        for (int rank = 0; rank < made.schedule.ranks(); rank++) {
            made.add(Stream.COMPUTE, Kind.HOST, rank, -1, 0, program.head()[rank]);
            made.slots(rank);
            made.reductions(rank);
            long met = record.meeting();
            made.add(Stream.COMPUTE, Kind.OPTIMIZER, rank, -1, met, met + program.optimizerTail()[rank]);
        }
        return new Timeline(made.schedule.ranks(), multiplicity, made.events, made.memory, record.makespan());
    }

    private void slots(int rank) {
        MemoryWalk.Held held = new MemoryWalk.Held(program, rank);
        memory.add(new MemoryPoint(rank, 0, held.bytes()));
        long[] slots = schedule.slotsOf(rank);
        for (int index = 0; index < slots.length; index++) {
            long slot = slots[index];
            int stage = Schedule.stage(slot);
            int batch = Schedule.microBatch(slot);
            boolean backward = Schedule.isBackward(Schedule.phase(slot));
            Kind kind = backward ? Kind.BACKWARD : Schedule.phase(slot) == Schedule.F ? Kind.FORWARD : Kind.WEIGHT;
            long start = record.slotStart(rank, index);
            long end = record.slotEnd(rank, index);
            // two slots beside each other are drawn one after another, each for half of the time
            if (Schedule.isBeside(slot)) {
                end = start + (end - start) / 2;
            } else if (index > 0 && Schedule.isBeside(slots[index - 1])) {
                start += (record.slotEnd(rank, index - 1) - start) / 2;
            }
            events.add(new Event(rank, Stream.COMPUTE, kind, stage, batch, -1, start, end));
            memory.add(new MemoryPoint(rank, start, held.duringNext(slot)));
            memory.add(new MemoryPoint(rank, end, held.bytes()));
            if (record.sendEnd(rank, index) > 0) {
                int peer = schedule.rankOf(backward ? stage - 1 : stage + 1);
                Stream stream = backward ? Stream.SEND_BACKWARD : Stream.SEND_FORWARD;
                events.add(new Event(
                        rank,
                        stream,
                        Kind.SEND,
                        stage,
                        batch,
                        peer,
                        record.sendStart(rank, index),
                        record.sendEnd(rank, index)));
            }
        }
    }

    private void reductions(int rank) {
        List<Event> reductions = new ArrayList<>();
        for (int stage = 0; stage < schedule.stages(); stage++) {
            for (int bucket = 0; bucket < program.bucketNanos()[stage].length; bucket++) {
                if (schedule.rankOf(stage) == rank) {
                    long start = record.bucketStartOf(stage, bucket);
                    long end = record.bucketEndOf(stage, bucket);
                    reductions.add(new Event(rank, Stream.DATA, Kind.GRADIENT_REDUCE, stage, -1, -1, start, end));
                }
            }
        }
        reductions.sort(java.util.Comparator.comparingLong(Event::startNanos));
        events.addAll(reductions);
    }

    private void add(Stream stream, Kind kind, int rank, int stage, long start, long end) {
        if (end > start) {
            events.add(new Event(rank, stream, kind, stage, -1, -1, start, end));
        }
    }
}
