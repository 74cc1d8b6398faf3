package org.shardplan.graph;

import java.util.List;

/**
 * One node of the operator graph: a loop nest with a meaning.
 *
 * <p>Communication never depends on the meaning: a split loop that indexes a tensor shards it, one that does not index
 * the output leaves it partial, one that does not index an input reads it whole (see {@code program}). The meaning
 * decides the kernel and what the backward pass keeps.
 */
public sealed interface Operator
        permits Contraction, Attention, Embedding, Normalization, Pointwise, Rotary, CrossEntropy, Reshape, Scan {

    LoopNest nest();

    /** Activations that the backward pass reads and that therefore stay in memory; parameters are not listed. */
    List<Tensor> saved();

    /** The same operator on other tensors, or under another name. */
    Operator with(LoopNest other);

    default String name() {
        return nest().name();
    }

    default List<Axis> axes() {
        return nest().axes();
    }

    default List<Tensor> inputs() {
        return nest().inputs();
    }

    default List<Tensor> parameters() {
        return nest().parameters();
    }

    default Tensor output() {
        return nest().output();
    }
}
