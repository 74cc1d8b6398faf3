package org.shardplan.read;

import java.util.List;
import org.shardplan.graph.LayerKind;
import org.shardplan.graph.TransformerSizes;
import org.shardplan.graph.TransformerSizes.Bias;
import org.shardplan.graph.TransformerSizes.QkNorm;

/** Qwen 1 to 3, dense and with experts. */
final class QwenFamilies {
    private static final Bias QKV = new Bias(true, false, false, false, false);

    private QwenFamilies() {}

    /** QWenConfig (2023): {@code intermediate_size} counts both branches of the gated MLP; {@code kv_channels} is the head. */
    static void qwen(ConfigFields config, SizesDraft draft) {
        draft.widths(config);
        long both = config.size(SizesDraft.MOST_WIDTH, "intermediate_size");
        if (both % 2 != 0) {
            throw config.error(
                    "intermediate_size",
                    "is odd, but model_type qwen counts both branches of the MLP in it",
                    "Maybe this is a newer model: model_type qwen2 counts one");
        }
        draft.ffn = both / 2;
        draft.headDim = config.sizeOr(128, SizesDraft.MOST_WIDTH, "kv_channels");
        draft.maxPositions = config.sizeOr(8192, SizesDraft.MOST_TOKENS, "seq_length");
        draft.tied(config, false);
        draft.rotaryFraction(config, "rotary_pct", 1);
        draft.dropout(config, "attn_dropout_prob", false);
        boolean others = !config.flag("no_bias", true);
        draft.bias = new Bias(true, others, others, others, false);
    }

    /** Qwen2Config: Qwen1.5, 2, 2.5: biases on queries, keys and values; the window is off unless switched on. */
    static void qwen2(ConfigFields config, SizesDraft draft) {
        draft.modern(config, 32, 32_768, false);
        draft.bias = QKV;
        window(config, draft);
    }

    /** Qwen3Config: heads of 128 and normalised queries and keys instead of biases. */
    static void qwen3(ConfigFields config, SizesDraft draft) {
        draft.modern(config, 32, 32_768, false);
        draft.headDim = config.sizeOr(128, SizesDraft.MOST_WIDTH, "head_dim");
        draft.qkNorm = QkNorm.PER_HEAD;
        boolean bias = config.flag("attention_bias", false);
        draft.bias = new Bias(bias, bias, false, false, false);
        window(config, draft);
    }

    /** Qwen2MoeConfig (Qwen1.5-MoE, Qwen2-57B-A14B): a Qwen 2 with experts and a shared one. */
    static void qwen2Moe(ConfigFields config, SizesDraft draft) {
        qwen2(config, draft);
        draft.kvHeads(config, 16);
        long shared = config.sizeOr(5632, SizesDraft.MOST_WIDTH, "shared_expert_intermediate_size");
        draft.experts = experts(config, draft, 60, 4, 1408, shared);
        draft.sharedGate = true;
    }

    /** Qwen3MoeConfig: a Qwen 3 with experts; the head's width is hidden / heads unless it is given. */
    static void qwen3Moe(ConfigFields config, SizesDraft draft) {
        qwen3(config, draft);
        draft.headDim = config.sizeOr(0, SizesDraft.MOST_WIDTH, "head_dim");
        draft.kvHeads(config, 4);
        draft.experts = experts(config, draft, 128, 8, 768, 0);
    }

    private static TransformerSizes.Experts experts(
            ConfigFields config, SizesDraft draft, int count, int topk, long width, long sharedFfn) {
        List<Double> dense = config.numbers("mlp_only_layers");
        int step = (int) config.sizeOr(1, SizesDraft.MOST_LAYERS, "decoder_sparse_step");
        if (!dense.isEmpty()) {
            draft.feed = layer -> (layer + 1) % step != 0 || dense.contains((double) layer)
                    ? new LayerKind.Dense(draft.ffn)
                    : new LayerKind.Routed();
        }
        return new RoutedExperts(config, draft)
                .read(
                        new RoutedExperts.Keys("num_experts", "num_experts_per_tok", "moe_intermediate_size"),
                        count,
                        topk,
                        width)
                .shared(sharedFfn)
                .every(step)
                .experts();
    }

    private static void window(ConfigFields config, SizesDraft draft) {
        if (!config.flag("use_sliding_window", false)) {
            return;
        }
        SlidingWindow.fill(config, draft, 4096, 1);
        boolean listed = config.has("layer_types");
        long first = config.number("max_window_layers", 28, 0, SizesDraft.MOST_LAYERS) > 0
                ? config.sizeOr(28, SizesDraft.MOST_LAYERS, "max_window_layers")
                : 0;
        if (draft.window > 0 && !listed && first >= draft.layers) {
            draft.window = 0;
        } else if (draft.window > 0 && !listed && first > 0) {
            draft.mixer = layer -> draft.attend(layer < first ? 0 : draft.window);
        }
    }
}
