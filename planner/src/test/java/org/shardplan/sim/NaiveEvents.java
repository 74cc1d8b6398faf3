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
            if (Schedule.phase(slot) == Schedule.F) {
                forward(rank, slot, compute);
            } else if (Schedule.phase(slot) == Schedule.B) {
                backward(rank, index, slot, compute);
            } else {
                compute.add(new Task(program.weight()[Schedule.stage(slot)], List.of(), List.of(), List.of()));
            }
        }
    }

    private void forward(int rank, long slot, Queue<Task> compute) {
        int stage = Schedule.stage(slot);
        int batch = Schedule.microBatch(slot);
        boolean last = stage == schedule.stages() - 1;
        List<String> needs = stage == 0 ? List.of() : List.of("F into " + stage + " of " + batch);
        String here = "F done " + stage + " of " + batch;
        String there = "F into " + (stage + 1) + " of " + batch;
        boolean local = last || schedule.rankOf(stage + 1) == rank;
        compute.add(new Task(program.forward()[stage], needs, local ? List.of(here, there) : List.of(here), List.of()));
        if (!local) {
            send(rank, "up", program.sendForward()[stage], here, there, compute);
        }
    }

    private void backward(int rank, int index, long slot, Queue<Task> compute) {
        int stage = Schedule.stage(slot);
        int batch = Schedule.microBatch(slot);
        boolean top = stage == schedule.stages() - 1;
        boolean last = true;
        for (int later = index + 1; later < schedule.slots(rank); later++) {
            long other = schedule.slotAt(rank, later);
            last &= !(Schedule.phase(other) == Schedule.B && Schedule.stage(other) == stage);
        }
        List<Bucket> buckets = new ArrayList<>();
        for (int bucket = 0; last && bucket < program.bucketNanos()[stage].length; bucket++) {
            buckets.add(new Bucket(program.bucketReady()[stage][bucket], program.bucketNanos()[stage][bucket]));
        }
        List<String> needs = List.of(top ? "F done " + stage + " of " + batch : "B into " + stage + " of " + batch);
        String here = "B done " + stage + " of " + batch;
        String there = "B into " + (stage - 1) + " of " + batch;
        boolean local = stage == 0 || schedule.rankOf(stage - 1) == rank;
        long nanos = last ? program.lastBackward()[stage] : program.backward()[stage];
        compute.add(new Task(nanos, needs, local ? List.of(here, there) : List.of(here), buckets));
        if (!local) {
            send(rank, "down", program.sendBackward()[stage], here, there, compute);
        }
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
