package org.shardplan.read;

import org.shardplan.graph.TransformerSizes.Bias;
import org.shardplan.graph.TransformerSizes.Norm;
import org.shardplan.graph.TransformerSizes.QkNorm;
import org.shardplan.read.RoutedExperts.Keys;

/** Mixtures of experts that route every layer's tokens alike. Defaults are those of each Hugging Face config class. */
final class ExpertFamilies {
    private static final Keys LOCAL = new Keys("num_local_experts", "num_experts_per_tok", "intermediate_size");

    private ExpertFamilies() {}

    /** MixtralConfig: a Mistral whose {@code intermediate_size} is that of one expert. */
    static void mixtral(ConfigFields config, SizesDraft draft) {
        draft.modern(config, 8, 131_072, false);
        SlidingWindow.fill(config, draft, 0, 1);
        draft.experts =
                new RoutedExperts(config, draft).read(LOCAL, 8, 2, 14_336).experts();
    }

    /** PhimoeConfig (Phi-3.5-MoE): LayerNorm; biases in attention and head. */
    static void phiMoe(ConfigFields config, SizesDraft draft) {
        draft.modern(config, 8, 131_072, false);
        draft.norm = Norm.LAYER_NORM;
        boolean bias = config.flag("attention_bias", false);
        draft.bias = new Bias(bias, bias, false, false, config.flag("lm_head_bias", false));
        SlidingWindow.fill(config, draft, 0, 1);
        draft.dropout(config, "hidden_dropout", false);
        draft.experts =
                new RoutedExperts(config, draft).read(LOCAL, 16, 2, 6400).experts();
    }

    /** GraniteMoeConfig and GraniteMoeSharedConfig (Granite 3 and 4 without state-space layers). */
    static void graniteMoe(ConfigFields config, SizesDraft draft) {
        draft.modern(config, 0, 2048, true);
        boolean bias = config.flag("attention_bias", false);
        draft.bias = new Bias(bias, bias, false, false, false);
        boolean none = config.number("shared_intermediate_size", 0, 0, SizesDraft.MOST_WIDTH) == 0;
        draft.experts = new RoutedExperts(config, draft)
                .read(LOCAL, 8, 2, 11_008)
                .shared(none ? 0 : config.size(SizesDraft.MOST_WIDTH, "shared_intermediate_size"))
                .experts();
    }

    /** OlmoeConfig: queries and keys normalised over their whole width. */
    static void olmoe(ConfigFields config, SizesDraft draft) {
        draft.modern(config, 0, 4096, false);
        draft.qkNorm = QkNorm.FULL;
        boolean bias = config.flag("attention_bias", false);
        draft.bias = new Bias(bias, bias, false, false, false);
        Keys keys = new Keys("num_experts", "num_experts_per_tok", "intermediate_size");
        draft.experts = new RoutedExperts(config, draft).read(keys, 64, 8, 2048).experts();
    }

    /** DbrxConfig: LayerNorm with a scale alone; widths of attention and experts stand in objects of their own. */
    static void dbrx(ConfigFields config, SizesDraft draft) {
        draft.widths(config);
        draft.norm = Norm.LAYER_NORM_NO_SHIFT;
        draft.maxPositions = config.sizeOr(2048, SizesDraft.MOST_TOKENS, "max_seq_len");
        draft.tied(config, false);
        draft.kvHeads = config.object("attn_config")
                .map(attention -> attention.sizeOr(1, SizesDraft.MOST_WIDTH, "kv_n_heads"))
                .orElse(1L);
        draft.dropout(config, "resid_pdrop", false);
        Keys keys = new Keys("moe_num_experts", "moe_top_k", "ffn_hidden_size");
        ConfigFields ffn = config.object("ffn_config").orElseThrow(() -> config.missing("ffn_config"));
        draft.experts = new RoutedExperts(ffn, draft).read(keys, 4, 1, 3584).experts();
        draft.ffn = draft.experts.ffn();
    }

    /** GptOssConfig: biases everywhere, the router included; every second layer sees a window. */
    static void gptOss(ConfigFields config, SizesDraft draft) {
        draft.modern(config, 8, 131_072, false);
        draft.headDim = config.sizeOr(64, SizesDraft.MOST_WIDTH, "head_dim");
        boolean attention = config.flag("attention_bias", true);
        draft.bias = new Bias(attention, attention, true, true, false);
        SlidingWindow.fill(config, draft, 128, 2);
        draft.sinks = true;
        draft.experts = new RoutedExperts(config, draft)
                .read(LOCAL, 128, 4, 2880)
                .routerBias(true)
                .experts();
    }

    /** MiniMaxM2Config: queries and keys normalised over their whole width, a correction bias in the router. */
    static void miniMaxM2(ConfigFields config, SizesDraft draft) {
        draft.modern(config, 8, 196_608, false);
        draft.qkNorm = config.flag("use_qk_norm", true) ? QkNorm.FULL : QkNorm.NONE;
        draft.experts = new RoutedExperts(config, draft)
                .read(LOCAL, 256, 8, 1536)
                .routerBias(config.flag("use_routing_bias", true))
                .experts();
        boolean used = config.flag("use_mtp", config.has("num_mtp_modules"));
        draft.nextTokens(used ? (int) config.number("num_mtp_modules", 0, 0, SizesDraft.MOST_MODULES) : 0, config);
    }
}
