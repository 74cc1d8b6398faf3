package org.shardplan.read;

import java.util.List;
import java.util.function.IntPredicate;
import org.shardplan.graph.LayerKind;
import org.shardplan.graph.LayerKind.DeltaRule;
import org.shardplan.graph.LayerKind.Lightning;
import org.shardplan.graph.TransformerSizes.QkNorm;
import org.shardplan.read.RoutedExperts.Keys;

/** Networks most of whose layers have linear attention. Defaults are those of each Hugging Face config class. */
final class LinearFamilies {
    /** Tokens that the delta rule's kernels of flash-linear-attention work on at once. */
    private static final int DELTA_CHUNK = 64;
    /** Tokens of a block of MiniMax's lightning attention. */
    private static final int LIGHTNING_CHUNK = 256;

    private LinearFamilies() {}

    /** Qwen3NextConfig: gated delta rule in three of four layers; what full attention gives is gated. */
    static void qwen3Next(ConfigFields config, SizesDraft draft) {
        gatedDelta(config, draft, 2, 256);
        experts(config, draft, 512, 10, 512);
    }

    /** Qwen3_5TextConfig: the same layers with dense MLPs. */
    static void qwen35(ConfigFields config, SizesDraft draft) {
        gatedDelta(config, draft, 4, 256);
        draft.nextTokens((int) config.number("mtp_num_hidden_layers", 0, 0, SizesDraft.MOST_MODULES), config);
    }

    /** Qwen3_5MoeTextConfig: the same layers with experts. */
    static void qwen35Moe(ConfigFields config, SizesDraft draft) {
        gatedDelta(config, draft, 2, 256);
        experts(config, draft, 256, 8, 512);
        draft.nextTokens((int) config.number("mtp_num_hidden_layers", 0, 0, SizesDraft.MOST_MODULES), config);
    }

    private static void gatedDelta(ConfigFields config, SizesDraft draft, long kvDefault, long headDefault) {
        draft.widths(config);
        draft.ffn = config.sizeOr(
                config.sizeOr(512, SizesDraft.MOST_WIDTH, "moe_intermediate_size"),
                SizesDraft.MOST_WIDTH,
                "intermediate_size");
        draft.kvHeads(config, kvDefault);
        draft.headDim = config.sizeOr(headDefault, SizesDraft.MOST_WIDTH, "head_dim");
        draft.maxPositions = config.sizeOr(32_768, SizesDraft.MOST_TOKENS, "max_position_embeddings");
        draft.tied(config, false);
        draft.rotaryFraction(config, "partial_rotary_factor", 0.25);
        draft.dropout(config, "attention_dropout", false);
        draft.qkNorm = QkNorm.PER_HEAD;
        draft.outputGate = config.flag("attn_output_gate", true);
        DeltaRule rule = new DeltaRule(
                config.sizeOr(16, SizesDraft.MOST_WIDTH, "linear_num_key_heads"),
                config.sizeOr(32, SizesDraft.MOST_WIDTH, "linear_num_value_heads"),
                config.sizeOr(128, SizesDraft.MOST_WIDTH, "linear_key_head_dim"),
                config.sizeOr(128, SizesDraft.MOST_WIDTH, "linear_value_head_dim"),
                config.sizeOr(4, SizesDraft.MOST_LAYERS, "linear_conv_kernel_dim"),
                DELTA_CHUNK);
        if (rule.valueHeads() % rule.keyHeads() != 0) {
            throw config.error(
                    config.key("linear_num_value_heads", "linear_num_key_heads"),
                    "doesn't fit: %d key heads do not divide %d value heads"
                            .formatted(rule.keyHeads(), rule.valueHeads()),
                    "Maybe linear_num_key_heads is " + Divisors.nearest(rule.valueHeads(), rule.keyHeads()));
        }
        IntPredicate full = fullLayers(config, draft);
        draft.mixer = layer -> full.test(layer) ? draft.attend(0) : rule;
    }

    private static IntPredicate fullLayers(ConfigFields config, SizesDraft draft) {
        List<String> types = config.texts("layer_types");
        HybridFamilies.checkTypes(config, draft, types, List.of("linear_attention", "full_attention"));
        int every = (int) config.sizeOr(4, SizesDraft.MOST_LAYERS, "full_attention_interval");
        return types.isEmpty()
                ? layer -> (layer + 1) % every == 0
                : layer -> types.get(layer).equals("full_attention");
    }

    private static void experts(ConfigFields config, SizesDraft draft, int count, int topk, long width) {
        draft.sharedGate = true;
        draft.experts = new RoutedExperts(config, draft)
                .read(new Keys("num_experts", "num_experts_per_tok", "moe_intermediate_size"), count, topk, width)
                .shared(config.sizeOr(512, SizesDraft.MOST_WIDTH, "shared_expert_intermediate_size"))
                .experts();
        List<Double> dense = config.numbers("mlp_only_layers");
        if (!dense.isEmpty()) {
            draft.feed =
                    layer -> dense.contains((double) layer) ? new LayerKind.Dense(draft.ffn) : new LayerKind.Routed();
        }
    }

    /** MiniMaxConfig and MiniMaxText01Config: lightning attention in seven of eight layers, experts in all. */
    static void miniMax(ConfigFields config, SizesDraft draft) {
        draft.modern(config, 8, 32_768, false);
        draft.rotaryFraction = 0.5;
        draft.experts = new RoutedExperts(config, draft)
                .read(new Keys("num_local_experts", "num_experts_per_tok", "intermediate_size"), 8, 2, draft.ffn)
                .experts();
        List<Double> types = config.numbers("attn_type_list");
        List<String> names = config.texts("layer_types");
        HybridFamilies.checkTypes(config, draft, names, List.of("linear_attention", "full_attention"));
        if (!types.isEmpty() && types.size() != draft.layers) {
            throw config.error(
                    "attn_type_list",
                    "has %d entries for %d layers".formatted(types.size(), draft.layers),
                    "Maybe the number of layers was changed");
        }
        IntPredicate full = layer -> !types.isEmpty()
                ? types.get(layer) == 1
                : names.isEmpty() ? layer % 2 == 0 : names.get(layer).equals("full_attention");
        long headDim = draft.headDim > 0 ? draft.headDim : Math.max(1, draft.hidden / draft.heads);
        Lightning linear = new Lightning(
                draft.heads, headDim, config.sizeOr(LIGHTNING_CHUNK, SizesDraft.MOST_TOKENS, "block_size"));
        draft.mixer = layer -> full.test(layer) ? draft.attend(0) : linear;
    }
}
