package org.shardplan.read;

import java.util.Map;
import java.util.function.BiConsumer;

/** Classes that are more than a decoder of text, by {@code model_type}. */
final class WiderFamilies {
    static final Map<String, BiConsumer<ConfigFields, SizesDraft>> TYPES = Map.ofEntries(
            Map.entry("bert", EncoderFamilies::bert),
            Map.entry("roberta", EncoderFamilies::roberta),
            Map.entry("xlm-roberta", EncoderFamilies::roberta),
            Map.entry("camembert", EncoderFamilies::roberta),
            Map.entry("vit", EncoderFamilies::vit),
            Map.entry("deit", EncoderFamilies::vit),
            Map.entry("clip", EncoderFamilies::clip),
            Map.entry("t5", EncoderFamilies::t5),
            Map.entry("mt5", EncoderFamilies::t5),
            Map.entry("umt5", EncoderFamilies::t5),
            Map.entry("whisper", EncoderFamilies::whisper),
            Map.entry("gemma3", VisionFamilies::gemma3),
            Map.entry("gemma4", VisionFamilies::gemma4),
            Map.entry("llava", VisionFamilies::llava),
            Map.entry("molmo", VisionFamilies::molmo),
            Map.entry("mllama", VisionFamilies::mllama),
            Map.entry("llama4", VisionFamilies::llama4),
            Map.entry("qwen3_vl", (config, draft) -> VisionFamilies.merged(config, draft, "qwen3", VisionTowers::qwen)),
            Map.entry(
                    "qwen3_vl_moe",
                    (config, draft) -> VisionFamilies.merged(config, draft, "qwen3_moe", VisionTowers::qwen)),
            Map.entry(
                    "qwen3_5",
                    (config, draft) -> VisionFamilies.merged(config, draft, "qwen3_5_text", VisionTowers::qwen)),
            Map.entry(
                    "qwen3_5_moe",
                    (config, draft) -> VisionFamilies.merged(config, draft, "qwen3_5_moe_text", VisionTowers::qwen)),
            Map.entry(
                    "kimi_k25",
                    (config, draft) -> VisionFamilies.merged(config, draft, "kimi_k2", VisionTowers::moon)));

    private WiderFamilies() {}
}
