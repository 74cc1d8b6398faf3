package org.shardplan.sim;

import org.shardplan.cost.PricedProgram;
import org.shardplan.cost.SplitSlots;
import org.shardplan.cost.StageMemory;
import org.shardplan.plan.Schedule;

/** Programs made from others. */
final class Programs {
    private static final long[] NONE = {};

    /** No ranks, no tasks. */
    static final PricedProgram EMPTY = new PricedProgram(
            new Schedule(new long[0][], new int[0], 0),
            false,
            NONE,
            NONE,
            NONE,
            SplitSlots.NONE,
            NONE,
            NONE,
            new long[0][],
            new long[0][],
            NONE,
            NONE,
            0,
            0,
            0,
            NONE,
            NONE,
            NONE,
            NONE,
            NONE,
            0,
            0,
            new StageMemory(NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, 0, 0, 0));

    private Programs() {}

    /** The same with sends that take no time. */
    static PricedProgram withoutSends(PricedProgram program) {
        long[] zero = new long[program.schedule().stages()];
        return new PricedProgram(
                program.schedule(),
                program.sendsBlock(),
                program.forward(),
                program.backward(),
                program.lastBackward(),
                program.split(),
                zero,
                zero,
                program.bucketReady(),
                program.bucketNanos(),
                program.head(),
                program.reduceTail(),
                program.tiedReduce(),
                program.tiedFirst(),
                program.tiedLast(),
                program.optimizerTail(),
                program.forwardTensor(),
                program.backwardTensor(),
                program.forwardContext(),
                program.backwardContext(),
                program.forwardData(),
                program.backwardData(),
                program.optimizerData(),
                program.hostShare(),
                program.memory());
    }

    /**
     * The same with other times.
     *
     * @param stages by stage: forward, backward, last backward, send forward, send backward
     * @param ranks by rank: head, reductions' tail, optimizer's tail
     */
    static PricedProgram withTimes(
            PricedProgram program,
            long[][] stages,
            SplitSlots split,
            long[][] bucketReady,
            long[][] bucketNanos,
            long[][] ranks,
            long tiedReduce) {
        return new PricedProgram(
                program.schedule(),
                program.sendsBlock(),
                stages[0],
                stages[1],
                stages[2],
                split,
                stages[3],
                stages[4],
                bucketReady,
                bucketNanos,
                ranks[0],
                ranks[1],
                tiedReduce,
                program.tiedFirst(),
                program.tiedLast(),
                ranks[2],
                program.forwardTensor(),
                program.backwardTensor(),
                program.forwardContext(),
                program.backwardContext(),
                program.forwardData(),
                program.backwardData(),
                program.optimizerData(),
                program.hostShare(),
                program.memory());
    }
}
