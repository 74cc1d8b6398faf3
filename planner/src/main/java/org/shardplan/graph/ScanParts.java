package org.shardplan.graph;

import java.util.ArrayList;
import java.util.List;
import org.shardplan.graph.Extent.Part;
import org.shardplan.graph.LayerKind.DeltaRule;
import org.shardplan.graph.LayerKind.Lightning;
import org.shardplan.graph.LayerKind.Mamba;

/** Mixers whose tokens meet in a state that runs along the sequence: projections, a short convolution, the scan, a gated norm. */
final class ScanParts {
    private final Streams streams;
    private final List<Operator> operators;

    ScanParts(Streams streams, List<Operator> operators) {
        this.streams = streams;
        this.operators = operators;
    }

    /** Version 2: values, steps, input and output matrices come from one projection; the convolution runs within the scan. */
    Tensor second(Mamba kind, Tensor input) {
        Extent projected = heads(new Part(kind.heads(), kind.headDim() + 1), new Part(kind.groups(), 2 * kind.state()));
        Extent channels = heads(new Part(kind.heads(), kind.headDim()), new Part(kind.groups(), 2 * kind.state()));
        Extent values = heads(new Part(kind.heads(), kind.headDim()));
        boolean bias = streams.sizes().bias().qkv();
        Tensor both = both(input, projected, values, bias);
        Tensor made = part(both, "ssm.made", projected);
        Tensor gate = part(both, "ssm.gate", values);
        List<Tensor> parameters = new ArrayList<>(convolution(channels, kind.convolution(), kind.convolutionBias()));
        Extent each = heads(new Part(kind.heads(), 1));
        for (String name : List.of("ssm.decay", "ssm.skip", "ssm.step")) {
            parameters.add(Tensor.parameter(name, each));
        }
        Tensor scanned = scan(
                List.of(made),
                parameters,
                values,
                Scan.Form.DECAY,
                kind.state(),
                kind.headDim(),
                kind.groups(),
                kind.chunk());
        Tensor gated = gated(scanned, gate, values);
        return out(normed(gated, values, values), values);
    }

    /** Version 1: steps, input and output matrices come from the convolved values, by a narrow product. */
    Tensor first(Mamba kind, Tensor input) {
        Extent values = heads(new Part(kind.inner(), 1));
        boolean bias = streams.sizes().bias().qkv();
        Tensor both = both(input, values, values, bias);
        Tensor made = part(both, "ssm.made", values);
        Tensor gate = part(both, "ssm.gate", values);
        Tensor convolved = convolved(made, values, kind.convolution(), kind.convolutionBias());
        Extent narrow = Extent.of("step", kind.stepRank() + 2 * kind.state());
        Tensor steps = streams.linear(operators, "ssm.steps", convolved, values, narrow, false);
        if (kind.innerNorm()) {
            steps = normed(steps, narrow, narrow);
        }
        Extent rank = Extent.of("step", kind.stepRank());
        Tensor read = Tensor.activation("ssm.step.rank", streams.batch(), streams.seq(), rank);
        streams.pointwise(operators, "ssm.step.split", Pointwise.Function.SCALE, List.of(steps), read);
        Tensor wide = streams.linear(operators, "ssm.step", read, rank, values, true);
        List<Tensor> parameters = List.of(
                Tensor.parameter("ssm.decay", values, Extent.of("state", kind.state())),
                Tensor.parameter("ssm.skip", values));
        Tensor scanned = scan(
                List.of(convolved, wide, steps),
                parameters,
                values,
                Scan.Form.ELEMENTS,
                kind.state(),
                1,
                1,
                kind.chunk());
        return out(gated(scanned, gate, values), values);
    }

    /** Qwen3-Next: queries, keys, values, decays and strengths come from one projection. */
    Tensor delta(DeltaRule kind, Tensor input) {
        Extent projected =
                heads(new Part(kind.valueHeads(), kind.valueDim() + 2), new Part(kind.keyHeads(), 2 * kind.keyDim()));
        Extent channels =
                heads(new Part(kind.valueHeads(), kind.valueDim()), new Part(kind.keyHeads(), 2 * kind.keyDim()));
        Extent values = heads(new Part(kind.valueHeads(), kind.valueDim()));
        Tensor both = both(input, projected, values, false);
        Tensor made = part(both, "ssm.made", projected);
        Tensor gate = part(both, "ssm.gate", values);
        Tensor convolved = Tensor.activation("ssm.convolved", streams.batch(), streams.seq(), projected);
        LoopNest nest = new LoopNest(
                "ssm.convolution",
                wholeSequence(convolved),
                List.of(made),
                convolution(channels, kind.convolution(), false),
                convolved);
        operators.add(new Pointwise(nest, Pointwise.Function.CONVOLUTION, false));
        Extent each = heads(new Part(kind.valueHeads(), 1));
        List<Tensor> parameters = List.of(Tensor.parameter("ssm.decay", each), Tensor.parameter("ssm.step", each));
        Tensor scanned = scan(
                List.of(convolved),
                parameters,
                values,
                Scan.Form.DELTA,
                kind.keyDim(),
                kind.valueDim(),
                kind.keyHeads(),
                kind.chunk());
        Tensor normed = normed(scanned, values, Extent.of("head.element", kind.valueDim()));
        return out(gated(normed, gate, values), values);
    }

    /** Linear attention with one fixed decay a head (MiniMax-01). */
    Tensor lightning(Lightning kind, Tensor input) {
        Extent projected = heads(new Part(kind.heads(), 3 * kind.headDim()));
        Extent values = heads(new Part(kind.heads(), kind.headDim()));
        Tensor both = both(input, projected, values, false);
        Tensor made = part(both, "ssm.made", projected);
        Tensor gate = part(both, "ssm.gate", values);
        Tensor scanned = scan(
                List.of(made),
                List.of(),
                values,
                Scan.Form.DECAY,
                kind.headDim(),
                kind.headDim(),
                kind.heads(),
                kind.chunk());
        return out(gated(normed(scanned, values, values), gate, values), values);
    }

    /** One product for what is scanned and for its gate. */
    private Tensor both(Tensor input, Extent scanned, Extent gate, boolean bias) {
        List<Part> parts = new ArrayList<>(scanned.parts());
        Part first = parts.getFirst();
        parts.set(
                0,
                new Part(first.count(), first.width() + gate.parts().getFirst().width()));
        Extent both = new Extent("heads", parts, 1);
        return streams.linear(operators, "ssm.in", input, streams.hidden(), both, bias);
    }

    /** A view of a part of it. */
    private Tensor part(Tensor both, String name, Extent width) {
        Tensor view = Tensor.activation(name, streams.batch(), streams.seq(), width);
        operators.add(new Reshape(new LoopNest(name, streams.axes(view), List.of(both), List.of(), view)));
        return view;
    }

    private static Extent heads(Part... parts) {
        return new Extent("heads", List.of(parts), 1);
    }

    private static List<Tensor> convolution(Extent channels, long taps, boolean bias) {
        Tensor weight = Tensor.parameter("ssm.convolution.weight", channels, Extent.of("tap", taps));
        return bias ? List.of(weight, Tensor.parameter("ssm.convolution.bias", channels)) : List.of(weight);
    }

    private Tensor convolved(Tensor input, Extent channels, long taps, boolean bias) {
        Tensor output = Tensor.activation("ssm.convolved", streams.batch(), streams.seq(), channels);
        LoopNest nest = new LoopNest(
                "ssm.convolution", wholeSequence(output), List.of(input), convolution(channels, taps, bias), output);
        operators.add(new Pointwise(nest, Pointwise.Function.CONVOLUTION, false));
        return output;
    }

    /** The neighbours of a token are needed too: the sequence can't be split. */
    private List<Axis> wholeSequence(Tensor tensor) {
        return List.of(
                new Axis(streams.batch(), AxisRole.SAMPLE),
                new Axis(streams.seq(), AxisRole.ATTRIBUTE, false),
                new Axis(tensor.extents().getLast(), AxisRole.ATTRIBUTE));
    }

    private Tensor scan(
            List<Tensor> inputs,
            List<Tensor> parameters,
            Extent values,
            Scan.Form form,
            long keyDim,
            long valueDim,
            long groups,
            long chunk) {
        Tensor output = Tensor.activation("ssm.scanned", streams.batch(), streams.seq(), values);
        List<Axis> axes = new ArrayList<>(wholeSequence(output));
        axes.add(new Axis(Extent.of("state", keyDim), AxisRole.REDUCTION, false));
        LoopNest nest = new LoopNest("ssm.scan", axes, inputs, parameters, output);
        operators.add(new Scan(
                nest,
                form,
                keyDim,
                valueDim,
                groups,
                Math.min(chunk, streams.seq().size())));
        return output;
    }

    private Tensor gated(Tensor value, Tensor gate, Extent width) {
        Tensor output = Tensor.activation("ssm.gated", streams.batch(), streams.seq(), width);
        return streams.pointwise(operators, "ssm.gating", Pointwise.Function.GATE, List.of(value, gate), output);
    }

    /** Of each head, or of each group of heads: the loop over heads can be split. */
    private Tensor normed(Tensor input, Extent width, Extent scale) {
        Tensor output = Tensor.activation("ssm.normed", streams.batch(), streams.seq(), width);
        List<Tensor> parameters = List.of(Tensor.parameter("ssm.inner.norm.scale", scale));
        operators.add(new Normalization(
                new LoopNest("ssm.inner.norm", streams.axes(input), List.of(input), parameters, output), false));
        return output;
    }

    private Tensor out(Tensor value, Extent width) {
        return streams.linear(
                operators,
                "ssm.out",
                value,
                width,
                streams.hidden(),
                streams.sizes().bias().attentionOut());
    }
}
