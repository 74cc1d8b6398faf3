package org.shardplan.graph;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Builds the operator graph of a transformer from its sizes: embedding, layers, head.
 *
 * <p>Axes: {@code batch} (one sample), {@code seq}, {@code hidden}, {@code heads} (queries, keys and values; its width differs
 * between tensors), {@code key} (keys that a query meets), {@code ffn}, {@code vocab}; those of experts stand at {@link FeedForward}, those of
 * scans at {@link Scan}. Norm placement, biases, gating and parallel blocks follow {@link TransformerSizes}; each field's model families are
 * named there. A decoder's encoder is the first of its layers; the last of them also embeds the decoder's tokens.
 */
public final class TransformerGraph {
    /** Raffel et al. 2020, arXiv:1910.10683, section 3.1.4: 512 tokens in, of which 114 are to be told. */
    private static final double TARGETS = 114.0 / 512;

    private final TransformerSizes sizes;
    private final Streams streams;
    private final Extent vocab;
    /** Tokens of the workload's sequence. */
    private final long seqLen;

    private final List<Block> blocks = new ArrayList<>();
    private final Map<String, List<Operator>> known = new HashMap<>();
    private final Map<Key, String> names = new LinkedHashMap<>();

    /** What makes two layers one block. */
    private record Key(LayerKind kind, boolean encoder, boolean last) {}

    private TransformerGraph(TransformerSizes sizes, long seqLen, long vocabMultiple) {
        this.sizes = sizes;
        this.seqLen = seqLen;
        boolean targets = sizes.extensions()
                .encoder()
                .filter(tower -> tower.tokens() == 0)
                .isPresent();
        streams = new Streams(sizes, targets ? Math.max(1, Math.round(seqLen * TARGETS)) : seqLen);
        vocab = new Extent("vocab", List.of(new Extent.Part(sizes.vocab(), 1)), vocabMultiple);
    }

    /**
     * The graph of a model.
     *
     * @param seqLen tokens a sequence; of an encoder with a decoder those that the encoder reads, unless its input has a length of its own
     * @param vocabMultiple each vocabulary shard is padded to a multiple of this, 1 = no padding (published parameter counts)
     */
    public static OperatorGraph build(TransformerSizes sizes, long seqLen, long vocabMultiple) {
        TransformerGraph builder = new TransformerGraph(sizes, seqLen, vocabMultiple);
        builder.embedding();
        builder.layers();
        LayerKind last = builder.kind(sizes.layers() - 1, builder.streams);
        builder.blocks.add(new HeadParts(builder.streams, builder.vocab).block(last));
        return new OperatorGraph(sizes.name(), builder.blocks);
    }

    private Streams encoder(Tower tower) {
        return new Streams(tower.sizes(), tower.tokens() == 0 ? seqLen : tower.tokens());
    }

    private void embedding() {
        Extensions extensions = sizes.extensions();
        Streams first = extensions.encoder().map(this::encoder).orElse(streams);
        Tower.Stem stem = extensions.encoder().map(Tower::stem).orElse(extensions.stem());
        List<Tower> towers =
                extensions.towers().stream().filter(tower -> !tower.isEncoder()).toList();
        blocks.add(new EmbeddingParts(first, vocab).block(stem, towers));
    }

    /** Layers of one kind in a row are one block: with a window or without, with experts or without. */
    private void layers() {
        int encoders = sizes.extensions().encoderLayers();
        boolean mixed = mixers(encoders) > 1;
        Key open = null;
        int repeat = 0;
        for (int i = 0; i < sizes.layers(); i++) {
            Streams own = i < encoders ? encoder(sizes.extensions().encoder().orElseThrow()) : streams;
            Key key = new Key(kind(i, own), i < encoders, i == encoders - 1);
            String name = names.computeIfAbsent(key, fresh -> name(fresh, mixed));
            known.computeIfAbsent(name, _ -> operators(key, own));
            if (open != null && !key.equals(open)) {
                add(open, repeat);
                repeat = 0;
            }
            open = key;
            repeat++;
        }
        if (open != null) {
            add(open, repeat);
        }
    }

    private void add(Key key, int repeat) {
        String name = names.getOrDefault(key, "layer");
        blocks.add(new Block(name, Block.Kind.LAYER, repeat, known.getOrDefault(name, List.of())));
    }

    private List<Operator> operators(Key key, Streams own) {
        List<Operator> operators = new ArrayList<>(new LayerParts(own, key.kind).operators());
        if (key.last) {
            Tensor made = operators.getLast().output();
            Tensor memory = new Tensor(AttentionParts.MEMORY, Tensor.Kind.CARRIED, made.element(), made.extents());
            operators.add(own.norm("encoder.norm", made, memory));
            operators.addAll(new EmbeddingParts(streams, vocab).second("decoder."));
        }
        return operators;
    }

    private long mixers(int encoders) {
        List<LayerKind.Mixer> all = new ArrayList<>();
        for (int i = encoders; i < sizes.layers(); i++) {
            all.add(kind(i, streams).mixer());
        }
        return all.stream().distinct().count();
    }

    /** A window as long as the sequence is none. */
    private LayerKind kind(int index, Streams own) {
        int encoders = sizes.extensions().encoderLayers();
        LayerKind kind = index < encoders ? own.sizes().layer(index) : sizes.layer(index - encoders);
        if (kind.mixer() instanceof LayerKind.CrossAttend cross && cross.keys() == 0) {
            return new LayerKind(cross.withKeys(seqLen), kind.feed());
        }
        return kind.mixer() instanceof LayerKind.Attend attend
                        && attend.window() >= own.seq().size()
                ? new LayerKind(attend.withoutWindow(), kind.feed())
                : kind;
    }

    /** A name for each kind of layer, by what tells it from the others. */
    private String name(Key key, boolean mixed) {
        String place = key.encoder ? ".encoder" + (key.last ? ".last" : "") : "";
        String plain = "layer" + place + (mixed ? "." + key.kind.mixer().word() : "")
                + key.kind.feed().suffix();
        String name = plain;
        for (int n = 2; names.containsValue(name); n++) {
            name = plain + "." + n;
        }
        return name;
    }
}
