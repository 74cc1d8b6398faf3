package org.shardplan.sim;

import java.util.Arrays;
import java.util.List;
import org.shardplan.cost.PricedProgram;
import org.shardplan.plan.Schedule;

/** How long slots of lanes last, and which of them makes a stage's last weight gradients. Reused from program to program. */
final class SlotTimes {
    private List<Lane> lanes = List.of();
    private int stages;
    // by lane and stage
    private int[] gradientsLeft = {};
    private long[] lastStart = {};
    private boolean[] lastIsWeight = {};
    // by stage
    private int[] lanesStarted = {};
    /** Of two slots beside each other. */
    private long[] useOfBoth = {};

    void reset(List<Lane> next) {
        lanes = next;
        Schedule schedule = lanes.getFirst().program().schedule();
        stages = schedule.stages();
        if (lastStart.length < lanes.size() * stages) {
            gradientsLeft = new int[lanes.size() * stages];
            lastStart = new long[lanes.size() * stages];
            lastIsWeight = new boolean[lanes.size() * stages];
        }
        if (lanesStarted.length < stages) {
            lanesStarted = new int[stages];
        }
        Arrays.fill(lanesStarted, 0, stages, 0);
        for (int i = 0; i < lanes.size() * stages; i++) {
            gradientsLeft[i] = schedule.batchesOf(i % stages);
        }
    }

    /** Nanoseconds of a slot that starts now. */
    long nanos(int lane, long slot) {
        boolean last =
                Schedule.givesWeights(Schedule.phase(slot)) && gradientsLeft[lane * stages + Schedule.stage(slot)] == 1;
        return lanes.get(lane).program().slotNanos(slot, last);
    }

    /** Weight gradients move nothing; the messages of a backward pass are those of its input gradients. */
    long[] use(int lane, long slot) {
        int stage = Schedule.stage(slot);
        return switch (Schedule.phase(slot)) {
            case Schedule.F -> lanes.get(lane).use().forward()[stage];
            case Schedule.W -> LinkChoice.NOTHING;
            default -> lanes.get(lane).use().backward()[stage];
        };
    }

    /** What two slots beside each other move, no more than fits. */
    long[] both(long[] one, long[] two, long nanos) {
        useOfBoth = useOfBoth.length == one.length ? useOfBoth : new long[one.length];
        for (int link = 0; link < one.length; link++) {
            useOfBoth[link] = Math.min(nanos, one[link] + two[link]);
        }
        return useOfBoth;
    }

    /** Counts a slot that starts; whether it is the last of its stage to make weight gradients, on the last lane that has come to it. */
    boolean started(int lane, long slot, long now) {
        int stage = Schedule.stage(slot);
        int phase = Schedule.phase(slot);
        if (!Schedule.givesWeights(phase) || --gradientsLeft[lane * stages + stage] > 0) {
            return false;
        }
        lastStart[lane * stages + stage] = now;
        lastIsWeight[lane * stages + stage] = phase == Schedule.W;
        return ++lanesStarted[stage] == lanes.size();
    }

    /** When all lanes have a bucket. */
    long ready(int stage, int bucket) {
        long ready = 0;
        for (int lane = 0; lane < lanes.size(); lane++) {
            PricedProgram program = lanes.get(lane).program();
            boolean weight = lastIsWeight[lane * stages + stage];
            long[] after = (weight ? program.split().weightReady() : program.bucketReady())[stage];
            ready = Math.max(ready, lastStart[lane * stages + stage] + after[bucket]);
        }
        return ready;
    }
}
