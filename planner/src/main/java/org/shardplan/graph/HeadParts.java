package org.shardplan.graph;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What stands behind the last layer: logits and their loss, and modules that predict further tokens. */
final class HeadParts {
    private final Streams streams;
    private final TransformerSizes sizes;
    private final Extent vocab;
    private final List<Operator> operators = new ArrayList<>();

    HeadParts(Streams streams, Extent vocab) {
        this.streams = streams;
        this.sizes = streams.sizes();
        this.vocab = vocab;
    }

    /** The block; {@code last} is the kind of the last layer, which further modules repeat. */
    Block block(LayerKind last) {
        Tensor input = streams.stream("layers.out");
        if (sizes.extensions().head() == Extensions.Head.MASKED) {
            input = transformed(input);
        }
        if (sizes.extensions().head() == Extensions.Head.POOLED) {
            pooled(input);
        } else {
            predict("", input);
        }
        for (int n = 1; n <= sizes.extensions().nextTokens(); n++) {
            input = nextToken("mtp." + n, input, last);
        }
        return new Block("head", Block.Kind.HEAD, 1, operators);
    }

    /** Masked words are told from a layer's output through one more linear layer (Devlin et al. 2019, arXiv:1810.04805, BERT's code). */
    private Tensor transformed(Tensor input) {
        Tensor made = streams.linear(operators, "head.transform", input, streams.hidden(), inner(), true);
        Tensor activated = streams.stream("head.activated");
        streams.pointwise(operators, "head.activation", Pointwise.Function.ACTIVATION, List.of(made), activated);
        Tensor normed = streams.stream("head.normed");
        operators.add(streams.norm("head.norm", activated, normed));
        return normed;
    }

    private Extent inner() {
        return Extent.of("inner", sizes.hidden());
    }

    /** One vector a sample, from its first token, and classes of it. */
    private void pooled(Tensor layersOut) {
        Tensor input = layersOut;
        if (sizes.finalNorm()) {
            input = streams.stream("final.normed");
            operators.add(streams.norm("final.norm", layersOut, input));
        }
        Extent one = Extent.of("seq", 1);
        Tensor first = Tensor.activation("first", streams.batch(), one, streams.hidden());
        streams.pointwise(operators, "first", Pointwise.Function.SCALE, List.of(input), first);
        Tensor pooled = Tensor.activation("pooled", streams.batch(), one, inner());
        operators.add(Contraction.linear(
                "pooler",
                first,
                streams.hidden(),
                inner(),
                sizes.bias().head(),
                Tensor.parameter("pooler.weight", streams.hidden(), inner()),
                pooled));
        Tensor activated = Tensor.activation("pooled.activated", streams.batch(), one, inner());
        streams.pointwise(operators, "pooler.activation", Pointwise.Function.ACTIVATION, List.of(pooled), activated);
    }

    /**
     * A module that predicts one further token (DeepSeek-V3, arXiv:2412.19437, section 2.2): it joins what came before with the embedding
     * of the next token, runs one layer, and predicts with the model's own head.
     */
    private Tensor nextToken(String name, Tensor before, LayerKind last) {
        Tensor normed = streams.stream(name + ".before.normed");
        operators.add(streams.norm(name + ".before.norm", before, normed));
        Tensor ids = new Tensor(
                name + ".ids", Tensor.Kind.INPUT, Tensor.Element.INDEX, List.of(streams.batch(), streams.seq()));
        Tensor embedded = streams.stream(name + ".embedded");
        List<Axis> axes = new ArrayList<>(streams.streamAxes(true));
        axes.add(new Axis(vocab, AxisRole.REDUCTION));
        List<Tensor> table = List.of(Tensor.parameter("shared.embedding", vocab, streams.hidden()));
        operators.add(new Embedding(new LoopNest(name + ".embedding", axes, List.of(ids), table, embedded)));
        Tensor next = streams.stream(name + ".next.normed");
        operators.add(streams.norm(name + ".next.norm", embedded, next));
        Extent pair = Extent.of("pair", 2 * sizes.hidden());
        Tensor both = Tensor.activation(name + ".both", streams.batch(), streams.seq(), pair);
        streams.pointwise(operators, name + ".join", Pointwise.Function.SCALE, List.of(normed, next), both);
        Tensor joined = streams.linear(operators, name + ".projection", both, pair, streams.hidden(), false);
        Tensor made = streams.stream(name + ".out");
        List<Operator> layer = new LayerParts(streams, last).operators();
        operators.addAll(new LayerCopy(name, Map.of("in", joined, "out", made)).of(layer));
        predict(name + ".", made);
        return made;
    }

    /** Final norm, logits and loss; names begin with {@code prefix}, the head's weight is one. */
    private void predict(String prefix, Tensor layersOut) {
        Tensor input = layersOut;
        if (sizes.finalNorm()) {
            input = streams.stream(prefix + "final.normed");
            operators.add(streams.norm(prefix + "final.norm", layersOut, input));
        }
        Tensor weight = sizes.tiedEmbeddings()
                ? Tensor.parameter("shared.embedding", vocab, streams.hidden())
                : Tensor.parameter("head.weight", streams.hidden(), vocab);
        Tensor logits = Tensor.activation(prefix + "logits", streams.batch(), streams.seq(), vocab);
        operators.add(Contraction.linear(
                prefix + "head", input, streams.hidden(), vocab, sizes.bias().head(), weight, logits));
        if (sizes.logitSoftCap()) {
            Tensor capped = Tensor.activation(prefix + "logits.capped", streams.batch(), streams.seq(), vocab);
            logits = streams.pointwise(
                    operators, prefix + "soft.cap", Pointwise.Function.SOFT_CAP, List.of(logits), capped);
        }
        List<Axis> axes = List.of(
                new Axis(streams.batch(), AxisRole.SAMPLE),
                new Axis(streams.seq(), AxisRole.ATTRIBUTE),
                new Axis(vocab, AxisRole.REDUCTION));
        Tensor statistics = new Tensor(
                prefix + "loss",
                Tensor.Kind.ACTIVATION,
                Tensor.Element.FLOAT32,
                List.of(streams.batch(), streams.seq(), Extent.of("statistic", 3)));
        operators.add(
                new CrossEntropy(new LoopNest(prefix + "cross.entropy", axes, List.of(logits), List.of(), statistics)));
    }
}
