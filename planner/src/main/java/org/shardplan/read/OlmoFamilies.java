package org.shardplan.read;

import org.shardplan.graph.TransformerSizes.Bias;
import org.shardplan.graph.TransformerSizes.Norm;
import org.shardplan.graph.TransformerSizes.NormPlacement;
import org.shardplan.graph.TransformerSizes.QkNorm;

/** OLMo 1 to 3. */
final class OlmoFamilies {
    private OlmoFamilies() {}

    /** OlmoConfig: LayerNorm without parameters. */
    static void olmo(ConfigFields config, SizesDraft draft) {
        fill(config, draft);
        draft.norm = Norm.LAYER_NORM_BARE;
    }

    /** Olmo2Config: norms after each branch, queries and keys normalised over their whole width. */
    static void olmo2(ConfigFields config, SizesDraft draft) {
        fill(config, draft);
        draft.normPlacement = NormPlacement.POST;
        draft.qkNorm = QkNorm.FULL;
    }

    /** Olmo3Config: an OLMo 2 whose every fourth layer alone sees all keys. */
    static void olmo3(ConfigFields config, SizesDraft draft) {
        olmo2(config, draft);
        SlidingWindow.fill(config, draft, 4096, 4);
    }

    private static void fill(ConfigFields config, SizesDraft draft) {
        draft.modern(config, 0, 2048, false);
        boolean bias = config.flag("attention_bias", false);
        draft.bias = new Bias(bias, bias, false, false, false);
    }
}
