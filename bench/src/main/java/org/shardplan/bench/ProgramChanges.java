package org.shardplan.bench;

import java.util.Arrays;
import org.shardplan.cost.PricedProgram;

/** Priced programs with some prices taken away. */
final class ProgramChanges {
    private ProgramChanges() {}

    static PricedProgram withoutSends(PricedProgram of) {
        return new Prices(of).sends(new long[of.sendForward().length]).build();
    }

    static PricedProgram withoutReductions(PricedProgram of) {
        long[][] buckets = new long[of.bucketNanos().length][];
        for (int q = 0; q < buckets.length; q++) {
            buckets[q] = new long[of.bucketNanos()[q].length];
        }
        return new Prices(of)
                .reductions(buckets, new long[of.reduceTail().length])
                .build();
    }

    static PricedProgram withoutOptimizer(PricedProgram of) {
        return new Prices(of).optimizer(new long[of.optimizerTail().length]).build();
    }

    static PricedProgram withLikeStages(PricedProgram of) {
        return new Prices(of)
                .stages(mean(of.forward()), mean(of.backward()), mean(of.lastBackward()))
                .build();
    }

    private static long[] mean(long[] values) {
        long[] mean = new long[values.length];
        Arrays.fill(mean, Math.round(Arrays.stream(values).average().orElse(0)));
        return mean;
    }

    /** What of a program may change. */
    private static final class Prices {
        private final PricedProgram of;
        private long[] forward;
        private long[] backward;
        private long[] lastBackward;
        private long[] sendForward;
        private long[] sendBackward;
        private long[][] bucketNanos;
        private long[] reduceTail;
        private long[] optimizerTail;

        Prices(PricedProgram of) {
            this.of = of;
            forward = of.forward();
            backward = of.backward();
            lastBackward = of.lastBackward();
            sendForward = of.sendForward();
            sendBackward = of.sendBackward();
            bucketNanos = of.bucketNanos();
            reduceTail = of.reduceTail();
            optimizerTail = of.optimizerTail();
        }

        Prices sends(long[] each) {
            sendForward = each;
            sendBackward = each;
            return this;
        }

        Prices reductions(long[][] buckets, long[] tail) {
            bucketNanos = buckets;
            reduceTail = tail;
            return this;
        }

        Prices optimizer(long[] tail) {
            optimizerTail = tail;
            return this;
        }

        Prices stages(long[] newForward, long[] newBackward, long[] newLastBackward) {
            forward = newForward;
            backward = newBackward;
            lastBackward = newLastBackward;
            return this;
        }

        PricedProgram build() {
            return new PricedProgram(
                    of.schedule(),
                    of.sendsBlock(),
                    forward,
                    backward,
                    lastBackward,
                    of.split(),
                    sendForward,
                    sendBackward,
                    of.bucketReady(),
                    bucketNanos,
                    of.head(),
                    reduceTail,
                    of.tiedReduce(),
                    of.tiedFirst(),
                    of.tiedLast(),
                    optimizerTail,
                    of.forwardTensor(),
                    of.backwardTensor(),
                    of.forwardContext(),
                    of.backwardContext(),
                    of.forwardData(),
                    of.backwardData(),
                    of.optimizerData(),
                    of.hostShare(),
                    of.memory());
        }
    }
}
