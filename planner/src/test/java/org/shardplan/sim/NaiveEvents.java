package org.shardplan.sim;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import org.shardplan.cost.PricedProgram;
import org.shardplan.plan.Schedule;

/**
 * A second simulator, written from the text of {@link PricedProgram} alone: a clock, a queue of what ends when, and streams that take
 * the next task of their queue when it may start.
 */
final class NaiveEvents {
    private record Done(long time, Runnable then) {}

    private record Task(long nanos, List<String> waitsFor, List<String> gives, List<Bucket> buckets) {}

    /** Gradients that a task sets free some time after its start. */
    private record Bucket(long ready, long nanos) {}

    private static final class Stream {
        final Queue<Task> tasks = new ArrayDeque<>();
        boolean busy;
    }

    private final PricedProgram program;
    private final Schedule schedule;
    private final Set<String> facts = new HashSet<>();
    private final Map<String, Stream> streams = new HashMap<>();
    private final PriorityQueue<Done> queue = new PriorityQueue<>(Comparator.comparingLong(Done::time));
    private long now;

    private NaiveEvents(PricedProgram program) {
        this.program = program;
        this.schedule = program.schedule();
    }

    static long makespan(PricedProgram program) {
        return new NaiveEvents(program).run();
    }

    private long run() {
        long[] end = new long[schedule.ranks()];
        for (int rank = 0; rank < schedule.ranks(); rank++) {
            load(rank);
        }
        startWhatCan();
        while (!queue.isEmpty()) {
            Done done = queue.poll();
            now = done.time();
            done.then().run();
            startWhatCan();
        }
        for (int rank = 0; rank < schedule.ranks(); rank++) {
            for (String name : List.of("compute", "up", "down", "data")) {
                Stream stream = stream(rank, name);
                if (stream.busy || !stream.tasks.isEmpty()) {
                    throw new IllegalStateException("deadlock on rank " + rank);
                }
                end[rank] = Math.max(end[rank], lastEnd.getOrDefault(rank + name, 0L));
            }
            end[rank] += program.reduceTail()[rank];
        }
        if (program.tiedReduce() != 0) {
            long met = Math.max(end[program.tiedFirst()], end[program.tiedLast()]) + program.tiedReduce();
            end[program.tiedFirst()] = met;
            end[program.tiedLast()] = met;
        }
        long met = java.util.Arrays.stream(end).max().orElseThrow();
        return met + java.util.Arrays.stream(program.optimizerTail()).max().orElseThrow();
    }

    private final Map<String, Long> lastEnd = new HashMap<>();

    private Stream stream(int rank, String name) {
        return streams.computeIfAbsent(rank + " " + name, key -> new Stream());
    }

    private void load(int rank) {
        Queue<Task> compute = stream(rank, "compute").tasks;
        compute.add(new Task(program.head()[rank], List.of(), List.of(), List.of()));
        for (int index = 0; index < schedule.slots(rank); index++) {
            long slot = schedule.slotAt(rank, index);
            if (Schedule.isBeside(slot)) {
                List<Task> both = List.of(task(rank, index), task(rank, index + 1));
                List<String> needs = new ArrayList<>(both.get(0).waitsFor());
                needs.addAll(both.get(1).waitsFor());
                List<String> gives = new ArrayList<>(both.get(0).gives());
                gives.addAll(both.get(1).gives());
                long saved = Math.min(
                        program.split().hidden()[Schedule.stage(slot)],
                        program.split().hidden()[Schedule.stage(schedule.slotAt(rank, index + 1))]);
                long nanos = both.get(0).nanos() + both.get(1).nanos() - saved;
                compute.add(new Task(nanos, needs, gives, both.get(1).buckets()));
                send(rank, slot, compute);
                index++;
                send(rank, schedule.slotAt(rank, index), compute);
            } else {
                compute.add(task(rank, index));
                send(rank, slot, compute);
            }
        }
    }

    private Task task(int rank, int index) {
        long slot = schedule.slotAt(rank, index);
        int stage = Schedule.stage(slot);
        int batch = Schedule.microBatch(slot);
        int chain = schedule.stages() / schedule.copies();
        int phase = Schedule.phase(slot);
        boolean top = stage % chain == chain - 1;
        if (phase == Schedule.F) {
            List<String> needs = stage % chain == 0 ? List.of() : List.of("F into " + stage + " of " + batch);
            boolean local = top || schedule.rankOf(stage + 1) == rank;
            return new Task(program.forward()[stage], needs, gives(slot, local), List.of());
        }
        boolean last = isLast(rank, index);
        List<String> needs = List.of(top ? "F done " + stage + " of " + batch : "B into " + stage + " of " + batch);
        boolean local = stage % chain == 0 || schedule.rankOf(stage - 1) == rank;
        return switch (phase) {
            case Schedule.W ->
                new Task(
                        last
                                ? program.split().lastWeight()[stage]
                                : program.split().weight()[stage],
                        List.of(),
                        List.of(),
                        buckets(last, stage, program.split().weightReady()));
            case Schedule.B ->
                new Task(
                        last ? program.lastBackward()[stage] : program.backward()[stage],
                        needs,
                        gives(slot, local),
                        buckets(last, stage, program.bucketReady()));
            default -> new Task(program.split().input()[stage], needs, gives(slot, local), List.of());
        };
    }

    /** A result is there for this rank when its slot ends, for another one when it was sent. */
    private static List<String> gives(long slot, boolean local) {
        String of = Schedule.stage(slot) + " of " + Schedule.microBatch(slot);
        String done = (Schedule.phase(slot) == Schedule.F ? "F done " : "B done ") + of;
        return local ? List.of(done, there(slot)) : List.of(done);
    }

    private static String there(long slot) {
        boolean forward = Schedule.phase(slot) == Schedule.F;
        int next = Schedule.stage(slot) + (forward ? 1 : -1);
        return (forward ? "F into " : "B into ") + next + " of " + Schedule.microBatch(slot);
    }

    private List<Bucket> buckets(boolean last, int stage, long[][] ready) {
        List<Bucket> buckets = new ArrayList<>();
        for (int bucket = 0; last && bucket < program.bucketNanos()[stage].length; bucket++) {
            buckets.add(new Bucket(ready[stage][bucket], program.bucketNanos()[stage][bucket]));
        }
        return buckets;
    }

    /** Whether no later slot of the rank makes weight gradients of the same stage. */
    private boolean isLast(int rank, int index) {
        int stage = Schedule.stage(schedule.slotAt(rank, index));
        for (int later = index + 1; later < schedule.slots(rank); later++) {
            long other = schedule.slotAt(rank, later);
            boolean makes = Schedule.phase(other) == Schedule.B || Schedule.phase(other) == Schedule.W;
            if (makes && Schedule.stage(other) == stage) {
                return false;
            }
        }
        return true;
    }

    private void send(int rank, long slot, Queue<Task> compute) {
        int stage = Schedule.stage(slot);
        int chain = schedule.stages() / schedule.copies();
        boolean forward = Schedule.phase(slot) == Schedule.F;
        boolean none = forward ? stage % chain == chain - 1 : stage % chain == 0;
        if (Schedule.phase(slot) == Schedule.W || none || schedule.rankOf(stage + (forward ? 1 : -1)) == rank) {
            return;
        }
        String here = (forward ? "F done " : "B done ") + stage + " of " + Schedule.microBatch(slot);
        long nanos = forward ? program.sendForward()[stage] : program.sendBackward()[stage];
        send(rank, forward ? "up" : "down", nanos, here, there(slot), compute);
    }

    private void send(int rank, String way, long nanos, String here, String there, Queue<Task> compute) {
        Task task = new Task(nanos, List.of(here), List.of(there), List.of());
        (program.sendsBlock() ? compute : stream(rank, way).tasks).add(task);
    }

    private void startWhatCan() {
        boolean started = true;
        while (started) {
            started = false;
            for (Map.Entry<String, Stream> entry : List.copyOf(streams.entrySet())) {
                started |= start(entry.getKey(), entry.getValue());
            }
        }
    }

    private boolean start(String name, Stream stream) {
        Task task = stream.tasks.peek();
        if (stream.busy || task == null || !facts.containsAll(task.waitsFor())) {
            return false;
        }
        stream.tasks.remove();
        stream.busy = true;
        int rank = Integer.parseInt(name.substring(0, name.indexOf(' ')));
        for (Bucket bucket : task.buckets()) {
            Task reduce = new Task(bucket.nanos(), List.of(), List.of(), List.of());
            Stream data = stream(rank, "data");
            queue.add(new Done(now + bucket.ready(), () -> data.tasks.add(reduce)));
        }
        queue.add(new Done(now + task.nanos(), () -> {
            stream.busy = false;
            facts.addAll(task.gives());
            lastEnd.put(name.replace(" ", ""), now);
        }));
        return true;
    }
}
