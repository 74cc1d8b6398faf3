package org.shardplan.graph;

import java.util.ArrayList;
import java.util.List;
import org.shardplan.graph.TransformerSizes.NormPlacement;
import org.shardplan.graph.TransformerSizes.Positions;
import org.shardplan.graph.TransformerSizes.QkNorm;

/**
 * Builds the operator graph of a dense decoder from its sizes.
 *
 * <p>Axes: {@code batch} (one sample), {@code seq}, {@code hidden}, {@code heads} (queries, keys and values; its width differs
 * between tensors), {@code key} (keys that a query meets), {@code ffn}, {@code vocab}. Norm placement, biases, gating and
 * parallel blocks follow {@link TransformerSizes}; each field's model families are named there.
 */
public final class TransformerGraph {
    private final TransformerSizes sizes;
    private final Extent batch = Extent.of("batch", 1);
    private final Extent seq;
    private final Extent hidden;
    private final Extent qkv;
    private final Extent context;
    private final Extent vocab;

    private TransformerGraph(TransformerSizes sizes, long seqLen, long vocabMultiple) {
        this.sizes = sizes;
        seq = Extent.of("seq", seqLen);
        hidden = Extent.of("hidden", sizes.hidden());
        context = new Extent("heads", List.of(new Extent.Part(sizes.heads(), sizes.headDim())), 1);
        qkv = new Extent(
                "heads",
                List.of(
                        new Extent.Part(sizes.heads(), sizes.headDim()),
                        new Extent.Part(sizes.kvHeads(), 2 * sizes.headDim())),
                1);
        vocab = new Extent("vocab", List.of(new Extent.Part(sizes.vocab(), 1)), vocabMultiple);
    }

    /**
     * The graph of a model.
     *
     * @param seqLen tokens a sequence
     * @param vocabMultiple each vocabulary shard is padded to a multiple of this, 1 = no padding (published parameter counts)
     */
    public static OperatorGraph build(TransformerSizes sizes, long seqLen, long vocabMultiple) {
        TransformerGraph builder = new TransformerGraph(sizes, seqLen, vocabMultiple);
        List<Block> blocks = new ArrayList<>();
        blocks.add(builder.embedding());
        builder.addLayers(blocks);
        blocks.add(builder.head());
        return new OperatorGraph(sizes.name(), blocks);
    }

    private void addLayers(List<Block> blocks) {
        int every = sizes.window() > 0 ? Math.max(1, sizes.windowEvery()) : 1;
        if (every == 1) {
            blocks.add(new Block("layer", Block.Kind.LAYER, sizes.layers(), new Layer(sizes.window()).operators()));
            return;
        }
        List<Operator> windowed = new Layer(sizes.window()).operators();
        List<Operator> full = new Layer(0).operators();
        for (int done = 0; done < sizes.layers(); done += every) {
            int local = Math.min(every - 1, sizes.layers() - done);
            blocks.add(new Block("layer.window", Block.Kind.LAYER, local, windowed));
            if (done + local < sizes.layers()) {
                blocks.add(new Block("layer.full", Block.Kind.LAYER, 1, full));
            }
        }
    }

    private Tensor stream(String name) {
        return Tensor.activation(name, batch, seq, hidden);
    }

    private List<Axis> streamAxes(boolean hiddenSplits) {
        return List.of(
                new Axis(batch, AxisRole.SAMPLE),
                new Axis(seq, AxisRole.ATTRIBUTE),
                new Axis(hidden, AxisRole.ATTRIBUTE, hiddenSplits));
    }

    private Block embedding() {
        List<Operator> operators = new ArrayList<>();
        Tensor ids = new Tensor("ids", Tensor.Kind.INPUT, Tensor.Element.INDEX, List.of(batch, seq));
        List<Tensor> tables = new ArrayList<>();
        tables.add(Tensor.parameter("shared.embedding", vocab, hidden));
        if (sizes.positions() == Positions.LEARNED) {
            Extent rows = Extent.of("position", sizes.maxPositions() + sizes.extraPositionRows());
            tables.add(Tensor.parameter("embedding.positions", rows, hidden));
        }
        List<Axis> axes = new ArrayList<>(streamAxes(true));
        axes.add(new Axis(vocab, AxisRole.REDUCTION));
        Tensor output = stream("embedded");
        operators.add(new Embedding(new LoopNest("embedding", axes, List.of(ids), tables, output)));
        if (sizes.embeddingNorm()) {
            operators.add(norm("embedding.norm", output, stream("embedding.normed")));
            output = stream("embedding.normed");
        }
        if (sizes.dropout()) {
            Tensor dropped = stream("embedding.dropped");
            LoopNest nest = new LoopNest("embedding.dropout", streamAxes(true), List.of(output), List.of(), dropped);
            operators.add(new Pointwise(nest, Pointwise.Function.SCALE, true));
        }
        return new Block("embedding", Block.Kind.EMBEDDING, 1, operators);
    }

    private Block head() {
        List<Operator> operators = new ArrayList<>();
        Tensor input = stream("layers.out");
        if (sizes.finalNorm()) {
            operators.add(norm("final.norm", input, stream("final.normed")));
            input = stream("final.normed");
        }
        Tensor weight = sizes.tiedEmbeddings()
                ? Tensor.parameter("shared.embedding", vocab, hidden)
                : Tensor.parameter("head.weight", hidden, vocab);
        Tensor logits = Tensor.activation("logits", batch, seq, vocab);
        operators.add(
                Contraction.linear("head", input, hidden, vocab, sizes.bias().head(), weight, logits));
        List<Axis> axes = List.of(
                new Axis(batch, AxisRole.SAMPLE),
                new Axis(seq, AxisRole.ATTRIBUTE),
                new Axis(vocab, AxisRole.REDUCTION));
        if (sizes.logitSoftCap()) {
            Tensor capped = Tensor.activation("logits.capped", batch, seq, vocab);
            List<Axis> capAxes = List.of(axes.get(0), axes.get(1), new Axis(vocab, AxisRole.ATTRIBUTE));
            LoopNest nest = new LoopNest("soft.cap", capAxes, List.of(logits), List.of(), capped);
            operators.add(new Pointwise(nest, Pointwise.Function.SOFT_CAP, false));
            logits = capped;
        }
        Tensor statistics = new Tensor(
                "loss", Tensor.Kind.ACTIVATION, Tensor.Element.FLOAT32, List.of(batch, seq, Extent.of("statistic", 3)));
        operators.add(new CrossEntropy(new LoopNest("cross.entropy", axes, List.of(logits), List.of(), statistics)));
        return new Block("head", Block.Kind.HEAD, 1, operators);
    }

    private Normalization norm(String name, Tensor input, Tensor output) {
        List<Axis> axes = input.indexedBy("heads") ? headAxes(input, AxisRole.ATTRIBUTE) : streamAxes(false);
        return new Normalization(
                new LoopNest(name, axes, List.of(input), normParameters(name, hidden), output),
                sizes.norm() != TransformerSizes.Norm.RMS_NORM);
    }

    private List<Tensor> normParameters(String name, Extent width) {
        Tensor scale = Tensor.parameter(name + ".scale", width);
        return switch (sizes.norm()) {
            case LAYER_NORM -> List.of(scale, Tensor.parameter(name + ".shift", width));
            case LAYER_NORM_NO_SHIFT, RMS_NORM -> List.of(scale);
            case LAYER_NORM_BARE -> List.of();
        };
    }

    private List<Axis> headAxes(Tensor tensor, AxisRole role) {
        Extent heads = tensor.extents().getLast();
        return List.of(
                new Axis(batch, AxisRole.SAMPLE),
                new Axis(seq, AxisRole.ATTRIBUTE, role != AxisRole.REDUCTION),
                new Axis(heads, AxisRole.ATTRIBUTE));
    }

    /** One layer, operator by operator. */
    private final class Layer {
        private final List<Operator> operators = new ArrayList<>();
        private final long window;

        Layer(long window) {
            this.window = window;
        }

        List<Operator> operators() {
            Tensor input = stream("in");
            NormPlacement placement = sizes.normPlacement();
            boolean parallel =
                    placement == NormPlacement.PARALLEL_ONE_NORM || placement == NormPlacement.PARALLEL_TWO_NORMS;
            if (parallel) {
                parallelLayer(input, placement == NormPlacement.PARALLEL_TWO_NORMS);
            } else {
                Tensor middle = branch(input, "attention", placement, "middle");
                branch(middle, "mlp", placement, "out");
            }
            return operators;
        }

        private Tensor branch(Tensor input, String branch, NormPlacement placement, String result) {
            Tensor read = input;
            if (placement != NormPlacement.POST) {
                read = stream(branch + ".normed");
                operators.add(norm(branch + ".norm", input, read));
            }
            Tensor written = branch.equals("attention") ? attention(read) : mlp(read);
            if (placement != NormPlacement.PRE) {
                Tensor normed = stream(branch + ".post.normed");
                operators.add(norm(branch + ".post.norm", written, normed));
                written = normed;
            }
            return add(branch + ".residual", List.of(written, input), stream(result));
        }

        private void parallelLayer(Tensor input, boolean twoNorms) {
            Tensor attentionInput = stream("attention.normed");
            operators.add(norm("attention.norm", input, attentionInput));
            Tensor mlpInput = attentionInput;
            if (twoNorms) {
                mlpInput = stream("mlp.normed");
                operators.add(norm("mlp.norm", input, mlpInput));
            }
            Tensor attended = attention(attentionInput);
            Tensor fed = mlp(mlpInput);
            add("residual", List.of(attended, fed, input), stream("out"));
        }

        private Tensor add(String name, List<Tensor> inputs, Tensor output) {
            LoopNest nest = new LoopNest(name, streamAxes(true), inputs, List.of(), output);
            operators.add(new Pointwise(nest, Pointwise.Function.ADD, sizes.dropout()));
            return output;
        }

        private Tensor attention(Tensor input) {
            Tensor projected = Tensor.activation("qkv", batch, seq, qkv);
            Tensor weight = Tensor.parameter("qkv.weight", hidden, qkv);
            operators.add(
                    Contraction.linear("qkv", input, hidden, qkv, sizes.bias().qkv(), weight, projected));
            if (sizes.qkNorm() != QkNorm.NONE) {
                Tensor normed = Tensor.activation("qkv.normed", batch, seq, qkv);
                operators.add(qkNorm(projected, normed));
                projected = normed;
            }
            if (sizes.positions() == Positions.ROTARY) {
                Tensor rotated = Tensor.activation("qkv.rotated", batch, seq, qkv);
                LoopNest nest = new LoopNest(
                        "rotary", headAxes(projected, AxisRole.ATTRIBUTE), List.of(projected), List.of(), rotated);
                operators.add(new Rotary(nest, sizes.rotaryFraction()));
                projected = rotated;
            }
            Tensor attended = Tensor.activation("context", batch, seq, context);
            List<Axis> axes = List.of(
                    new Axis(batch, AxisRole.SAMPLE),
                    new Axis(context, AxisRole.ATTRIBUTE),
                    new Axis(seq, AxisRole.ATTRIBUTE, false),
                    new Axis(Extent.of("key", seq.size()), AxisRole.REDUCTION, false));
            operators.add(new Attention(
                    new LoopNest("attention", axes, List.of(projected), List.of(), attended),
                    sizes.headDim(),
                    true,
                    window,
                    sizes.dropout()));
            Tensor output = stream("attention.out");
            operators.add(Contraction.linear(
                    "attention.out",
                    attended,
                    context,
                    hidden,
                    sizes.bias().attentionOut(),
                    Tensor.parameter("attention.out.weight", context, hidden),
                    output));
            return output;
        }

        private Normalization qkNorm(Tensor input, Tensor output) {
            List<Tensor> scales;
            if (sizes.qkNorm() == QkNorm.PER_HEAD) {
                Extent element = Extent.of("head.element", sizes.headDim());
                scales = List.of(Tensor.parameter("q.norm.scale", element), Tensor.parameter("k.norm.scale", element));
            } else {
                Extent keys = new Extent("heads", List.of(new Extent.Part(sizes.kvHeads(), sizes.headDim())), 1);
                scales = List.of(Tensor.parameter("q.norm.scale", context), Tensor.parameter("k.norm.scale", keys));
            }
            return new Normalization(
                    new LoopNest("qk.norm", headAxes(input, AxisRole.ATTRIBUTE), List.of(input), scales, output),
                    false);
        }

        private Tensor mlp(Tensor input) {
            Extent inner = Extent.of("ffn", sizes.ffn());
            Extent wide = sizes.gatedMlp() ? new Extent("ffn", List.of(new Extent.Part(sizes.ffn(), 2)), 1) : inner;
            Tensor before = Tensor.activation("mlp.in", batch, seq, wide);
            operators.add(Contraction.linear(
                    "mlp.in",
                    input,
                    hidden,
                    wide,
                    sizes.bias().mlpIn(),
                    Tensor.parameter("mlp.in.weight", hidden, wide),
                    before));
            Tensor activated = Tensor.activation("mlp.activated", batch, seq, inner);
            List<Axis> axes = List.of(
                    new Axis(batch, AxisRole.SAMPLE),
                    new Axis(seq, AxisRole.ATTRIBUTE),
                    new Axis(inner, AxisRole.ATTRIBUTE));
            Pointwise.Function function =
                    sizes.gatedMlp() ? Pointwise.Function.GATED_ACTIVATION : Pointwise.Function.ACTIVATION;
            operators.add(new Pointwise(
                    new LoopNest("mlp.activation", axes, List.of(before), List.of(), activated), function, false));
            Tensor output = stream("mlp.out");
            operators.add(Contraction.linear(
                    "mlp.out",
                    activated,
                    inner,
                    hidden,
                    sizes.bias().mlpOut(),
                    Tensor.parameter("mlp.out.weight", inner, hidden),
                    output));
            return output;
        }
    }
}
