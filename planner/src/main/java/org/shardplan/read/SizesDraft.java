package org.shardplan.read;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.shardplan.graph.Extensions;
import org.shardplan.graph.Extensions.Indexer;
import org.shardplan.graph.LayerKind;
import org.shardplan.graph.LayerKind.Feed;
import org.shardplan.graph.LayerKind.Mixer;
import org.shardplan.graph.Tower;
import org.shardplan.graph.TransformerSizes;
import org.shardplan.graph.TransformerSizes.Bias;
import org.shardplan.graph.TransformerSizes.Experts;
import org.shardplan.graph.TransformerSizes.LatentAttention;
import org.shardplan.graph.TransformerSizes.Norm;
import org.shardplan.graph.TransformerSizes.NormPlacement;
import org.shardplan.graph.TransformerSizes.Positions;
import org.shardplan.graph.TransformerSizes.QkNorm;

/**
 * Sizes on their way out of a config: a family fills it, {@link #finish} checks that the parts agree. It starts as the plain
 * modern decoder (RMSNorm before each branch, rotary positions, gated MLP, no biases); a family changes what differs.
 */
final class SizesDraft {
    static final int MOST_LAYERS = 100_000;
    static final long MOST_WIDTH = 10_000_000;
    static final long MOST_TOKENS = 1_000_000_000;
    /** Modules that predict further tokens: no model has more than three. */
    static final int MOST_MODULES = 64;
    /** No model has a thousandth of this; below it, no product of sizes overflows. */
    private static final double MOST_PARAMETERS = 1e16;

    private static final long LONGEST_DEFAULT_SEQUENCE = 8192;

    int layers;
    long hidden;
    long ffn;
    long heads;
    long kvHeads;
    long headDim;
    long vocab;
    long maxPositions;
    boolean gatedMlp = true;
    NormPlacement normPlacement = NormPlacement.PRE;
    Norm norm = Norm.RMS_NORM;
    Positions positions = Positions.ROTARY;
    double rotaryFraction = 1;
    QkNorm qkNorm = QkNorm.NONE;
    Bias bias = Bias.NONE;
    boolean tiedEmbeddings;
    boolean embeddingNorm;
    boolean finalNorm = true;
    long window;
    int windowEvery = 1;
    boolean logitSoftCap;
    boolean dropout;
    long extraPositionRows;
    Experts experts = Experts.NONE;
    LatentAttention latent = LatentAttention.NONE;
    /** What mixes tokens in a layer, and what they pass alone; null where window, latent attention and experts say it. */
    @Nullable
    IntFunction<Mixer> mixer;

    @Nullable
    IntFunction<Feed> feed;
    /** The class's vocabulary when the key is absent, 0 = it must be there. */
    long vocabDefault;

    boolean causal = true;
    boolean sinks;
    boolean outputGate;
    boolean sharedGate;
    int nextTokens;
    Indexer indexer = Indexer.NONE;
    Extensions.Head head = Extensions.Head.TOKENS;
    Tower.Stem stem = Tower.Stem.TOKENS;
    List<Tower> towers = List.of();

    private String hiddenKey = "hidden_size";
    private String headsKey = "num_attention_heads";

    /** Layers, width, heads and vocabulary, under the names that nearly all classes use. */
    void widths(ConfigFields config) {
        widths(
                config,
                List.of("num_hidden_layers", "n_layer", "num_layers", "n_layers"),
                List.of("hidden_size", "n_embd", "n_embed", "d_model"),
                List.of("num_attention_heads", "n_head", "n_heads", "num_heads"));
        vocab = vocabDefault > 0
                ? config.sizeOr(vocabDefault, MOST_TOKENS, "vocab_size")
                : config.size(MOST_TOKENS, "vocab_size");
    }

    private void widths(
            ConfigFields config, List<String> layersNames, List<String> hiddenNames, List<String> headsNames) {
        layers = (int) config.size(MOST_LAYERS, layersNames.toArray(String[]::new));
        hidden = config.size(MOST_WIDTH, hiddenNames.toArray(String[]::new));
        heads = config.size(MOST_WIDTH, headsNames.toArray(String[]::new));
        kvHeads = heads;
        hiddenKey = config.key(hiddenNames.toArray(String[]::new));
        headsKey = config.key(headsNames.toArray(String[]::new));
    }

    /** As {@link #widths}, for the classes whose vocabulary has another name. */
    void widthsWithoutVocab(ConfigFields config) {
        widths(
                config,
                List.of("num_layers", "num_hidden_layers"),
                List.of("hidden_size"),
                List.of("num_attention_heads"));
    }

    /**
     * The fields of a Llama-like class.
     *
     * @param kvDefault the class's key-value heads when the key is absent, 0 = as many as query heads
     * @param positionsDefault the class's longest sequence when the key is absent
     * @param tiedDefault whether the class ties embeddings when the key is absent
     */
    void modern(ConfigFields config, long kvDefault, long positionsDefault, boolean tiedDefault) {
        widths(config);
        ffn = config.size(MOST_WIDTH, "intermediate_size");
        kvHeads(config, kvDefault);
        headDim = config.sizeOr(0, MOST_WIDTH, "head_dim");
        maxPositions = config.sizeOr(positionsDefault, MOST_TOKENS, "max_position_embeddings", "n_positions");
        tied(config, tiedDefault);
        rotaryFraction(config, "partial_rotary_factor", 1);
        dropout(config, "attention_dropout", false);
    }

    /** So many modules that predict further tokens. */
    void nextTokens(int modules, ConfigFields config) {
        nextTokens = modules;
        if (modules > 0) {
            config.note(
                    modules + (modules == 1 ? " module predicts a further token" : " modules predict further tokens")
                            + ", in training only: its parameters come on top of the published size");
        }
    }

    void kvHeads(ConfigFields config, long classDefault) {
        boolean asHeads = classDefault == 0 || config.isNull("num_key_value_heads");
        kvHeads = config.sizeOr(asHeads ? heads : classDefault, MOST_WIDTH, "num_key_value_heads");
    }

    void tied(ConfigFields config, boolean classDefault) {
        tiedEmbeddings = config.flag("tie_word_embeddings", classDefault);
    }

    /** The rotated share, which newer files keep inside rope_parameters. */
    void rotaryFraction(ConfigFields config, String name, double classDefault) {
        double inner = config.object("rope_parameters")
                .map(rope -> rope.number(name, classDefault, 0, 1))
                .orElse(classDefault);
        rotaryFraction = config.number(name, inner, 0, 1);
    }

    /** Linear biases by the two keys of Llama-like classes. */
    void biases(ConfigFields config, String attentionName, boolean attentionDefault, String mlpName) {
        boolean attention = config.flag(attentionName, attentionDefault);
        boolean mlp = config.flag(mlpName, false);
        bias = new Bias(attention, attention, mlp, mlp, false);
    }

    /** Dropout of the class's main key, or of any other key that says how much is dropped. */
    void dropout(ConfigFields config, String mainName, boolean classDefault) {
        dropout = !config.has(mainName) && classDefault;
        List<String> names = List.of(
                mainName,
                "dropout",
                "attention_dropout",
                "hidden_dropout",
                "resid_pdrop",
                "attn_pdrop",
                "embd_pdrop",
                "residual_dropout",
                "embedding_dropout");
        for (String name : names) {
            dropout |= config.number(name, 0, 0, 1) > 0;
        }
    }

    /** @throws org.shardplan.units.UserError when the parts contradict each other */
    TransformerSizes finish(String name, ConfigFields config) {
        if (headDim == 0) {
            if (hidden % heads != 0) {
                throw config.error(
                        hiddenKey,
                        "is not a multiple of " + headsKey + " = " + heads + ", and head_dim is not given",
                        "Maybe add \"head_dim\", or " + headsKey + " is " + Divisors.nearest(hidden, heads)
                                + ", which divides it");
            }
            headDim = hidden / heads;
        }
        if (kvHeads > heads || heads % kvHeads != 0) {
            String kvKey = config.key("num_key_value_heads", "num_kv_heads", "multi_query_group_num");
            throw config.error(
                    config.has(kvKey) ? kvKey : headsKey,
                    "doesn't fit: %d key-value heads do not divide %d query heads".formatted(kvHeads, heads),
                    "Maybe " + kvKey + " is " + Divisors.nearest(heads, Math.min(kvHeads, heads)));
        }
        if (window >= maxPositions) {
            window = 0;
        }
        double mlps = 3.0 * ffn + 3.0 * experts.count() * experts.ffn() + 3.0 * experts.sharedFfn();
        double perLayer = hidden * (2.0 * (heads + kvHeads) * headDim + mlps);
        double parameters = layers * perLayer + 2.0 * hidden * (vocab + maxPositions);
        if (parameters > MOST_PARAMETERS) {
            throw config.error(
                    hiddenKey,
                    "with %d layers and a vocabulary of %d means %.0e parameters, more than any model"
                            .formatted(layers, vocab, parameters),
                    "Maybe a digit is wrong");
        }
        TransformerSizes sizes = sizes(name);
        return mixer == null && feed == null
                ? sizes
                : sizes.with(sizes.extensions().withLayers(kinds(sizes)));
    }

    private List<LayerKind> kinds(TransformerSizes plain) {
        List<LayerKind> kinds = new ArrayList<>();
        for (int i = 0; i < layers; i++) {
            LayerKind usual = plain.layer(i);
            kinds.add(new LayerKind(
                    mixer == null ? usual.mixer() : mixer.apply(i), feed == null ? usual.feed() : feed.apply(i)));
        }
        return kinds;
    }

    /** Attention of the model's heads that sees so many keys, 0 = all. */
    LayerKind.Attend attend(long keys) {
        return new LayerKind.Attend(heads, kvHeads, headDim, keys < maxPositions ? keys : 0, false, true, false);
    }

    private TransformerSizes sizes(String name) {
        return new TransformerSizes(
                name,
                layers,
                hidden,
                ffn,
                heads,
                kvHeads,
                headDim,
                vocab,
                maxPositions,
                Math.min(maxPositions, LONGEST_DEFAULT_SEQUENCE),
                gatedMlp,
                normPlacement,
                norm,
                positions,
                positions == Positions.ROTARY ? rotaryFraction : 0,
                qkNorm,
                bias,
                tiedEmbeddings,
                embeddingNorm,
                finalNorm,
                window,
                windowEvery,
                logitSoftCap,
                dropout,
                extraPositionRows,
                experts,
                latent,
                new Extensions(
                        List.of(), causal, sinks, outputGate, sharedGate, nextTokens, indexer, head, stem, towers));
    }
}
