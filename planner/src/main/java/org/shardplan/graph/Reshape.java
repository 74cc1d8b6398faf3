package org.shardplan.graph;

import java.util.List;

/** A change of shape that moves no data and keeps none. */
public record Reshape(LoopNest nest) implements Operator {

    @Override
    public Reshape with(LoopNest other) {
        return new Reshape(other);
    }

    @Override
    public List<Tensor> saved() {
        return List.of();
    }
}
