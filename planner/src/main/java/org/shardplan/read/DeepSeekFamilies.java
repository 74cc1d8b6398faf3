package org.shardplan.read;

import org.shardplan.graph.Extensions.Indexer;
import org.shardplan.graph.TransformerSizes.Bias;
import org.shardplan.graph.TransformerSizes.LatentAttention;
import org.shardplan.graph.TransformerSizes.QkNorm;
import org.shardplan.read.RoutedExperts.Keys;

/** DeepSeek V2 and V3, and those that took over their experts: first layers dense, shared experts, groups, a router's correction bias. */
final class DeepSeekFamilies {
    private static final Keys KEYS = new Keys("n_routed_experts", "num_experts_per_tok", "moe_intermediate_size");

    private DeepSeekFamilies() {}

    /** DeepseekV2Config: the router has no bias; groups limit the devices that a token goes to. */
    static void deepSeekV2(ConfigFields config, SizesDraft draft) {
        latent(config, draft, 2048);
        draft.experts = experts(config, draft, 64, 6, 1407, 2)
                .firstDense("first_k_dense_replace", 0)
                .groups("n_group", 1, "topk_group", 1)
                .experts();
    }

    /** DeepseekV3Config: V3, R1, Kimi K2. */
    static void deepSeekV3(ConfigFields config, SizesDraft draft) {
        latent(config, draft, 4096);
        draft.experts = experts(config, draft, 256, 8, 2048, 1)
                .firstDense("first_k_dense_replace", 3)
                .groups("n_group", 8, "topk_group", 4)
                .routerBias(true)
                .experts();
        nextTokens(config, draft);
    }

    /** DeepseekV32Config and GlmMoeDsaConfig (GLM-5): a DeepSeek V3 whose queries meet the keys that an indexer picks. */
    static void sparse(ConfigFields config, SizesDraft draft) {
        deepSeekV3(config, draft);
        draft.indexer = new Indexer(
                config.sizeOr(64, SizesDraft.MOST_WIDTH, "index_n_heads"),
                config.sizeOr(128, SizesDraft.MOST_WIDTH, "index_head_dim"),
                config.sizeOr(2048, SizesDraft.MOST_TOKENS, "index_topk"));
        if (draft.latent.queryRank() == 0) {
            throw config.error(
                    "q_lora_rank", "is null, and the indexer reads the queries' latent", "Maybe q_lora_rank is 1536");
        }
    }

    /** Dots1Config (dots.llm1): grouped attention with normalised queries and keys. */
    static void dots(ConfigFields config, SizesDraft draft) {
        draft.modern(config, 32, 2048, false);
        boolean bias = config.flag("attention_bias", false);
        draft.bias = new Bias(bias, bias, false, false, false);
        draft.qkNorm = QkNorm.PER_HEAD;
        draft.experts = experts(config, draft, 128, 6, 1408, 2)
                .firstDense("first_k_dense_replace", 1)
                .groups("n_group", 1, "topk_group", 1)
                .routerBias(true)
                .experts();
    }

    /** Glm4MoeConfig (GLM-4.5, 4.6): DeepSeek's experts under grouped attention; biases on queries, keys and values alone. */
    static void glm4Moe(ConfigFields config, SizesDraft draft) {
        draft.modern(config, 8, 131_072, false);
        boolean bias = config.flag("attention_bias", false);
        draft.bias = new Bias(bias, false, false, false, false);
        draft.rotaryFraction(config, "partial_rotary_factor", 0.5);
        draft.qkNorm = config.flag("use_qk_norm", false) ? QkNorm.PER_HEAD : QkNorm.NONE;
        draft.experts = experts(config, draft, 128, 8, 1408, 1)
                .firstDense("first_k_dense_replace", 1)
                .groups("n_group", 1, "topk_group", 1)
                .routerBias(true)
                .experts();
        nextTokens(config, draft);
    }

    private static RoutedExperts experts(
            ConfigFields config, SizesDraft draft, int count, int topk, long width, long sharedDefault) {
        boolean none = config.isNull("n_shared_experts") || config.number("n_shared_experts", 1, 0, 1e6) == 0;
        long shared = none ? 0 : config.sizeOr(sharedDefault, SizesDraft.MOST_LAYERS, "n_shared_experts");
        return new RoutedExperts(config, draft)
                .read(KEYS, count, topk, width)
                .shared(shared * config.sizeOr(width, SizesDraft.MOST_WIDTH, "moe_intermediate_size"))
                .every((int) config.sizeOr(1, SizesDraft.MOST_LAYERS, "moe_layer_freq"));
    }

    private static void latent(ConfigFields config, SizesDraft draft, long positionsDefault) {
        draft.modern(config, 0, positionsDefault, false);
        boolean bias = config.flag("attention_bias", false);
        draft.bias = new Bias(bias, bias, false, false, false);
        long queries = config.isNull("q_lora_rank") ? 0 : config.sizeOr(1536, SizesDraft.MOST_WIDTH, "q_lora_rank");
        draft.latent = new LatentAttention(
                queries,
                config.sizeOr(512, SizesDraft.MOST_WIDTH, "kv_lora_rank"),
                config.sizeOr(128, SizesDraft.MOST_WIDTH, "qk_nope_head_dim"),
                config.sizeOr(64, SizesDraft.MOST_WIDTH, "qk_rope_head_dim"),
                config.sizeOr(128, SizesDraft.MOST_WIDTH, "v_head_dim"));
        draft.kvHeads = draft.heads;
        draft.headDim = Math.ceilDiv(draft.latent.keyDim() + draft.latent.valueDim(), 2);
    }

    /** Modules that predict further tokens, which are trained with the rest and are not counted in published sizes. */
    private static void nextTokens(ConfigFields config, SizesDraft draft) {
        draft.nextTokens((int) config.number("num_nextn_predict_layers", 0, 0, SizesDraft.MOST_MODULES), config);
    }
}
