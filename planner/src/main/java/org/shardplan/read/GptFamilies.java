package org.shardplan.read;

import org.shardplan.graph.TransformerSizes.Bias;
import org.shardplan.graph.TransformerSizes.Norm;
import org.shardplan.graph.TransformerSizes.NormPlacement;
import org.shardplan.graph.TransformerSizes.Positions;

/** GPT-2 and the open models of its line: LayerNorm, a plain MLP of four times the width. */
final class GptFamilies {
    private GptFamilies() {}

    /** GPT2Config. */
    static void gpt2(ConfigFields config, SizesDraft draft) {
        plain(config, draft, 1024);
        draft.positions = Positions.LEARNED;
        draft.bias = Bias.ALL;
        draft.tied(config, true);
        draft.dropout(config, "resid_pdrop", true);
    }

    /** GPTBigCodeConfig (SantaCoder, StarCoder): GPT-2 with one key-value head. */
    static void gptBigCode(ConfigFields config, SizesDraft draft) {
        gpt2(config, draft);
        draft.kvHeads = config.flag("multi_query", true) ? 1 : draft.heads;
    }

    /** GPTNeoConfig: no biases on queries, keys and values; every second layer has a window. */
    static void gptNeo(ConfigFields config, SizesDraft draft) {
        plain(config, draft, 2048);
        draft.positions = Positions.LEARNED;
        draft.bias = new Bias(false, true, true, true, false);
        draft.tied(config, true);
        draft.dropout(config, "resid_dropout", false);
        draft.window = config.sizeOr(256, SizesDraft.MOST_TOKENS, "window_size");
        draft.windowEvery = 2;
    }

    /** GPTJConfig and CodeGenConfig: one norm before parallel branches; biases in the MLP and the head alone. */
    static void gptj(ConfigFields config, SizesDraft draft) {
        plain(config, draft, 2048);
        draft.normPlacement = NormPlacement.PARALLEL_ONE_NORM;
        draft.bias = new Bias(false, false, true, true, true);
        draft.tied(config, false);
        draft.dropout(config, "resid_pdrop", false);
        long headDim = Math.max(1, draft.hidden / draft.heads);
        long rotated = config.sizeOr(config.isNull("rotary_dim") ? headDim : 64, SizesDraft.MOST_WIDTH, "rotary_dim");
        if (rotated > headDim) {
            throw config.error(
                    "rotary_dim",
                    "is more than the " + headDim + " elements of a head",
                    "Maybe " + headDim + ", the whole head");
        }
        draft.rotaryFraction = (double) rotated / headDim;
    }

    /** GPTNeoXConfig (GPT-NeoX-20B, Pythia): a norm each before parallel branches. */
    static void gptNeoX(ConfigFields config, SizesDraft draft) {
        plain(config, draft, 2048);
        draft.ffn = config.size(SizesDraft.MOST_WIDTH, "intermediate_size");
        boolean parallel = config.flag("use_parallel_residual", true);
        draft.normPlacement = parallel ? NormPlacement.PARALLEL_TWO_NORMS : NormPlacement.PRE;
        boolean attention = config.flag("attention_bias", true);
        draft.bias = new Bias(attention, attention, true, true, false);
        draft.tied(config, false);
        draft.dropout(config, "hidden_dropout", false);
        draft.rotaryFraction(config, "rotary_pct", 0.25);
    }

    /** OPTConfig: the position table has two more rows. OPT-350M, alone with norms after the sum, is not supported. */
    static void opt(ConfigFields config, SizesDraft draft) {
        plain(config, draft, 2048);
        draft.ffn = config.size(SizesDraft.MOST_WIDTH, "ffn_dim");
        if (!config.flag("do_layer_norm_before", true)) {
            throw config.error(
                    "do_layer_norm_before",
                    "means norms after the residual sum, which are not supported in this version",
                    "Maybe plan another size of OPT: only the 350M has them");
        }
        long embedded = config.sizeOr(draft.hidden, SizesDraft.MOST_WIDTH, "word_embed_proj_dim");
        if (embedded != draft.hidden) {
            throw config.error(
                    "word_embed_proj_dim",
                    "differs from hidden_size = " + draft.hidden + ", which is not supported in this version",
                    "Maybe plan another size of OPT: only the 350M has them");
        }
        draft.positions = Positions.LEARNED;
        draft.extraPositionRows = 2;
        draft.bias = config.flag("enable_bias", true) ? Bias.ALL : Bias.NONE;
        draft.norm = config.flag("layer_norm_elementwise_affine", true) ? Norm.LAYER_NORM : Norm.LAYER_NORM_BARE;
        draft.finalNorm = !config.flag("_remove_final_layer_norm", false);
        draft.tied(config, true);
        draft.dropout(config, "dropout", true);
    }

    private static void plain(ConfigFields config, SizesDraft draft, long positionsDefault) {
        draft.widths(config);
        draft.ffn = config.sizeOr(4 * draft.hidden, SizesDraft.MOST_WIDTH, "n_inner", "intermediate_size");
        draft.maxPositions =
                config.sizeOr(positionsDefault, SizesDraft.MOST_TOKENS, "n_positions", "max_position_embeddings");
        draft.gatedMlp = false;
        draft.norm = Norm.LAYER_NORM;
    }
}
