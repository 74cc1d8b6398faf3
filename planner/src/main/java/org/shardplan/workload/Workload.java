package org.shardplan.workload;

import org.shardplan.graph.DataType;

/**
 * What is trained.
 *
 * @param globalBatch sequences a step
 * @param seqLen tokens a sequence
 * @param precision of matrix products and of stored activations
 * @param optimizer what states it keeps
 */
public record Workload(long globalBatch, long seqLen, DataType precision, Optimizer optimizer) {

    /** Optimizers, by the 32-bit states that they keep for a parameter. */
    public enum Optimizer {
        ADAM(2),
        SGD_MOMENTUM(1),
        SGD(0);

        public final int states;

        Optimizer(int states) {
            this.states = states;
        }
    }

    public long tokensPerStep() {
        return Math.multiplyExact(globalBatch, seqLen);
    }
}
