package org.shardplan.read;

import java.util.List;
import java.util.function.IntPredicate;
import org.shardplan.graph.LayerKind;
import org.shardplan.graph.LayerKind.Mamba;
import org.shardplan.graph.TransformerSizes.Bias;
import org.shardplan.graph.TransformerSizes.Positions;
import org.shardplan.read.RoutedExperts.Keys;

/** Networks with state-space layers, alone or between layers of attention. Defaults are those of each Hugging Face config class. */
final class HybridFamilies {
    private static final int SCAN_CHUNK = 256;

    private HybridFamilies() {}

    /** MambaConfig (Mamba 1): no MLP, no attention; the head of one channel. */
    static void mamba(ConfigFields config, SizesDraft draft) {
        stateSpaceAlone(config, draft);
        LayerKind.Mamba kind =
                first(config, draft, "state_size", "conv_kernel", "expand", "time_step_rank", "use_conv_bias");
        draft.mixer = _ -> kind;
    }

    /** Mamba2Config (Codestral Mamba). */
    static void mamba2(ConfigFields config, SizesDraft draft) {
        stateSpaceAlone(config, draft);
        draft.tied(config, false);
        Mamba kind = new Mamba(
                2,
                config.sizeOr(128, SizesDraft.MOST_WIDTH, "num_heads"),
                config.sizeOr(64, SizesDraft.MOST_WIDTH, "head_dim"),
                config.sizeOr(128, SizesDraft.MOST_WIDTH, "state_size"),
                config.sizeOr(8, SizesDraft.MOST_WIDTH, "n_groups"),
                config.sizeOr(4, SizesDraft.MOST_LAYERS, "conv_kernel"),
                config.flag("use_conv_bias", true),
                config.sizeOr(SCAN_CHUNK, SizesDraft.MOST_TOKENS, "chunk_size"),
                0,
                false);
        checked(config, kind, "num_heads", draft.hidden * config.sizeOr(2, SizesDraft.MOST_LAYERS, "expand"));
        draft.mixer = _ -> kind;
    }

    private static void stateSpaceAlone(ConfigFields config, SizesDraft draft) {
        draft.layers = (int) config.size(SizesDraft.MOST_LAYERS, "num_hidden_layers", "n_layer");
        draft.hidden = config.size(SizesDraft.MOST_WIDTH, "hidden_size", "d_model");
        draft.vocab = config.size(SizesDraft.MOST_TOKENS, "vocab_size");
        draft.heads = 1;
        draft.kvHeads = 1;
        draft.ffn = draft.hidden;
        draft.maxPositions = SizesDraft.MOST_TOKENS;
        draft.positions = Positions.NONE;
        draft.tied(config, true);
        boolean bias = config.flag("use_bias", false);
        draft.bias = new Bias(bias, bias, false, false, false);
        draft.feed = _ -> new LayerKind.NoFeed();
    }

    private static Mamba first(
            ConfigFields config, SizesDraft draft, String state, String taps, String expand, String rank, String bias) {
        boolean automatic = !config.has(rank) || config.isText(rank);
        long stepRank = automatic ? Math.ceilDiv(draft.hidden, 16) : config.size(SizesDraft.MOST_WIDTH, rank);
        return new Mamba(
                1,
                draft.hidden * config.sizeOr(2, SizesDraft.MOST_LAYERS, expand),
                1,
                config.sizeOr(16, SizesDraft.MOST_WIDTH, state),
                1,
                config.sizeOr(4, SizesDraft.MOST_LAYERS, taps),
                config.flag(bias, true),
                SCAN_CHUNK,
                stepRank,
                false);
    }

    /** JambaConfig: attention in one of eight layers, experts in every second one; steps and matrices are normalised. */
    static void jamba(ConfigFields config, SizesDraft draft) {
        draft.modern(config, 8, 262_144, false);
        draft.positions = Positions.NONE;
        draft.experts = new RoutedExperts(config, draft)
                .read(new Keys("num_experts", "num_experts_per_tok", "intermediate_size"), 16, 2, draft.ffn)
                .experts();
        Mamba plain = first(
                config, draft, "mamba_d_state", "mamba_d_conv", "mamba_expand", "mamba_dt_rank", "mamba_conv_bias");
        Mamba kind = new Mamba(
                1,
                plain.heads(),
                1,
                plain.state(),
                1,
                plain.convolution(),
                plain.convolutionBias(),
                plain.chunk(),
                plain.stepRank(),
                true);
        IntPredicate attends = periodic(config, "attn_layer_period", 8, "attn_layer_offset", 4);
        IntPredicate routes = periodic(config, "expert_layer_period", 2, "expert_layer_offset", 1);
        boolean experts = draft.experts.count() > 1;
        draft.mixer = layer -> attends.test(layer) ? draft.attend(0) : kind;
        draft.feed = layer -> experts && routes.test(layer) ? new LayerKind.Routed() : new LayerKind.Dense(draft.ffn);
    }

    private static IntPredicate periodic(
            ConfigFields config, String period, int periodDefault, String offset, int offsetDefault) {
        int every = (int) config.sizeOr(periodDefault, SizesDraft.MOST_LAYERS, period);
        int first = (int) config.number(offset, offsetDefault, 0, SizesDraft.MOST_LAYERS);
        return layer -> layer % every == first;
    }

    /** BambaConfig: a Granite-like Mamba 2 whose attention stands in named layers. */
    static void bamba(ConfigFields config, SizesDraft draft) {
        draft.modern(config, 8, 262_144, false);
        draft.rotaryFraction = 0.5;
        Mamba kind = granite(config, draft);
        List<Double> attends = config.numbers("attn_layer_indices");
        draft.mixer = layer -> attends.contains((double) layer) ? draft.attend(0) : kind;
    }

    /** GraniteMoeHybridConfig (Granite 4): an MLP for all tokens beside the experts, or alone where there are none. */
    static void graniteHybrid(ConfigFields config, SizesDraft draft) {
        draft.modern(config, 0, 2048, true);
        boolean bias = config.flag("attention_bias", false);
        draft.bias = new Bias(bias, bias, false, false, false);
        boolean rotary = config.text("position_embedding_type").orElse("").equals("rope");
        draft.positions = rotary ? Positions.ROTARY : Positions.NONE;
        long shared = config.sizeOr(1024, SizesDraft.MOST_WIDTH, "shared_intermediate_size");
        if (config.number("num_local_experts", 8, 0, SizesDraft.MOST_LAYERS) > 0) {
            draft.experts = new RoutedExperts(config, draft)
                    .read(new Keys("num_local_experts", "num_experts_per_tok", "intermediate_size"), 8, 2, 11_008)
                    .shared(shared)
                    .experts();
        } else {
            draft.ffn = shared;
        }
        List<String> types = config.texts("layer_types");
        checkTypes(config, draft, types, List.of("mamba", "attention"));
        Mamba kind = granite(config, draft);
        if (types.contains("mamba") || types.isEmpty()) {
            draft.mixer = layer -> !types.isEmpty() && types.get(layer).equals("attention") ? draft.attend(0) : kind;
        }
    }

    private static Mamba granite(ConfigFields config, SizesDraft draft) {
        Mamba kind = new Mamba(
                2,
                config.sizeOr(128, SizesDraft.MOST_WIDTH, "mamba_n_heads"),
                headDim(config, draft),
                config.sizeOr(256, SizesDraft.MOST_WIDTH, "mamba_d_state"),
                config.sizeOr(1, SizesDraft.MOST_WIDTH, "mamba_n_groups"),
                config.sizeOr(4, SizesDraft.MOST_LAYERS, "mamba_d_conv"),
                config.flag("mamba_conv_bias", true),
                config.sizeOr(SCAN_CHUNK, SizesDraft.MOST_TOKENS, "mamba_chunk_size"),
                0,
                false);
        return checked(config, kind, "mamba_n_heads", inner(config, draft));
    }

    private static long inner(ConfigFields config, SizesDraft draft) {
        return draft.hidden * config.sizeOr(2, SizesDraft.MOST_LAYERS, "mamba_expand");
    }

    /** A text means as wide as fits. */
    private static long headDim(ConfigFields config, SizesDraft draft) {
        boolean automatic = !config.has("mamba_d_head") || config.isText("mamba_d_head");
        long heads = config.sizeOr(128, SizesDraft.MOST_WIDTH, "mamba_n_heads");
        return automatic
                ? Math.max(1, inner(config, draft) / heads)
                : config.size(SizesDraft.MOST_WIDTH, "mamba_d_head");
    }

    /** NemotronHConfig (Nemotron-H, Nemotron 3): one branch a layer, told by a letter: M scan, * attention, - MLP, E experts. */
    static void nemotronH(ConfigFields config, SizesDraft draft) {
        draft.modern(config, 8, 262_144, false);
        draft.headDim = config.sizeOr(128, SizesDraft.MOST_WIDTH, "head_dim", "attention_head_dim");
        draft.positions = Positions.NONE;
        draft.gatedMlp = false;
        boolean attention = config.flag("attention_bias", false);
        boolean mlp = config.flag("mlp_bias", false);
        draft.bias = new Bias(attention, attention, mlp, mlp, false);
        String pattern =
                config.text("hybrid_override_pattern").orElseThrow(() -> config.missing("hybrid_override_pattern"));
        if (pattern.length() != draft.layers || !pattern.matches("[M*E-]+")) {
            throw config.error(
                    "hybrid_override_pattern",
                    "doesn't fit: it needs one of M * - E for each of %d layers, and has %d letters"
                            .formatted(draft.layers, pattern.length()),
                    "Maybe num_hidden_layers is " + Math.max(1, pattern.length()));
        }
        if (pattern.indexOf('E') >= 0) {
            long shared = config.sizeOr(7688, SizesDraft.MOST_WIDTH, "moe_shared_expert_intermediate_size")
                    * config.sizeOr(1, SizesDraft.MOST_LAYERS, "n_shared_experts");
            draft.experts = new RoutedExperts(config, draft)
                    .read(new Keys("n_routed_experts", "num_experts_per_tok", "moe_intermediate_size"), 8, 2, 7688)
                    .shared(shared)
                    .groups("n_group", 1, "topk_group", 1)
                    .routerBias(true)
                    .experts();
        }
        Mamba kind = new Mamba(
                2,
                config.sizeOr(128, SizesDraft.MOST_WIDTH, "mamba_num_heads"),
                config.sizeOr(64, SizesDraft.MOST_WIDTH, "mamba_head_dim"),
                config.sizeOr(128, SizesDraft.MOST_WIDTH, "ssm_state_size"),
                config.sizeOr(8, SizesDraft.MOST_WIDTH, "n_groups", "mamba_n_groups"),
                config.sizeOr(4, SizesDraft.MOST_LAYERS, "conv_kernel"),
                config.flag("use_conv_bias", true),
                config.sizeOr(SCAN_CHUNK, SizesDraft.MOST_TOKENS, "chunk_size"),
                0,
                false);
        checked(config, kind, "mamba_num_heads", kind.inner());
        draft.mixer = layer -> switch (pattern.charAt(layer)) {
            case 'M' -> kind;
            case '*' -> draft.attend(0);
            default -> new LayerKind.NoMixer();
        };
        draft.feed = layer -> switch (pattern.charAt(layer)) {
            case 'E' -> new LayerKind.Routed();
            case '-' -> new LayerKind.Dense(draft.ffn);
            default -> new LayerKind.NoFeed();
        };
    }

    /** Heads must fill the inner width, and groups divide heads. */
    private static Mamba checked(ConfigFields config, Mamba kind, String headsKey, long inner) {
        if (kind.inner() != inner || kind.heads() % kind.groups() != 0) {
            throw config.error(
                    headsKey,
                    "doesn't fit: %d heads of %d channels in %d groups, and the inner width is %d"
                            .formatted(kind.heads(), kind.headDim(), kind.groups(), inner),
                    "Maybe " + headsKey + " is " + Math.max(1, inner / kind.headDim()));
        }
        return kind;
    }

    /** Layers by their types, where the file lists them. */
    static void checkTypes(ConfigFields config, SizesDraft draft, List<String> types, List<String> known) {
        for (String type : types) {
            if (!known.contains(type)) {
                throw config.error(
                        "layer_types",
                        "has \"" + type + "\", which is none of " + String.join(", ", known),
                        "Maybe " + known.getLast());
            }
        }
        if (!types.isEmpty() && types.size() != draft.layers) {
            throw config.error(
                    "layer_types",
                    "has %d entries for %d layers".formatted(types.size(), draft.layers),
                    "Maybe the number of layers was changed");
        }
    }
}
