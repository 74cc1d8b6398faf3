package org.shardplan.read;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Kinds of models that are recognised and refused by name, never read as if they were others. */
final class RefusedTypes {
    private static final Map<String, Set<String>> KINDS = Map.of(
            "a mixture of experts of another kind",
            words(
                    "glm4v_moe flex_olmo jetmoe arctic step3 bailing_moe aria longcat_flash switch_transformers nllb-moe"),
            "compressed attention with several residual streams",
            words("deepseek_v4"),
            "an encoder of another kind",
            words("distilbert electra deberta deberta-v2 albert modernbert nomic_bert mpnet ernie xlnet longformer"),
            "an encoder with a decoder of another kind",
            words("longt5 bart mbart pegasus marian m2m_100 blenderbot t5gemma"),
            "a model of more than text of another kind",
            words(
                    "llava_next qwen2_vl qwen2_5_vl gemma3n paligemma idefics idefics2 idefics3 smolvlm siglip blip blip-2"
                            + " internvl internvl_chat phi3_v phi4mm pixtral mistral3 chameleon kimi_vl swin dinov2 beit wav2vec2"
                            + " hubert qwen2_audio qwen2_5_omni fuyu vision-encoder-decoder"),
            "a state-space or hybrid model of another kind",
            words("falcon_h1 zamba zamba2 rwkv recurrent_gemma lfm2 xlstm plamo2"),
            "a model whose layers differ in size",
            words("deci openelm"),
            "multi-head latent attention",
            words("minicpm3"));

    /** Keys that count experts, in the classes that have them. */
    private static final List<String> EXPERT_KEYS = List.of(
            "num_local_experts",
            "num_experts",
            "n_routed_experts",
            "num_routed_experts",
            "moe_num_experts",
            "n_experts",
            "num_moe_experts");

    private RefusedTypes() {}

    /** What kind of unsupported model this type is. */
    static Optional<String> kindOf(String type) {
        return KINDS.entrySet().stream()
                .filter(kind -> kind.getValue().contains(type))
                .map(Map.Entry::getKey)
                .findFirst();
    }

    /** @param experts whether the type is a mixture of experts that is read, with what such models have */
    static void check(String type, ConfigFields config, boolean experts) {
        Optional<String> kind = kindOf(type);
        if (kind.isPresent()) {
            throw config.error("model_type", "is " + kind.get() + ", which is not supported in this version", maybe());
        }
        for (String key : EXPERT_KEYS) {
            if (!experts && config.number(key, 0, 0, Double.MAX_VALUE) > 1) {
                throw config.error(key, "means mixture of experts, which is not supported in this version", maybe());
            }
        }
        refuse(config, config.object("text_config").isPresent(), "text_config", "means a model of more than text");
        refuse(
                config,
                config.flag("is_encoder_decoder", false),
                "is_encoder_decoder",
                "means an encoder with a decoder");
        refuse(config, !experts && config.has("kv_lora_rank"), "kv_lora_rank", "means multi-head latent attention");
        refuse(config, !experts && config.has("block_configs"), "block_configs", "means layers that differ in size");
    }

    private static void refuse(ConfigFields config, boolean found, String key, String means) {
        if (found) {
            throw config.error(key, means + ", which is not supported in this version", maybe());
        }
    }

    private static String maybe() {
        return "Maybe plan a dense decoder of the same size instead";
    }

    private static Set<String> words(String words) {
        return Set.of(words.split(" "));
    }
}
