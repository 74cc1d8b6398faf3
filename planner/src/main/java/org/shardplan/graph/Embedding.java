package org.shardplan.graph;

import java.util.List;

/**
 * A table lookup: a gather over the vocabulary loop, so that a split vocabulary leaves a partial output (the rows that
 * a shard does not own are zero), as Megatron's vocabulary-parallel embedding does.
 *
 * @param nest input: token ids {@code [batch, seq]}; parameters: word table, and position table if positions are learned
 */
public record Embedding(LoopNest nest) implements Operator {

    @Override
    public Embedding with(LoopNest other) {
        return new Embedding(other);
    }

    @Override
    public List<Tensor> saved() {
        return inputs();
    }
}
