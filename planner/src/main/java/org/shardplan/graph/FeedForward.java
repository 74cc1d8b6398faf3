package org.shardplan.graph;

import java.util.List;

/**
 * The MLP of a layer, or the mixture of experts in its place.
 *
 * <p>Axes of experts: {@code router} (one logit an expert; never split), {@code choice} (experts of a token), {@code expert} (which
 * indexes tokens and weights alike, so that splitting it splits both), and {@code seq}, which beside {@code expert} counts an
 * expert's slots: the sequence's tokens, each {@code topk} times, shared out over the experts. Dispatch and combine only copy
 * and add within a rank: what they write and read lies by sequence, what the grouped products read and write lies by expert, and the
 * all-to-all is the way from the one layout to the other.
 */
final class FeedForward {
    private final Streams streams;
    private final TransformerSizes sizes;
    private final Extent batch;
    private final Extent seq;
    private final Extent hidden;
    private final List<Operator> operators;

    FeedForward(Streams streams, List<Operator> operators) {
        this.streams = streams;
        this.sizes = streams.sizes();
        this.batch = streams.batch();
        this.seq = streams.seq();
        this.hidden = streams.hidden();
        this.operators = operators;
    }

    /** A dense MLP of width {@code ffn}; its operators' names begin with {@code name}. */
    Tensor mlp(String name, Tensor input, long ffn) {
        Extent inner = Extent.of("ffn", ffn);
        Extent wide = wide(ffn);
        Tensor before = Tensor.activation(name + ".in", batch, seq, wide);
        Tensor weightIn = Tensor.parameter(name + ".in.weight", hidden, wide);
        operators.add(Contraction.linear(
                name + ".in", input, hidden, wide, sizes.bias().mlpIn(), weightIn, before));
        Tensor activated = Tensor.activation(name + ".activated", batch, seq, inner);
        activate(name, before, activated);
        Tensor output = Tensor.activation(name + ".out", batch, seq, hidden);
        Tensor weightOut = Tensor.parameter(name + ".out.weight", inner, hidden);
        operators.add(Contraction.linear(
                name + ".out", activated, inner, hidden, sizes.bias().mlpOut(), weightOut, output));
        return output;
    }

    private Extent wide(long ffn) {
        return sizes.gatedMlp() ? new Extent("ffn", List.of(new Extent.Part(ffn, 2)), 1) : Extent.of("ffn", ffn);
    }

    private void activate(String name, Tensor before, Tensor activated) {
        Pointwise.Function function =
                sizes.gatedMlp() ? Pointwise.Function.GATED_ACTIVATION : Pointwise.Function.ACTIVATION;
        pointwise(name + ".activation", function, List.of(before), activated);
    }

    private void pointwise(String name, Pointwise.Function function, List<Tensor> inputs, Tensor output) {
        streams.pointwise(operators, name, function, inputs, output);
    }

    /** Router, dispatch, grouped products, combine, and the shared experts beside them. */
    Tensor experts(Tensor input) {
        TransformerSizes.Experts experts = sizes.experts();
        Extent router = parts("router", experts.groups(), experts.count());
        Tensor logits = new Tensor(
                "router.logits", Tensor.Kind.ACTIVATION, Tensor.Element.FLOAT32, List.of(batch, seq, router));
        Tensor weight = Tensor.parameter("router.weight", hidden, router);
        operators.add(Contraction.linear("router", input, hidden, router, experts.routerBias(), weight, logits));
        Tensor chosen = new Tensor(
                "router.weights",
                Tensor.Kind.ACTIVATION,
                Tensor.Element.FLOAT32,
                List.of(batch, seq, parts("choice", experts.groupTopk(), experts.topk())));
        pointwise("router.choice", Pointwise.Function.TOP_K, List.of(logits), chosen);
        Tensor made = grouped(input, chosen);
        if (experts.sharedFfn() == 0) {
            return made;
        }
        Tensor shared = mlp("mlp.shared", input, experts.sharedFfn());
        if (sizes.extensions().sharedGate()) {
            Tensor gate = streams.linear(operators, "mlp.shared.gate", input, hidden, Extent.of("gate", 1), false);
            Tensor gated = Tensor.activation("mlp.shared.gated", batch, seq, hidden);
            pointwise("mlp.shared.gating", Pointwise.Function.GATE, List.of(shared, gate), gated);
            shared = gated;
        }
        Tensor sum = Tensor.activation("experts.sum", batch, seq, hidden);
        pointwise("experts.sum", Pointwise.Function.ADD, List.of(made, shared), sum);
        return sum;
    }

    /** Experts, or those of a token, in the groups that they come from. */
    private static Extent parts(String name, int groups, int size) {
        return groups > 1 && size % groups == 0
                ? new Extent(name, List.of(new Extent.Part(groups, size / groups)), 1)
                : Extent.of(name, size);
    }

    private Tensor grouped(Tensor input, Tensor chosen) {
        TransformerSizes.Experts experts = sizes.experts();
        Extent expert = Extent.of("expert", experts.count());
        Extent slots = Extent.of("seq", experts.slots(seq.size()));
        Extent inner = Extent.of("ffn", experts.ffn());
        Extent wide = wide(experts.ffn());
        Tensor sent = Tensor.activation("experts.sent", batch, expert, slots, hidden);
        pointwise("experts.dispatch", Pointwise.Function.DISPATCH, List.of(input, chosen), sent);
        Tensor before = Tensor.activation("experts.in", batch, expert, slots, wide);
        operators.add(product("experts.in", sent, hidden, wide, sizes.bias().mlpIn(), before));
        Tensor activated = Tensor.activation("experts.activated", batch, expert, slots, inner);
        activate("experts", before, activated);
        Tensor made = Tensor.activation("experts.out", batch, expert, slots, hidden);
        operators.add(
                product("experts.out", activated, inner, hidden, sizes.bias().mlpOut(), made));
        Tensor combined = Tensor.activation("experts.combined", batch, seq, hidden);
        pointwise("experts.combine", Pointwise.Function.COMBINE, List.of(made, chosen), combined);
        return combined;
    }

    /** A product for each expert, each with a weight of its own. */
    private static Contraction product(String name, Tensor input, Extent in, Extent out, boolean bias, Tensor output) {
        Extent expert = input.extents().get(1);
        List<Axis> axes = List.of(
                new Axis(input.extents().getFirst(), AxisRole.SAMPLE),
                new Axis(expert, AxisRole.PARAMETER),
                new Axis(input.extents().get(2), AxisRole.ATTRIBUTE),
                new Axis(in, AxisRole.REDUCTION),
                new Axis(out, AxisRole.PARAMETER));
        Tensor weight = Tensor.parameter(name + ".weight", expert, in, out);
        List<Tensor> parameters =
                bias ? List.of(weight, Tensor.parameter(name + ".bias", expert, out)) : List.of(weight);
        return new Contraction(new LoopNest(name, axes, List.of(input), parameters, output));
    }
}
