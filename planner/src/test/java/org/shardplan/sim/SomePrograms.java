package org.shardplan.sim;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.shardplan.cost.PricedProgram;
import org.shardplan.cost.SplitSlots;
import org.shardplan.cost.StageMemory;
import org.shardplan.plan.Schedule;
import org.shardplan.plan.ScheduleKind;
import org.shardplan.plan.Schedules;

/** Priced programs for tests: uniform, wild (anything the semantics allow) and realistic. */
final class SomePrograms {
    private static final List<ScheduleKind> KINDS = ScheduleKind.values();

    private SomePrograms() {}

    /** Equal stages, no sends, heads or tails; every activation one byte. */
    static PricedProgram uniform(Schedule schedule, long forward, long backward) {
        Draft draft = new Draft(schedule);
        Arrays.fill(draft.forward, forward);
        Arrays.fill(draft.backward, backward);
        Arrays.fill(draft.lastBackward, backward);
        Arrays.fill(draft.savedBytes, 1);
        return draft.program();
    }

    /** Anything: heavy sends, buckets, tails, zero lengths. */
    static PricedProgram wild(Random random) {
        Schedule schedule = schedule(random, 6, 4, 14, 1);
        Draft draft = new Draft(schedule);
        int big = 1 + random.nextInt(60);
        for (int stage = 0; stage < schedule.stages(); stage++) {
            draft.forward[stage] = random.nextInt(big);
            draft.backward[stage] = random.nextInt(2 * big);
            draft.lastBackward[stage] = draft.backward[stage] + random.nextInt(big);
            draft.sendForward[stage] = random.nextInt(4) == 0 ? random.nextInt(3 * big) : random.nextInt(4);
            draft.sendBackward[stage] = random.nextInt(4) == 0 ? random.nextInt(3 * big) : random.nextInt(4);
            split(random, draft, stage);
            buckets(random, draft, stage, big);
            draft.savedBytes[stage] = random.nextInt(100);
            draft.keptBytes[stage] = random.nextInt(100);
            draft.forwardPeakBytes[stage] = random.nextInt(200);
            draft.backwardPeakBytes[stage] = random.nextInt(200);
            draft.forwardTensor[stage] = draft.forward[stage] / 4;
            draft.backwardTensor[stage] = draft.backward[stage] / 5;
            draft.forwardData[stage] = draft.forward[stage] / 6;
            draft.backwardData[stage] = draft.backward[stage] / 7;
        }
        for (int rank = 0; rank < schedule.ranks(); rank++) {
            draft.head[rank] = random.nextInt(big);
            draft.reduceTail[rank] = random.nextInt(2 * big);
            draft.optimizerTail[rank] = random.nextInt(big);
            draft.staticBytes[rank] = random.nextInt(1000);
            draft.stepBytes[rank] = random.nextInt(3) == 0 ? random.nextInt(2000) : 0;
        }
        draft.tiedReduce = random.nextBoolean() ? random.nextInt(big) : 0;
        draft.tiedLast = schedule.rankOf(schedule.stagesOfCopy() - 1);
        draft.hostShare = random.nextInt(big);
        draft.optimizerData = random.nextInt(big);
        draft.sendsBlock = random.nextBoolean();
        return draft.program();
    }

    /** Likewise of GPipe, 1F1B or interleaving. */
    static PricedProgram wildClassic(Random random) {
        PricedProgram program = wild(random);
        return program.schedule().isClassic() ? program : wildClassic(random);
    }

    /** Stages within 30 % of each other, backward twice forward, sends up to 10 % of a slot, m at least p, tails as in real steps. */
    static PricedProgram realistic(Random random) {
        Schedule schedule = schedule(random, 32, 6, 256, 0);
        Draft draft = new Draft(schedule);
        long slot = 1_000_000 + random.nextInt(100_000_000);
        double spread = random.nextInt(4) * 0.1;
        double send = random.nextDouble() * 0.1;
        for (int stage = 0; stage < schedule.stages(); stage++) {
            draft.forward[stage] = (long) (slot * (1 + spread * (2 * random.nextDouble() - 1)));
            draft.backward[stage] = (long) (draft.forward[stage] * (2 + 0.3 * random.nextDouble()));
            draft.lastBackward[stage] = (long) (draft.backward[stage] * (1 + 0.1 * random.nextDouble()));
            split(random, draft, stage);
            draft.sendForward[stage] = (long) (slot * send);
            draft.sendBackward[stage] = (long) (slot * send);
            if (random.nextBoolean()) {
                buckets(random, draft, stage, (int) slot);
            }
        }
        for (int rank = 0; rank < schedule.ranks(); rank++) {
            draft.head[rank] = (long) (slot * random.nextDouble());
            draft.reduceTail[rank] = (long) (slot * random.nextDouble());
            draft.optimizerTail[rank] = (long) (slot * random.nextDouble());
        }
        draft.tiedReduce = random.nextBoolean() ? slot / 3 : 0;
        draft.tiedLast = schedule.ranks() - 1;
        draft.sendsBlock = random.nextBoolean();
        return draft.program();
    }

    /** Likewise of GPipe, 1F1B or interleaving. */
    static PricedProgram realisticClassic(Random random) {
        PricedProgram program = realistic(random);
        return program.schedule().isClassic() ? program : realisticClassic(random);
    }

    private static void buckets(Random random, Draft draft, int stage, int big) {
        int count = random.nextInt(4);
        draft.bucketReady[stage] = new long[count];
        draft.bucketNanos[stage] = new long[count];
        if (draft.split.exist()) {
            draft.split.weightReady()[stage] = new long[count];
        }
        for (int bucket = 0; bucket < count; bucket++) {
            draft.bucketReady[stage][bucket] = draft.lastBackward[stage] * (bucket + 1) / count;
            draft.bucketNanos[stage][bucket] = random.nextInt(big) / count;
            if (draft.split.exist()) {
                draft.split.weightReady()[stage][bucket] = draft.split.lastWeight()[stage] * (bucket + 1) / count;
            }
        }
    }

    /** About half of the backward slot for weight gradients; beside each other, slots save up to half of the shorter one. */
    private static void split(Random random, Draft draft, int stage) {
        if (draft.split.exist()) {
            long backward = draft.backward[stage];
            draft.split.weight()[stage] = (long) (backward * (0.35 + 0.2 * random.nextDouble()));
            draft.split.input()[stage] = backward - draft.split.weight()[stage] + random.nextInt(3);
            draft.split.lastWeight()[stage] = draft.split.weight()[stage] + (draft.lastBackward[stage] - backward);
            draft.split.hidden()[stage] = (long) (Math.min(draft.forward[stage], backward) * 0.5 * random.nextDouble());
            draft.split.inputTensor()[stage] = draft.split.input()[stage] / 5;
            draft.split.weightTensor()[stage] = draft.split.weight()[stage] / 9;
            draft.split.inputData()[stage] = draft.split.input()[stage] / 8;
        }
    }

    private static Schedule schedule(Random random, int pp, int vpp, int microBatches, int least) {
        ScheduleKind kind = KINDS.get(random.nextInt(KINDS.size()));
        int ranks = 1 + random.nextInt(pp);
        int chunks = kind.chunks() == 0 ? 1 + random.nextInt(vpp) : kind.chunks();
        int batches = 1 + random.nextInt(microBatches);
        if (kind == ScheduleKind.DUALPIPE) {
            ranks += ranks % 2;
            batches += batches % 2;
        }
        if (kind == ScheduleKind.DUALPIPE || kind == ScheduleKind.DUALPIPE_V) {
            batches = Math.max(2 * ranks, batches);
        }
        if (least == 0) {
            batches = Math.max(ranks, batches);
            if (chunks > 1 && random.nextInt(4) > 0) {
                batches -= batches % ranks;
            }
        }
        return Schedules.of(kind, ranks, chunks, batches);
    }

    /** Arrays of the right sizes, all zero. */
    static final class Draft {
        final Schedule schedule;
        final long[] forward;
        final long[] backward;
        final long[] lastBackward;
        final SplitSlots split;
        final long[] sendForward;
        final long[] sendBackward;
        final long[][] bucketReady;
        final long[][] bucketNanos;
        final long[] head;
        final long[] reduceTail;
        final long[] optimizerTail;
        final long[] forwardTensor;
        final long[] backwardTensor;
        final long[] forwardData;
        final long[] backwardData;
        final long[] savedBytes;
        final long[] keptBytes;
        final long[] forwardPeakBytes;
        final long[] backwardPeakBytes;
        final long[] staticBytes;
        final long[] stepBytes;
        boolean sendsBlock;
        long tiedReduce;
        int tiedLast;
        long optimizerData;
        long hostShare;

        Draft(Schedule schedule) {
            int stages = schedule.stages();
            int ranks = schedule.ranks();
            this.schedule = schedule;
            forward = new long[stages];
            backward = new long[stages];
            lastBackward = new long[stages];
            split = schedule.splits() ? SplitSlots.of(stages) : SplitSlots.NONE;
            sendForward = new long[stages];
            sendBackward = new long[stages];
            bucketReady = new long[stages][0];
            bucketNanos = new long[stages][0];
            forwardTensor = new long[stages];
            backwardTensor = new long[stages];
            forwardData = new long[stages];
            backwardData = new long[stages];
            savedBytes = new long[stages];
            keptBytes = new long[stages];
            forwardPeakBytes = new long[stages];
            backwardPeakBytes = new long[stages];
            head = new long[ranks];
            reduceTail = new long[ranks];
            optimizerTail = new long[ranks];
            staticBytes = new long[ranks];
            stepBytes = new long[ranks];
        }

        PricedProgram program() {
            StageMemory memory = new StageMemory(
                    staticBytes,
                    staticBytes,
                    staticBytes,
                    staticBytes,
                    stepBytes,
                    savedBytes,
                    keptBytes,
                    forwardPeakBytes,
                    backwardPeakBytes,
                    0.05,
                    7,
                    10_000);
            return new PricedProgram(
                    schedule,
                    sendsBlock,
                    forward,
                    backward,
                    lastBackward,
                    split,
                    sendForward,
                    sendBackward,
                    bucketReady,
                    bucketNanos,
                    head,
                    reduceTail,
                    tiedReduce,
                    0,
                    tiedLast,
                    optimizerTail,
                    forwardTensor,
                    backwardTensor,
                    forwardData,
                    backwardData,
                    optimizerData,
                    hostShare,
                    memory);
        }
    }
}
