package org.shardplan.graph;

import java.util.List;

/** Tensors and axes that the parts of a network share, and the operators that stand between all of them: norms and sums. */
record Streams(TransformerSizes sizes, Extent batch, Extent seq, Extent hidden) {

    Streams(TransformerSizes sizes, long seqLen) {
        this(sizes, Extent.of("batch", 1), Extent.of("seq", seqLen), Extent.of("hidden", sizes.hidden()));
    }

    /** An activation of the residual stream's shape. */
    Tensor stream(String name) {
        return Tensor.activation(name, batch, seq, hidden);
    }

    List<Axis> streamAxes(boolean hiddenSplits) {
        return List.of(
                new Axis(batch, AxisRole.SAMPLE),
                new Axis(seq, AxisRole.ATTRIBUTE),
                new Axis(hidden, AxisRole.ATTRIBUTE, hiddenSplits));
    }

    /** Loops over a tensor of samples, positions and one width more. */
    List<Axis> axes(Tensor tensor) {
        return tensor.extents().stream()
                .map(extent -> new Axis(extent, extent.name().equals("batch") ? AxisRole.SAMPLE : AxisRole.ATTRIBUTE))
                .toList();
    }

    Normalization norm(String name, Tensor input, Tensor output) {
        Tensor scale = Tensor.parameter(name + ".scale", hidden);
        List<Tensor> parameters = switch (sizes.norm()) {
            case LAYER_NORM -> List.of(scale, Tensor.parameter(name + ".shift", hidden));
            case LAYER_NORM_NO_SHIFT, RMS_NORM -> List.of(scale);
            case LAYER_NORM_BARE -> List.of();
        };
        LoopNest nest = new LoopNest(name, streamAxes(false), List.of(input), parameters, output);
        return new Normalization(nest, sizes.norm() != TransformerSizes.Norm.RMS_NORM);
    }

    /** Adds the sum of streams; gives it. */
    Tensor add(List<Operator> operators, String name, List<Tensor> inputs, Tensor output) {
        LoopNest nest = new LoopNest(name, streamAxes(true), inputs, List.of(), output);
        operators.add(new Pointwise(nest, Pointwise.Function.ADD, sizes.dropout()));
        return output;
    }

    /** Adds a function of each element; gives its result. */
    Tensor pointwise(
            List<Operator> operators, String name, Pointwise.Function function, List<Tensor> inputs, Tensor output) {
        operators.add(new Pointwise(new LoopNest(name, axes(output), inputs, List.of(), output), function, false));
        return output;
    }

    /** Adds a linear layer of the weight {@code name.weight}; gives its result. */
    Tensor linear(List<Operator> operators, String name, Tensor input, Extent in, Extent out, boolean bias) {
        Tensor output = Tensor.activation(name, batch, seq, out);
        Tensor weight = Tensor.parameter(name + ".weight", in, out);
        operators.add(Contraction.linear(name, input, in, out, bias, weight, output));
        return output;
    }
}
