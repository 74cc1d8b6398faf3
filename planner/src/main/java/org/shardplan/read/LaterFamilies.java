package org.shardplan.read;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import org.shardplan.graph.LayerKind;
import org.shardplan.graph.LayerKind.Attend;
import org.shardplan.graph.TransformerSizes.Bias;
import org.shardplan.graph.TransformerSizes.NormPlacement;
import org.shardplan.graph.TransformerSizes.QkNorm;
import org.shardplan.read.RoutedExperts.Keys;

/** Mixtures of experts of 2024 and later whose layers differ. Defaults are those of each Hugging Face config class. */
final class LaterFamilies {
    private LaterFamilies() {}

    /** Llama4TextConfig: three of four layers stay within chunks, the fourth sees all without positions; one shared expert. */
    static void llama4(ConfigFields config, SizesDraft draft) {
        draft.modern(config, 8, 131_072, false);
        draft.headDim = config.sizeOr(128, SizesDraft.MOST_WIDTH, "head_dim");
        long shared = draft.ffn;
        draft.experts = new RoutedExperts(config, draft)
                .read(new Keys("num_local_experts", "num_experts_per_tok", "intermediate_size"), 16, 1, 8192)
                .shared(shared)
                .every((int) config.sizeOr(1, SizesDraft.MOST_LAYERS, "interleave_moe_layer_step"))
                .experts();
        draft.ffn = config.sizeOr(16_384, SizesDraft.MOST_WIDTH, "intermediate_size_mlp");
        long chunk = config.isNull("attention_chunk_size")
                ? 0
                : config.sizeOr(8192, SizesDraft.MOST_TOKENS, "attention_chunk_size");
        List<Double> rotated = config.numbers("no_rope_layers");
        draft.mixer = layer -> {
            boolean rotary = rotated.size() == draft.layers ? rotated.get(layer) != 0 : (layer + 1) % 4 != 0;
            long window = rotary && chunk < draft.maxPositions ? chunk : 0;
            return new Attend(draft.heads, draft.kvHeads, draft.headDim, window, window > 0, rotary, false);
        };
    }

    /** Gemma4TextConfig: wider heads, fewer of them for keys, and values that are the keys in full layers; experts beside a dense MLP. */
    static void gemma4(ConfigFields config, SizesDraft draft) {
        draft.modern(config, 4, 131_072, true);
        draft.headDim = config.sizeOr(256, SizesDraft.MOST_WIDTH, "head_dim");
        boolean bias = config.flag("attention_bias", false);
        draft.bias = new Bias(bias, bias, false, false, false);
        draft.normPlacement = NormPlacement.PRE_AND_POST;
        draft.qkNorm = QkNorm.PER_HEAD;
        draft.logitSoftCap = config.has("final_logit_softcapping");
        if (config.number("hidden_size_per_layer_input", 0, 0, SizesDraft.MOST_WIDTH) > 0) {
            throw config.error(
                    "hidden_size_per_layer_input",
                    "means embeddings for each layer, which are not supported in this version",
                    "Maybe plan the larger model of the family, which has none");
        }
        if (config.flag("enable_moe_block", false)) {
            draft.experts = new RoutedExperts(config, draft)
                    .read(new Keys("num_experts", "top_k_experts", "moe_intermediate_size"), 128, 8, 704)
                    .shared(draft.ffn)
                    .experts();
        }
        List<String> types = config.texts("layer_types");
        HybridFamilies.checkTypes(config, draft, types, List.of("sliding_attention", "full_attention"));
        long window = config.sizeOr(512, SizesDraft.MOST_TOKENS, "sliding_window");
        long wide = config.sizeOr(draft.headDim, SizesDraft.MOST_WIDTH, "global_head_dim");
        long few = config.sizeOr(draft.kvHeads, SizesDraft.MOST_WIDTH, "num_global_key_value_heads");
        boolean one = config.flag("attention_k_eq_v", false);
        IntPredicate full = layer ->
                types.isEmpty() ? (layer + 1) % 6 == 0 : types.get(layer).equals("full_attention");
        draft.mixer = layer ->
                full.test(layer) ? new Attend(draft.heads, few, wide, 0, false, true, one) : draft.attend(window);
    }

    /** Step 3.5 and 3.7 (Flash): windows in three of four layers, first layers dense, three modules for further tokens. */
    static void step3(ConfigFields config, SizesDraft draft) {
        draft.modern(config, 8, 65_536, false);
        draft.experts = new RoutedExperts(config, draft)
                .read(new Keys("num_experts", "num_experts_per_tok", "moe_intermediate_size"), 288, 8, 1280)
                .shared(config.sizeOr(1280, SizesDraft.MOST_WIDTH, "share_expert_dim"))
                .firstDense("first_k_dense_replace", 3)
                .routerBias(config.flag("use_moe_router_bias", true))
                .experts();
        SlidingWindow.fill(config, draft, 512, 4);
        draft.nextTokens((int) config.number("num_nextn_predict_layers", 0, 0, SizesDraft.MOST_MODULES), config);
    }

    /** Ernie4_5_MoeConfig: first layers dense, shared experts as wide as routed ones. */
    static void ernie(ConfigFields config, SizesDraft draft) {
        draft.modern(config, 4, 131_072, true);
        boolean bias = config.flag("use_bias", false);
        draft.bias = new Bias(bias, bias, bias, bias, false);
        long width = config.sizeOr(1536, SizesDraft.MOST_WIDTH, "moe_intermediate_size");
        draft.experts = new RoutedExperts(config, draft)
                .read(new Keys("moe_num_experts", "moe_k", "moe_intermediate_size"), 64, 6, 1536)
                .shared(width * (long) config.number("moe_num_shared_experts", 2, 0, SizesDraft.MOST_LAYERS))
                .firstDense("moe_layer_start_index", 1)
                .routerBias(true)
                .experts();
    }

    /** HunYuanMoEV1Config: sizes that may differ by layer stand in lists, of which all entries are one. */
    static void hunyuan(ConfigFields config, SizesDraft draft) {
        draft.modern(config, 0, 2048, true);
        draft.headDim = config.sizeOr(0, SizesDraft.MOST_WIDTH, "head_dim", "attention_head_dim");
        boolean bias = config.flag("attention_bias", false);
        draft.bias = new Bias(bias, bias, false, false, false);
        draft.qkNorm = config.flag("use_qk_norm", true) ? QkNorm.PER_HEAD : QkNorm.NONE;
        int count = (int) alike(config, "num_experts", 1);
        int topk = (int) alike(config, "moe_topk", 1);
        long width = alike(config, "moe_intermediate_size", draft.ffn);
        long shared = alike(config, "num_shared_expert", 1);
        draft.experts = new RoutedExperts(config, draft)
                .read(new Keys("", "", ""), count, topk, width)
                .shared(shared * width)
                .experts();
    }

    /** A number, or the entry that all of a list's are. */
    private static long alike(ConfigFields config, String name, long fallback) {
        if (!config.isList(name)) {
            return config.sizeOr(fallback, SizesDraft.MOST_WIDTH, name);
        }
        List<Double> all = config.numbers(name);
        double first = all.isEmpty() ? fallback : all.getFirst();
        if (first < 1 || first > SizesDraft.MOST_WIDTH || all.stream().anyMatch(entry -> entry != first)) {
            throw config.error(name, "has entries that differ or are no sizes", "Maybe a list of one number");
        }
        return (long) first;
    }

    /** Grok-1: norms on both sides, gated experts, embedding and head one table. */
    static void grok1(ConfigFields config, SizesDraft draft) {
        draft.modern(config, 8, 8192, true);
        draft.normPlacement = NormPlacement.PRE_AND_POST;
        draft.experts = new RoutedExperts(config, draft)
                .read(new Keys("num_experts", "num_experts_per_tok", "intermediate_size"), 8, 2, draft.ffn)
                .experts();
    }

    /** DeciLM of Nemotron's search (nemotron-nas): each layer's attention and MLP of a size of their own, or none. */
    static void nemotronNas(ConfigFields config, SizesDraft draft) {
        draft.widths(config);
        draft.ffn = draft.hidden;
        draft.maxPositions = config.sizeOr(131_072, SizesDraft.MOST_TOKENS, "max_position_embeddings");
        draft.tied(config, false);
        draft.biases(config, "attention_bias", false, "mlp_bias");
        List<ConfigFields> blocks = config.objects("block_configs");
        if (blocks.size() != draft.layers) {
            throw config.error(
                    "block_configs",
                    "has %d entries for %d layers".formatted(blocks.size(), draft.layers),
                    "Maybe the number of layers was changed");
        }
        List<LayerKind> kinds = new ArrayList<>();
        for (ConfigFields block : blocks) {
            kinds.add(new LayerKind(attention(block, draft), mlp(block, draft)));
        }
        draft.mixer = layer -> kinds.get(layer).mixer();
        draft.feed = layer -> kinds.get(layer).feed();
    }

    private static LayerKind.Mixer attention(ConfigFields block, SizesDraft draft) {
        ConfigFields of = block.object("attention").orElseThrow(() -> block.missing("attention"));
        refuseLinear(of);
        if (of.flag("no_op", false)) {
            return new LayerKind.NoMixer();
        }
        long group = of.size(draft.heads, "n_heads_in_group");
        return new Attend(
                draft.heads, Math.max(1, draft.heads / group), draft.hidden / draft.heads, 0, false, true, false);
    }

    /** The width is 2/3 of its multiple of the model's, rounded up to 256. */
    private static LayerKind.Feed mlp(ConfigFields block, SizesDraft draft) {
        ConfigFields of = block.object("ffn").orElseThrow(() -> block.missing("ffn"));
        refuseLinear(of);
        if (of.flag("no_op", false)) {
            return new LayerKind.NoFeed();
        }
        double multiple = of.number("ffn_mult", 1, 1e-3, 1000);
        return new LayerKind.Dense(Math.ceilDiv((long) (2 * multiple * draft.hidden / 3), 256L) * 256);
    }

    private static void refuseLinear(ConfigFields of) {
        if (of.flag("replace_with_linear", false)) {
            throw of.error(
                    "replace_with_linear",
                    "means one product in the place of a branch, which is not supported in this version",
                    "Maybe plan the model without it");
        }
    }
}
