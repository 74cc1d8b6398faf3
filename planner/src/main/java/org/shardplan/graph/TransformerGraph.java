package org.shardplan.graph;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.shardplan.graph.TransformerSizes.NormPlacement;
import org.shardplan.graph.TransformerSizes.Positions;
import org.shardplan.graph.TransformerSizes.QkNorm;

/**
 * Builds the operator graph of a decoder from its sizes.
 *
 * <p>Axes: {@code batch} (one sample), {@code seq}, {@code hidden}, {@code heads} (queries, keys and values; its width differs
 * between tensors), {@code key} (keys that a query meets), {@code ffn}, {@code vocab}; those of experts stand at {@link FeedForward}. Norm placement, biases, gating and
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
        long valueDim = sizes.latent().exists() ? sizes.latent().valueDim() : sizes.headDim();
        context = new Extent("heads", List.of(new Extent.Part(sizes.heads(), valueDim)), 1);
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

    /** Layers of one kind in a row are one block: with a window or without, with experts or without. */
    private void addLayers(List<Block> blocks) {
        Map<String, List<Operator>> kinds = new HashMap<>();
        String open = "";
        int repeat = 0;
        for (int i = 0; i < sizes.layers(); i++) {
            String kind = kind(i);
            if (!kind.equals(open) && repeat > 0) {
                blocks.add(new Block(open, Block.Kind.LAYER, repeat, kinds.getOrDefault(open, List.of())));
                repeat = 0;
            }
            boolean experts = sizes.hasExperts(i);
            long window = windowed(i) ? sizes.window() : 0;
            kinds.computeIfAbsent(kind, _ -> new Layer(window, experts).operators());
            open = kind;
            repeat++;
        }
        blocks.add(new Block(open, Block.Kind.LAYER, repeat, kinds.getOrDefault(open, List.of())));
    }

    private boolean windowed(int layer) {
        return sizes.window() > 0 && (sizes.windowEvery() <= 1 || (layer + 1) % sizes.windowEvery() != 0);
    }

    private String kind(int layer) {
        boolean mixed = sizes.window() > 0 && sizes.windowEvery() > 1;
        return "layer" + (!mixed ? "" : windowed(layer) ? ".window" : ".full")
                + (sizes.hasExperts(layer) ? ".experts" : "");
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
        private final boolean experts;

        Layer(long window, boolean experts) {
            this.window = window;
            this.experts = experts;
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
            Tensor written = branch.equals("attention") ? attention(read) : fed(read);
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
            Tensor fed = fed(mlpInput);
            add("residual", List.of(attended, fed, input), stream("out"));
        }

        private Tensor add(String name, List<Tensor> inputs, Tensor output) {
            LoopNest nest = new LoopNest(name, streamAxes(true), inputs, List.of(), output);
            operators.add(new Pointwise(nest, Pointwise.Function.ADD, sizes.dropout()));
            return output;
        }

        /** Queries, keys and values as attention reads them. */
        private Tensor projections(Tensor input) {
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
            return projected;
        }

        private Tensor attention(Tensor input) {
            Tensor projected = sizes.latent().exists()
                    ? new LatentProjections(sizes, batch, seq, hidden).add(operators, input)
                    : projections(input);
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

        private Tensor fed(Tensor input) {
            FeedForward parts = new FeedForward(sizes, batch, seq, hidden, operators);
            return experts ? parts.experts(input) : parts.mlp("mlp", input, sizes.ffn());
        }
    }
}
