package org.shardplan.workload;

import org.shardplan.graph.Adapters;
import org.shardplan.graph.DataType;
import org.shardplan.graph.OperatorGraph;

/**
 * What is trained.
 *
 * @param globalBatch sequences a step
 * @param seqLen tokens a sequence
 * @param precision of matrix products and of stored activations
 * @param optimizer what states it keeps
 * @param tuning which weights it trains
 */
public record Workload(long globalBatch, long seqLen, DataType precision, Optimizer optimizer, Tuning tuning) {

    /** Pretraining. */
    public Workload(long globalBatch, long seqLen, DataType precision, Optimizer optimizer) {
        this(globalBatch, seqLen, precision, optimizer, Tuning.PRETRAIN);
    }

    /** What is trained, of the model's graph: with adapters where the run has some. */
    public OperatorGraph trained(OperatorGraph model) {
        return tuning.rank() == 0 ? model : Adapters.add(model, tuning.rank(), tuning.everyLinear());
    }

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
