package org.shardplan.sim;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.shardplan.cost.PricedProgram;
import org.shardplan.plan.Schedule;

/**
 * A step of every single device, some of them slow, nothing on the links: written from the text alone. Devices of a tensor group wait for
 * each other in every slot, data ranks in their reductions. Mesh pp-dp-tp.
 */
final class NaiveDevices {
    private final PricedProgram program;
    private final Schedule schedule;
    private final int dp;
    private final int tp;
    /** By device: how much longer kernels take, 0.2 = a fifth. */
    private final double[] slower;

    private final long[] free;
    private final long[] upFree;
    private final long[] downFree;
    private final int[] next;
    private final Map<String, Long> arrivals = new HashMap<>();
    private final Map<String, Long> lastStarts = new HashMap<>();
    private final Map<String, Integer> left = new HashMap<>();

    NaiveDevices(PricedProgram program, int dp, int tp, double[] slower) {
        this.program = program;
        this.schedule = program.schedule();
        this.dp = dp;
        this.tp = tp;
        this.slower = slower;
        free = new long[slower.length];
        upFree = new long[slower.length];
        downFree = new long[slower.length];
        next = new int[schedule.ranks() * dp];
    }

    private int device(int rank, int lane, int place) {
        return (rank * dp + lane) * tp + place;
    }

    long makespan() {
        for (int device = 0; device < free.length; device++) {
            free[device] = program.head()[device / (dp * tp)];
        }
        boolean moved = true;
        while (moved) {
            moved = false;
            for (int rank = 0; rank < schedule.ranks(); rank++) {
                for (int lane = 0; lane < dp; lane++) {
                    while (slot(rank, lane)) {
                        moved = true;
                    }
                }
            }
        }
        long meeting = 0;
        long tail = 0;
        for (int rank = 0; rank < schedule.ranks(); rank++) {
            long reduced = reduced(rank);
            for (int i = 0; i < dp * tp; i++) {
                int device = rank * dp * tp + i;
                long end = Math.max(Math.max(free[device], reduced), Math.max(upFree[device], downFree[device]));
                boolean ties = program.tiedReduce() > 0 && (rank == 0 || rank == schedule.ranks() - 1);
                meeting = Math.max(meeting, end + program.reduceTail()[rank] + (ties ? program.tiedReduce() : 0));
                long update = program.optimizerTail()[rank] - program.optimizerData() - program.hostShare();
                tail = Math.max(tail, program.optimizerTail()[rank] + longer(device, Math.max(0, update)));
            }
        }
        return meeting + tail;
    }

    private long longer(int device, long nanos) {
        return (long) Math.ceil((1 + slower[device] - 1) * nanos);
    }

    /** Runs the group's next slot if all its members have their input. */
    private boolean slot(int rank, int lane) {
        int group = rank * dp + lane;
        if (next[group] == schedule.slots(rank)) {
            return false;
        }
        long slot = schedule.slotAt(rank, next[group]);
        int stage = Schedule.stage(slot);
        int batch = Schedule.microBatch(slot);
        boolean backward = Schedule.phase(slot) == Schedule.B;
        long start = 0;
        for (int place = 0; place < tp; place++) {
            int device = device(rank, lane, place);
            boolean first = !backward && stage == 0;
            Long arrival = first ? Long.valueOf(0) : arrivals.get(key(device, stage, batch, backward));
            if (arrival == null) {
                return false;
            }
            start = Math.max(start, Math.max(free[device], arrival));
        }
        next[group]++;
        String own = rank + " " + lane + " " + stage;
        boolean last = backward && left.merge(own, 1, Integer::sum) == schedule.microBatches();
        long usual = backward ? program.backward()[stage] : program.forward()[stage];
        long exposed = backward
                ? program.backwardTensor()[stage] + program.backwardData()[stage]
                : program.forwardTensor()[stage] + program.forwardData()[stage];
        long slowest = 0;
        for (int place = 0; place < tp; place++) {
            slowest = Math.max(slowest, longer(device(rank, lane, place), Math.max(0, usual - exposed)));
        }
        long nanos = slowest + (last ? program.lastBackward()[stage] : usual);
        if (last) {
            lastStarts.put(own, start);
            lastStarts.put(own + " lasts", nanos);
        }
        for (int place = 0; place < tp; place++) {
            handOn(device(rank, lane, place), stage, batch, backward, start + nanos);
        }
        return true;
    }

    private void handOn(int device, int stage, int batch, boolean backward, long end) {
        free[device] = end;
        int to = backward ? stage - 1 : stage + 1;
        if (!backward && to == schedule.stages()) {
            arrivals.put(key(device, stage, batch, true), end);
            return;
        }
        if (to < 0) {
            return;
        }
        int peer = device + (schedule.rankOf(to) - schedule.rankOf(stage)) * dp * tp;
        long arrival = end;
        if (peer != device) {
            long[] queue = backward ? downFree : upFree;
            long hop = (backward ? program.sendBackward() : program.sendForward())[stage];
            arrival = (program.sendsBlock() ? end : Math.max(end, queue[device])) + hop;
            queue[device] = arrival;
            free[device] = program.sendsBlock() ? arrival : end;
        }
        arrivals.put(key(peer, to, batch, backward), arrival);
    }

    private static String key(int device, int stage, int batch, boolean backward) {
        return device + " " + stage + " " + batch + " " + backward;
    }

    /** End of the rank's last reduction: each waits for the slowest data rank. */
    private long reduced(int rank) {
        long end = 0;
        int[] left = new int[schedule.stages()];
        Arrays.fill(left, schedule.microBatches());
        for (long slot : schedule.slotsOf(rank)) {
            int stage = Schedule.stage(slot);
            if (Schedule.phase(slot) != Schedule.B || --left[stage] > 0) {
                continue;
            }
            for (int bucket = 0; bucket < program.bucketNanos()[stage].length; bucket++) {
                long ready = 0;
                for (int lane = 0; lane < dp; lane++) {
                    String own = rank + " " + lane + " " + stage;
                    long lasts = lastStarts.get(own + " lasts");
                    double share = (double) lasts / Math.max(1, program.lastBackward()[stage]);
                    long after = Math.min(lasts, (long) Math.ceil(program.bucketReady()[stage][bucket] * share));
                    ready = Math.max(ready, lastStarts.get(own) + after);
                }
                end = Math.max(end, ready) + program.bucketNanos()[stage][bucket];
            }
        }
        return end;
    }
}
