package org.shardplan.read;

import org.shardplan.graph.TransformerSizes.Bias;
import org.shardplan.graph.TransformerSizes.Norm;
import org.shardplan.graph.TransformerSizes.NormPlacement;
import org.shardplan.graph.TransformerSizes.Positions;
import org.shardplan.graph.TransformerSizes.QkNorm;

/** BLOOM, MPT and Falcon: ALiBi or rotary, a plain MLP, tied embeddings. */
final class FalconFamilies {
    private FalconFamilies() {}

    /** BloomConfig: ALiBi, a norm after the embedding, biases everywhere. */
    static void bloom(ConfigFields config, SizesDraft draft) {
        plain(config, draft);
        draft.positions = Positions.ALIBI;
        draft.embeddingNorm = true;
        draft.bias = Bias.ALL;
        draft.maxPositions = config.sizeOr(2048, SizesDraft.MOST_TOKENS, "seq_length");
    }

    /** MptConfig: ALiBi unless switched off, and no biases, not even in the norms. */
    static void mpt(ConfigFields config, SizesDraft draft) {
        plain(config, draft);
        draft.ffn = draft.hidden * config.sizeOr(4, 1000, "expansion_ratio");
        draft.maxPositions = config.sizeOr(2048, SizesDraft.MOST_TOKENS, "max_seq_len");
        boolean bias = !config.flag("no_bias", true);
        draft.bias = bias ? Bias.ALL : Bias.NONE;
        draft.norm = bias ? Norm.LAYER_NORM : Norm.LAYER_NORM_NO_SHIFT;
        draft.positions = Positions.ALIBI;
        config.object("attn_config").ifPresent(attention -> {
            if (attention.flag("rope", false)) {
                draft.positions = Positions.ROTARY;
            } else if (!attention.flag("alibi", true)) {
                draft.positions = config.flag("learned_pos_emb", true) ? Positions.LEARNED : Positions.NONE;
            }
            boolean one = attention
                    .text("attn_type")
                    .filter("multiquery_attention"::equals)
                    .isPresent();
            draft.kvHeads = attention.sizeOr(one ? 1 : draft.heads, SizesDraft.MOST_WIDTH, "kv_n_heads");
            if (attention.flag("qk_ln", false)) {
                draft.qkNorm = QkNorm.FULL;
            }
            draft.dropout |= attention.number("attn_pdrop", 0, 0, 1) > 0;
        });
    }

    /**
     * FalconConfig. The old architecture (7B, RW) has one key-value head, or with multi_query off as many as query heads, and
     * one norm before parallel branches; the new one (40B, 180B) grouped key-value heads and a norm each.
     */
    static void falcon(ConfigFields config, SizesDraft draft) {
        plain(config, draft);
        draft.ffn = config.sizeOr(4 * draft.hidden, SizesDraft.MOST_WIDTH, "ffn_hidden_size");
        draft.maxPositions = config.sizeOr(2048, SizesDraft.MOST_TOKENS, "max_position_embeddings");
        draft.positions = config.flag("alibi", false) ? Positions.ALIBI : Positions.ROTARY;
        draft.bias = config.flag("bias", false) ? Bias.ALL : Bias.NONE;
        boolean grouped = config.flag("new_decoder_architecture", config.has("n_head_kv"));
        if (grouped) {
            draft.kvHeads = config.sizeOr(draft.heads, SizesDraft.MOST_WIDTH, "num_kv_heads", "n_head_kv");
        } else {
            draft.kvHeads = config.flag("multi_query", true) ? 1 : draft.heads;
        }
        if (grouped || config.flag("parallel_attn", true)) {
            boolean two = config.sizeOr(grouped ? 2 : 1, 2, "num_ln_in_parallel_attn") == 2;
            draft.normPlacement = two ? NormPlacement.PARALLEL_TWO_NORMS : NormPlacement.PARALLEL_ONE_NORM;
        }
    }

    private static void plain(ConfigFields config, SizesDraft draft) {
        draft.widths(config);
        draft.ffn = 4 * draft.hidden;
        draft.gatedMlp = false;
        draft.norm = Norm.LAYER_NORM;
        draft.tied(config, true);
        draft.dropout(config, "hidden_dropout", false);
    }
}
