package org.shardplan.read;

import org.shardplan.graph.TransformerSizes.Bias;
import org.shardplan.graph.TransformerSizes.NormPlacement;
import org.shardplan.graph.TransformerSizes.Positions;

/** Llama and those that changed little: RMSNorm, rotary, gated MLP. Defaults are those of each Hugging Face config class. */
final class LlamaFamilies {
    private LlamaFamilies() {}

    /** LlamaConfig: Llama 1-3, Yi, SmolLM, DeepSeek-LLM, TinyLlama, … */
    static void llama(ConfigFields config, SizesDraft draft) {
        draft.modern(config, 0, 2048, false);
        draft.biases(config, "attention_bias", false, "mlp_bias");
    }

    /** MistralConfig: 8 key-value heads and a window of 4,096 unless the file says otherwise. */
    static void mistral(ConfigFields config, SizesDraft draft) {
        draft.modern(config, 8, 131_072, false);
        SlidingWindow.fill(config, draft, 4096, 1);
    }

    /** GraniteConfig: a Llama with scaled embeddings, residuals and logits. */
    static void granite(ConfigFields config, SizesDraft draft) {
        llama(config, draft);
    }

    /** XverseConfig. */
    static void xverse(ConfigFields config, SizesDraft draft) {
        draft.modern(config, 0, 2048, false);
    }

    /** ExaoneConfig (3.0, 3.5): {@code num_layers}, tied unless the file says otherwise. */
    static void exaone(ConfigFields config, SizesDraft draft) {
        draft.modern(config, 0, 2048, true);
        draft.dropout(config, "embed_dropout", false);
    }

    /** InternLMConfig: {@code bias} is that of all attention projections, true by default. */
    static void internlm(ConfigFields config, SizesDraft draft) {
        draft.modern(config, 0, 2048, false);
        boolean bias = config.flag("bias", true);
        draft.bias = new Bias(bias, bias, false, false, false);
    }

    /** BaichuanConfig, 1 and 2: the 13B models, told by their width, use ALiBi and name their length differently. */
    static void baichuan(ConfigFields config, SizesDraft draft) {
        draft.modern(config, 0, 4096, false);
        if (!config.has("max_position_embeddings")) {
            draft.maxPositions = config.sizeOr(4096, SizesDraft.MOST_TOKENS, "model_max_length");
        }
        if (draft.hidden != 4096) {
            draft.positions = Positions.ALIBI;
        }
    }

    /** Phi3Config: Phi-3, Phi-3.5, Phi-4. */
    static void phi3(ConfigFields config, SizesDraft draft) {
        draft.modern(config, 0, 4096, false);
        SlidingWindow.fill(config, draft, 0, 1);
        draft.dropout(config, "resid_pdrop", false);
    }

    /** GlmConfig (GLM-4-9B) and, with norms on both sides of each branch, Glm4Config (GLM-4-0414). */
    static void glm(ConfigFields config, SizesDraft draft, boolean normsAfter) {
        draft.modern(config, 2, 131_072, false);
        boolean bias = config.flag("attention_bias", false);
        draft.bias = new Bias(bias, false, false, false, false);
        draft.headDim = config.sizeOr(config.isNull("head_dim") ? 0 : 128, SizesDraft.MOST_WIDTH, "head_dim");
        draft.rotaryFraction(config, "partial_rotary_factor", 0.5);
        draft.normPlacement = normsAfter ? NormPlacement.PRE_AND_POST : NormPlacement.PRE;
    }
}
