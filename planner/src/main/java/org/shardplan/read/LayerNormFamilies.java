package org.shardplan.read;

import org.shardplan.graph.TransformerSizes.Bias;
import org.shardplan.graph.TransformerSizes.Norm;
import org.shardplan.graph.TransformerSizes.NormPlacement;
import org.shardplan.graph.TransformerSizes.QkNorm;

/** Rotary decoders with LayerNorm under Llama's field names: Phi 1 and 2, StableLM, StarCoder2, Nemotron, Command R. */
final class LayerNormFamilies {
    private LayerNormFamilies() {}

    /** PhiConfig (Phi-1, 1.5, 2): one norm before attention and a plain MLP side by side; biases everywhere, the head too. */
    static void phi(ConfigFields config, SizesDraft draft) {
        draft.modern(config, 0, 2048, false);
        draft.gatedMlp = false;
        draft.norm = Norm.LAYER_NORM;
        draft.normPlacement = NormPlacement.PARALLEL_ONE_NORM;
        draft.bias = new Bias(true, true, true, true, true);
        draft.rotaryFraction(config, "partial_rotary_factor", 0.5);
        draft.qkNorm = config.flag("qk_layernorm", false) ? QkNorm.PER_HEAD : QkNorm.NONE;
    }

    /** StableLmConfig: gated; the 12B has one norm before parallel branches, and a scale for each head's elements. */
    static void stablelm(ConfigFields config, SizesDraft draft) {
        draft.modern(config, 32, 4096, false);
        draft.norm = Norm.LAYER_NORM;
        draft.rotaryFraction(config, "partial_rotary_factor", 0.25);
        draft.bias = new Bias(config.flag("use_qkv_bias", false), false, false, false, false);
        draft.qkNorm = config.flag("qk_layernorm", false) ? QkNorm.FULL : QkNorm.NONE;
        boolean parallel = config.flag("use_parallel_residual", false);
        draft.normPlacement = parallel ? NormPlacement.PARALLEL_ONE_NORM : NormPlacement.PRE;
    }

    /** Starcoder2Config: plain MLP, biases everywhere, 2 key-value heads and tied embeddings by default. */
    static void starcoder2(ConfigFields config, SizesDraft draft) {
        draft.modern(config, 2, 4096, true);
        draft.gatedMlp = false;
        draft.norm = Norm.LAYER_NORM;
        draft.bias = config.flag("use_bias", true) ? Bias.ALL : Bias.NONE;
        SlidingWindow.fill(config, draft, 0, 1);
    }

    /** NemotronConfig (Nemotron-4, Minitron): plain MLP with squared ReLU, half of each head rotated. */
    static void nemotron(ConfigFields config, SizesDraft draft) {
        draft.modern(config, 0, 4096, false);
        draft.gatedMlp = false;
        draft.norm = Norm.LAYER_NORM;
        draft.rotaryFraction(config, "partial_rotary_factor", 0.5);
        draft.biases(config, "attention_bias", false, "mlp_bias");
    }

    /** CohereConfig (Command R): one norm without shift before parallel branches, tied. */
    static void cohere(ConfigFields config, SizesDraft draft) {
        draft.modern(config, 0, 8192, true);
        draft.norm = Norm.LAYER_NORM_NO_SHIFT;
        draft.normPlacement = NormPlacement.PARALLEL_ONE_NORM;
        draft.qkNorm = config.flag("use_qk_norm", false) ? QkNorm.FULL : QkNorm.NONE;
        boolean bias = config.flag("attention_bias", false);
        draft.bias = new Bias(bias, bias, false, false, false);
    }
}
