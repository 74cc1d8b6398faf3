package org.shardplan.graph;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.shardplan.graph.TransformerSizes.Positions;

/**
 * Builds the operator graph of a decoder from its sizes.
 *
 * <p>Axes: {@code batch} (one sample), {@code seq}, {@code hidden}, {@code heads} (queries, keys and values; its width differs
 * between tensors), {@code key} (keys that a query meets), {@code ffn}, {@code vocab}; those of experts stand at {@link FeedForward}. Norm placement, biases, gating and
 * parallel blocks follow {@link TransformerSizes}; each field's model families are named there.
 */
public final class TransformerGraph {
    private final TransformerSizes sizes;
    private final Streams streams;
    private final Extent batch;
    private final Extent seq;
    private final Extent hidden;
    private final Extent vocab;

    private TransformerGraph(TransformerSizes sizes, long seqLen, long vocabMultiple) {
        this.sizes = sizes;
        streams = new Streams(sizes, seqLen);
        batch = streams.batch();
        seq = streams.seq();
        hidden = streams.hidden();
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
        Map<LayerKind, String> names = names();
        Map<LayerKind, List<Operator>> kinds = new HashMap<>();
        LayerKind open = layer(0);
        int repeat = 0;
        for (int i = 0; i < sizes.layers(); i++) {
            LayerKind kind = layer(i);
            if (!kind.equals(open)) {
                blocks.add(layers(names, kinds, open, repeat));
                repeat = 0;
            }
            open = kind;
            repeat++;
        }
        blocks.add(layers(names, kinds, open, repeat));
    }

    /** A window as long as the sequence is none. */
    private LayerKind layer(int index) {
        LayerKind kind = sizes.layer(index);
        return kind.mixer() instanceof LayerKind.Attend attend && attend.window() >= seq.size()
                ? new LayerKind(attend.withoutWindow(), kind.feed())
                : kind;
    }

    private Block layers(
            Map<LayerKind, String> names, Map<LayerKind, List<Operator>> kinds, LayerKind kind, int repeat) {
        List<Operator> operators =
                kinds.computeIfAbsent(kind, _ -> new LayerParts(streams, kind).operators());
        return new Block(names.getOrDefault(kind, "layer"), Block.Kind.LAYER, repeat, operators);
    }

    /** A name for each kind of layer, by what tells it from the others. */
    private Map<LayerKind, String> names() {
        Set<LayerKind> all = new LinkedHashSet<>();
        for (int i = 0; i < sizes.layers(); i++) {
            all.add(layer(i));
        }
        long mixers = all.stream().map(LayerKind::mixer).distinct().count();
        Map<LayerKind, String> names = new LinkedHashMap<>();
        for (LayerKind kind : all) {
            String plain = "layer" + (mixers > 1 ? "." + kind.mixer().word() : "") + kind.feed().suffix();
            String name = plain;
            for (int n = 2; names.containsValue(name); n++) {
                name = plain + "." + n;
            }
            names.put(kind, name);
        }
        return names;
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
        List<Axis> axes = new ArrayList<>(streams.streamAxes(true));
        axes.add(new Axis(vocab, AxisRole.REDUCTION));
        Tensor output = streams.stream("embedded");
        operators.add(new Embedding(new LoopNest("embedding", axes, List.of(ids), tables, output)));
        if (sizes.embeddingNorm()) {
            operators.add(streams.norm("embedding.norm", output, streams.stream("embedding.normed")));
            output = streams.stream("embedding.normed");
        }
        if (sizes.dropout()) {
            Tensor dropped = streams.stream("embedding.dropped");
            LoopNest nest = new LoopNest("embedding.dropout", streams.streamAxes(true), List.of(output), List.of(), dropped);
            operators.add(new Pointwise(nest, Pointwise.Function.SCALE, true));
        }
        return new Block("embedding", Block.Kind.EMBEDDING, 1, operators);
    }

    private Block head() {
        List<Operator> operators = new ArrayList<>();
        Tensor input = streams.stream("layers.out");
        predict(operators, "", input);
        for (int n = 1; n <= sizes.extensions().nextTokens(); n++) {
            input = nextToken(operators, "mtp." + n, input);
        }
        return new Block("head", Block.Kind.HEAD, 1, operators);
    }

    /**
     * A module that predicts one further token (DeepSeek-V3, arXiv:2412.19437, section 2.2): it joins what came before with the embedding
     * of the next token, runs one layer, and predicts with the model's own head.
     */
    private Tensor nextToken(List<Operator> operators, String name, Tensor before) {
        Tensor normed = streams.stream(name + ".before.normed");
        operators.add(streams.norm(name + ".before.norm", before, normed));
        Tensor ids = new Tensor(name + ".ids", Tensor.Kind.INPUT, Tensor.Element.INDEX, List.of(batch, seq));
        Tensor embedded = streams.stream(name + ".embedded");
        List<Axis> axes = new ArrayList<>(streams.streamAxes(true));
        axes.add(new Axis(vocab, AxisRole.REDUCTION));
        List<Tensor> table = List.of(Tensor.parameter("shared.embedding", vocab, hidden));
        operators.add(new Embedding(new LoopNest(name + ".embedding", axes, List.of(ids), table, embedded)));
        Tensor next = streams.stream(name + ".next.normed");
        operators.add(streams.norm(name + ".next.norm", embedded, next));
        Extent pair = Extent.of("pair", 2 * sizes.hidden());
        Tensor both = Tensor.activation(name + ".both", batch, seq, pair);
        streams.pointwise(operators, name + ".join", Pointwise.Function.SCALE, List.of(normed, next), both);
        Tensor joined = streams.linear(operators, name + ".projection", both, pair, hidden, false);
        Tensor made = streams.stream(name + ".out");
        List<Operator> layer = new LayerParts(streams, layer(sizes.layers() - 1)).operators();
        operators.addAll(new LayerCopy(name, Map.of("in", joined, "out", made)).of(layer));
        predict(operators, name + ".", made);
        return made;
    }

    /** Final norm, logits and loss; names begin with {@code prefix}, the head's weight is one. */
    private void predict(List<Operator> operators, String prefix, Tensor layersOut) {
        Tensor input = layersOut;
        if (sizes.finalNorm()) {
            input = streams.stream(prefix + "final.normed");
            operators.add(streams.norm(prefix + "final.norm", layersOut, input));
        }
        Tensor weight = sizes.tiedEmbeddings()
                ? Tensor.parameter("shared.embedding", vocab, hidden)
                : Tensor.parameter("head.weight", hidden, vocab);
        Tensor logits = Tensor.activation(prefix + "logits", batch, seq, vocab);
        operators.add(Contraction.linear(
                prefix + "head", input, hidden, vocab, sizes.bias().head(), weight, logits));
        if (sizes.logitSoftCap()) {
            Tensor capped = Tensor.activation(prefix + "logits.capped", batch, seq, vocab);
            logits = streams.pointwise(
                    operators, prefix + "soft.cap", Pointwise.Function.SOFT_CAP, List.of(logits), capped);
        }
        List<Axis> axes = List.of(
                new Axis(batch, AxisRole.SAMPLE),
                new Axis(seq, AxisRole.ATTRIBUTE),
                new Axis(vocab, AxisRole.REDUCTION));
        Tensor statistics = new Tensor(
                prefix + "loss",
                Tensor.Kind.ACTIVATION,
                Tensor.Element.FLOAT32,
                List.of(batch, seq, Extent.of("statistic", 3)));
        operators.add(
                new CrossEntropy(new LoopNest(prefix + "cross.entropy", axes, List.of(logits), List.of(), statistics)));
    }
}
