package org.shardplan.graph;

import java.util.List;

/**
 * Softmax cross-entropy over the vocabulary loop. Its output holds three statistics a token (maximum, sum of
 * exponentials, the label's logit), so that a split vocabulary leaves them partial and 3 numbers a token are reduced
 * instead of the logits (Megatron's vocabulary-parallel cross-entropy).
 *
 * @param nest inputs: logits {@code [batch, seq, vocab]}; output {@code [batch, seq, 3]}
 */
public record CrossEntropy(LoopNest nest) implements Operator {

    /** The logits in 32 bits: what the backward pass starts from. */
    public Tensor softmax() {
        return new Tensor(
                name() + ".softmax",
                Tensor.Kind.ACTIVATION,
                Tensor.Element.FLOAT32,
                inputs().getFirst().extents());
    }

    @Override
    public CrossEntropy with(LoopNest other) {
        return new CrossEntropy(other);
    }

    @Override
    public List<Tensor> saved() {
        return List.of(softmax());
    }
}
