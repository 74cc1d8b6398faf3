package org.shardplan.graph;

import java.util.ArrayList;
import java.util.List;

/**
 * A sum of products: a linear layer (right operand is a parameter) or a batched matrix product (it is an activation).
 *
 * <p>2 FLOPs for each point of the loop nest. The input gradient and the weight gradient are the same nest with other
 * loops reduced, so each costs as much as the forward product.
 *
 * @param nest inputs: left operand (and the right one where it is an activation); parameters: weight, then bias if any
 */
public record Contraction(LoopNest nest) implements Operator {

    /** A linear layer {@code output[.., out] = sum_in input[.., in] weight[in, out] (+ bias[out])}. */
    public static Contraction linear(
            String name, Tensor input, Extent in, Extent out, boolean bias, Tensor weight, Tensor output) {
        List<Axis> axes = new ArrayList<>();
        for (Extent extent : input.extents()) {
            if (!extent.name().equals(in.name())) {
                AxisRole role = extent.name().equals("batch") ? AxisRole.SAMPLE : AxisRole.ATTRIBUTE;
                axes.add(new Axis(extent, role));
            }
        }
        axes.add(new Axis(in, AxisRole.REDUCTION));
        axes.add(new Axis(out, AxisRole.PARAMETER));
        List<Tensor> parameters = new ArrayList<>(List.of(weight));
        if (bias) {
            parameters.add(Tensor.parameter(name + ".bias", out));
        }
        return new Contraction(new LoopNest(name, axes, List.of(input), parameters, output));
    }

    public boolean isLinear() {
        return !parameters().isEmpty();
    }

    /** Whether its weight has a gradient. */
    public boolean hasTrainedWeight() {
        return isLinear() && parameters().getFirst().isTrained();
    }

    @Override
    public Contraction with(LoopNest other) {
        return new Contraction(other);
    }

    @Override
    public List<Tensor> saved() {
        // the input serves the weight's gradient alone; the input's own gradient needs the weight
        return isLinear() && !hasTrainedWeight() ? List.of() : inputs();
    }
}
