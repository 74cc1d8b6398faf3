package org.shardplan.read;

import org.shardplan.graph.TransformerSizes.Bias;
import org.shardplan.graph.TransformerSizes.Norm;

/** ChatGLM 2 and 3, and GLM-4-9B in its first form: names of their own, half of each head rotated, untied. */
final class ChatGlmFamily {
    private ChatGlmFamily() {}

    /** ChatGLMConfig. */
    static void chatGlm(ConfigFields config, SizesDraft draft) {
        if (config.has("inner_hidden_size") || config.has("position_encoding_2d")) {
            throw config.error(
                    "model_type",
                    "is ChatGLM's first generation, which is not supported",
                    "Maybe plan ChatGLM2 or later");
        }
        draft.widthsWithoutVocab(config);
        draft.vocab = config.size(SizesDraft.MOST_TOKENS, "padded_vocab_size", "vocab_size");
        draft.ffn = config.size(SizesDraft.MOST_WIDTH, "ffn_hidden_size");
        draft.headDim = config.sizeOr(128, SizesDraft.MOST_WIDTH, "kv_channels");
        if (config.flag("multi_query_attention", false)) {
            draft.kvHeads = config.sizeOr(1, SizesDraft.MOST_WIDTH, "multi_query_group_num");
        }
        draft.maxPositions = config.sizeOr(2048, SizesDraft.MOST_TOKENS, "seq_length");
        draft.norm = config.flag("rmsnorm", true) ? Norm.RMS_NORM : Norm.LAYER_NORM;
        draft.rotaryFraction = 0.5;
        boolean linear = config.flag("add_bias_linear", false);
        draft.bias = new Bias(linear || config.flag("add_qkv_bias", false), linear, linear, linear, false);
        draft.finalNorm = config.flag("post_layer_norm", true);
        draft.tied(config, false);
        draft.dropout(config, "hidden_dropout", false);
    }
}
