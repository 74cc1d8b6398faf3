package org.shardplan.read;

import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import org.shardplan.graph.LayerKind.CrossAttend;
import org.shardplan.graph.Tower;
import org.shardplan.graph.TransformerSizes.Bias;

/** Models of images and text: a text model of a family of its own, in {@code text_config}, and a vision tower. */
final class VisionFamilies {
    private VisionFamilies() {}

    /** The text model of {@code text_config}, and a tower whose tokens stand in its sequence. */
    static void merged(
            ConfigFields config,
            SizesDraft draft,
            String textDefault,
            BiFunction<ConfigFields, Long, Tower> visionTower) {
        text(config, draft, textDefault);
        config.object("vision_config")
                .ifPresentOrElse(
                        vision -> add(config, draft, visionTower.apply(vision, draft.hidden)),
                        () -> config.note("vision_config is missing: read as the text model alone"));
    }

    private static void text(ConfigFields config, SizesDraft draft, String textDefault) {
        ConfigFields text = config.object("text_config").orElseThrow(() -> config.missing("text_config"));
        String type = text.text("model_type").orElse(textDefault);
        String known = Map.of("qwen3_vl_text", "qwen3", "qwen3_vl_moe_text", "qwen3_moe", "mllama_text_model", "llama")
                .getOrDefault(type, type);
        BiConsumer<ConfigFields, SizesDraft> family = HuggingFaceConfig.family(known)
                .orElseThrow(() -> text.error("model_type", "is not known", "Maybe " + textDefault));
        family.accept(text, draft);
        if (config.has("tie_word_embeddings") && !text.has("tie_word_embeddings")) {
            draft.tied(config, draft.tiedEmbeddings);
        }
        text.notes().forEach(config::note);
    }

    private static void add(ConfigFields config, SizesDraft draft, Tower tower) {
        draft.towers = List.of(tower);
        config.note("one image a sequence: " + tower.tokens() + " patches through the vision tower, "
                + (tower.projector().tokens() == 0
                        ? tower.tokens()
                        : tower.projector().tokens())
                + " tokens of it to the text model");
    }

    /** Gemma3Config. */
    static void gemma3(ConfigFields config, SizesDraft draft) {
        draft.vocabDefault = 262_208;
        long given = config.sizeOr(256, SizesDraft.MOST_TOKENS, "mm_tokens_per_image");
        merged(config, draft, "gemma3_text", (vision, hidden) -> VisionTowers.siglip(vision, hidden, given));
    }

    /** Gemma4Config. */
    static void gemma4(ConfigFields config, SizesDraft draft) {
        long given = config.sizeOr(280, SizesDraft.MOST_TOKENS, "vision_soft_tokens_per_image");
        merged(config, draft, "gemma4_text", (vision, hidden) -> VisionTowers.gemma4(vision, hidden, given));
    }

    /** LlavaConfig as LLaVA 1.5 wrote it: a Llama with keys for a tower that it names; or nested, as transformers writes it. */
    static void llava(ConfigFields config, SizesDraft draft) {
        if (config.has("text_config")) {
            merged(
                    config,
                    draft,
                    "llama",
                    (vision, hidden) ->
                            VisionTowers.clip(vision, List.of(hidden, hidden), VisionTowers.patches(vision, 336, 14)));
            return;
        }
        LlamaFamilies.llama(config, draft);
        String named = config.text("mm_vision_tower").orElse("");
        if (!named.contains("clip-vit-large-patch14-336")) {
            throw config.error(
                    "mm_vision_tower",
                    "is a vision tower of unknown sizes",
                    "Maybe openai/clip-vit-large-patch14-336, or a newer file with vision_config");
        }
        List<Long> widths = List.of(1024L, draft.hidden, draft.hidden);
        add(config, draft, VisionTowers.clipLarge(24, new Tower.Projector(576, widths, 0, true, 0)));
    }

    /** MolmoConfig: a Qwen 2 whose intermediate_size counts both branches, CLIP's tower, pairs of its layers pooled to 144 tokens. */
    static void molmo(ConfigFields config, SizesDraft draft) {
        draft.modern(config, 4, 4096, false);
        draft.ffn = Math.max(1, draft.ffn / 2);
        boolean bias = config.flag("qkv_bias", true);
        draft.bias = new Bias(bias, false, false, false, false);
        List<Long> widths = List.of(2048L, 1024L, draft.ffn, draft.hidden);
        add(config, draft, VisionTowers.clipLarge(23, new Tower.Projector(144, widths, 0, false, 0)));
        config.note("Molmo's file does not describe its vision tower: CLIP's ViT-L/14 of 336 is assumed");
    }

    /** Llama4Config. */
    static void llama4(ConfigFields config, SizesDraft draft) {
        text(config, draft, "llama4_text");
        ConfigFields vision = config.object("vision_config")
                .orElseGet(() -> new ConfigFields(config.file(), "vision_config.", Map.of()));
        if (!config.has("vision_config")) {
            config.note("vision_config is missing: the tower of Llama 4 Scout is assumed");
        }
        add(config, draft, VisionTowers.llama4(vision, draft.hidden));
    }

    /** MllamaConfig (Llama 3.2 Vision): named layers meet what the tower made in cross-attention, in place of their own sequence. */
    static void mllama(ConfigFields config, SizesDraft draft) {
        text(config, draft, "llama");
        ConfigFields text = config.object("text_config").orElseThrow(() -> config.missing("text_config"));
        ConfigFields vision = config.object("vision_config").orElseThrow(() -> config.missing("vision_config"));
        List<Double> crossed = text.numbers("cross_attention_layers");
        Tower tower = VisionTowers.mllama(vision);
        draft.towers = List.of(tower);
        long headDim = draft.headDim > 0 ? draft.headDim : Math.max(1, draft.hidden / draft.heads);
        CrossAttend cross = new CrossAttend(draft.heads, draft.kvHeads, headDim, false, true, tower.tokens());
        draft.mixer = layer -> crossed.contains((double) layer) ? cross : draft.attend(0);
        config.note("one image of four tiles a sequence: " + tower.tokens() + " patches that " + crossed.size()
                + " layers meet in cross-attention");
    }
}
