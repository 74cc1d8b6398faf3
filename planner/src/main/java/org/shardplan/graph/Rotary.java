package org.shardplan.graph;

import java.util.List;

/**
 * Rotary position embedding of queries and keys. Its backward pass is the inverse rotation and reads nothing.
 *
 * @param nest input and output: the query-key-value tensor
 * @param fraction share of each head's elements that is rotated (GPT-NeoX 0.25, Llama 1)
 */
public record Rotary(LoopNest nest, double fraction) implements Operator {

    @Override
    public Rotary with(LoopNest other) {
        return new Rotary(other, fraction);
    }

    @Override
    public List<Tensor> saved() {
        return List.of();
    }
}
