package org.shardplan.read;

import org.shardplan.graph.TransformerSizes.Bias;
import org.shardplan.graph.TransformerSizes.NormPlacement;
import org.shardplan.graph.TransformerSizes.QkNorm;

/** Gemma 1, 2 and the text models of Gemma 3: heads of 256 and tied embeddings unless the file says otherwise. */
final class GemmaFamilies {
    private GemmaFamilies() {}

    /** GemmaConfig. */
    static void gemma(ConfigFields config, SizesDraft draft) {
        fill(config, draft, 16, 8192);
    }

    /** Gemma2Config: norms on both sides, every second layer has a window, logits are soft-capped. */
    static void gemma2(ConfigFields config, SizesDraft draft) {
        fill(config, draft, 4, 8192);
        draft.normPlacement = NormPlacement.PRE_AND_POST;
        SlidingWindow.fill(config, draft, 4096, 2);
        draft.logitSoftCap = !config.isNull("final_logit_softcapping");
    }

    /** Gemma3TextConfig: one full layer in six; normalised queries and keys. */
    static void gemma3Text(ConfigFields config, SizesDraft draft) {
        fill(config, draft, 4, 131_072);
        draft.normPlacement = NormPlacement.PRE_AND_POST;
        draft.qkNorm = QkNorm.PER_HEAD;
        int every = (int) config.sizeOr(6, SizesDraft.MOST_LAYERS, "sliding_window_pattern", "_sliding_window_pattern");
        SlidingWindow.fill(config, draft, 4096, every);
        draft.logitSoftCap = config.has("final_logit_softcapping");
    }

    private static void fill(ConfigFields config, SizesDraft draft, long kvDefault, long positionsDefault) {
        draft.modern(config, kvDefault, positionsDefault, true);
        draft.headDim = config.sizeOr(256, SizesDraft.MOST_WIDTH, "head_dim");
        boolean bias = config.flag("attention_bias", false);
        draft.bias = new Bias(bias, bias, false, false, false);
    }
}
