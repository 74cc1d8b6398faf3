package org.shardplan.graph;

import java.util.List;

/**
 * LayerNorm or RMSNorm over one loop, which can't be split.
 *
 * @param nest input and output of the same shape; parameters: scale, then shift if any
 * @param subtractsMean LayerNorm does, RMSNorm does not
 */
public record Normalization(LoopNest nest, boolean subtractsMean) implements Operator {

    @Override
    public Normalization with(LoopNest other) {
        return new Normalization(other, subtractsMean);
    }

    @Override
    public List<Tensor> saved() {
        return inputs();
    }
}
