package org.shardplan.sim;

import org.shardplan.cost.PricedProgram;
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
            NONE,
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
            new StageMemory(NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, 0, 0, 0));

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
                program.weight(),
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
}
