package org.shardplan.graph;

import java.util.List;
import java.util.Optional;

/**
 * What all operators have: loops, the tensors that they read, the one that they write.
 *
 * @param name unique in its block
 * @param axes the loops, each once
 * @param inputs activations and network inputs
 * @param parameters weights and biases
 * @param output the result
 */
public record LoopNest(String name, List<Axis> axes, List<Tensor> inputs, List<Tensor> parameters, Tensor output) {

    public LoopNest {
        axes = List.copyOf(axes);
        inputs = List.copyOf(inputs);
        parameters = List.copyOf(parameters);
        if (axes.stream().map(Axis::name).distinct().count() != axes.size()) {
            throw new IllegalArgumentException("operator " + name + " loops twice over one axis");
        }
    }

    public Optional<Axis> findAxis(String axis) {
        return axes.stream().filter(candidate -> candidate.name().equals(axis)).findFirst();
    }
}
