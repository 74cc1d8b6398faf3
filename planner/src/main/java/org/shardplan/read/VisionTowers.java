package org.shardplan.read;

import java.util.ArrayList;
import java.util.List;
import org.shardplan.graph.Tower;
import org.shardplan.graph.Tower.Projector;
import org.shardplan.graph.Tower.Role;
import org.shardplan.graph.Tower.Stem;
import org.shardplan.graph.TransformerSizes.Bias;
import org.shardplan.graph.TransformerSizes.Norm;
import org.shardplan.graph.TransformerSizes.NormPlacement;
import org.shardplan.graph.TransformerSizes.Positions;
import org.shardplan.graph.TransformerSizes.QkNorm;

/** Vision towers by their config objects: layers, patches, and the projector into the text model. One image a sequence. */
final class VisionTowers {
    private VisionTowers() {}

    /** Patches of the image; its side must be a multiple of the patch's. */
    static long patches(ConfigFields config, long imageDefault, long patchDefault) {
        long image = config.sizeOr(imageDefault, SizesDraft.MOST_WIDTH, "image_size");
        long patch = config.sizeOr(patchDefault, SizesDraft.MOST_WIDTH, "patch_size");
        if (image % patch != 0) {
            throw config.error(
                    config.has("patch_size") ? "patch_size" : "image_size",
                    "doesn't fit: an image of " + image + " is no whole number of patches of " + patch,
                    "Maybe image_size is " + Math.max(patch, image / patch * patch));
        }
        return (image / patch) * (image / patch);
    }

    private static SizesDraft draft(ConfigFields config, Defaults or, String layers, String heads, String ffn) {
        SizesDraft draft = new SizesDraft();
        draft.layers = (int) config.sizeOr(or.layers, SizesDraft.MOST_LAYERS, layers, "num_hidden_layers");
        draft.hidden = config.sizeOr(or.hidden, SizesDraft.MOST_WIDTH, "hidden_size", "vt_hidden_size");
        draft.heads = config.sizeOr(or.heads, SizesDraft.MOST_WIDTH, heads, "num_attention_heads");
        draft.ffn = config.sizeOr(or.ffn, SizesDraft.MOST_WIDTH, ffn, "intermediate_size");
        draft.vocab = 1;
        draft.causal = false;
        draft.tiedEmbeddings = true;
        EncoderFamilies.plain(draft);
        return draft;
    }

    /** Sizes of a class when its keys are absent. */
    private record Defaults(int layers, long hidden, long heads, long ffn) {}

    private static Tower tower(
            ConfigFields config, SizesDraft draft, Stem stem, long tokens, Projector projector, Role role) {
        draft.maxPositions = tokens;
        return new Tower(draft.finish("vision", config), stem, tokens, projector, role);
    }

    /** CLIPVisionConfig: a class token, a norm before the first layer. */
    static Tower clip(ConfigFields config, List<Long> widths, long given) {
        SizesDraft draft = draft(
                config,
                new Defaults(12, 768, 12, 3072),
                "num_hidden_layers",
                "num_attention_heads",
                "intermediate_size");
        long patches = patches(config, 224, 32);
        long patch = config.sizeOr(32, SizesDraft.MOST_WIDTH, "patch_size");
        Stem stem = new Stem(3 * patch * patch, 0, false, patches + 2, true);
        List<Long> all = new ArrayList<>(widths);
        if (!all.isEmpty()) {
            all.addFirst(draft.hidden);
        }
        return tower(config, draft, stem, patches + 1, new Projector(given, all, 0, true, 0), Role.MERGED);
    }

    /** CLIP's ViT-L/14 of images of 336, which LLaVA 1.5 and Molmo name and do not describe. */
    static Tower clipLarge(int layers, Projector projector) {
        ConfigFields none = new ConfigFields("openai/clip-vit-large-patch14-336", "", java.util.Map.of());
        SizesDraft draft = draft(
                none,
                new Defaults(layers, 1024, 16, 4096),
                "num_hidden_layers",
                "num_attention_heads",
                "intermediate_size");
        return tower(none, draft, new Stem(588, 0, false, 578, true), 577, projector, Role.MERGED);
    }

    /** SiglipVisionConfig under Gemma 3: patches are averaged to {@code given} tokens. */
    static Tower siglip(ConfigFields config, long hidden, long given) {
        SizesDraft draft = draft(
                config,
                new Defaults(12, 768, 12, 3072),
                "num_hidden_layers",
                "num_attention_heads",
                "intermediate_size");
        long patches = patches(config, 224, 16);
        long patch = config.sizeOr(16, SizesDraft.MOST_WIDTH, "patch_size");
        Projector projector = new Projector(given, List.of(draft.hidden, hidden), draft.hidden, false, 0);
        return tower(
                config, draft, new Stem(3 * patch * patch, 0, true, patches, false), patches, projector, Role.MERGED);
    }

    /** Qwen3VLVisionConfig and Qwen3_5VisionConfig: patches of two frames, four of them a token, further projectors of inner layers. */
    static Tower qwen(ConfigFields config, long hidden) {
        SizesDraft draft = draft(config, new Defaults(27, 1152, 16, 4304), "depth", "num_heads", "intermediate_size");
        draft.positions = Positions.ROTARY;
        draft.finalNorm = false;
        long patch = config.sizeOr(16, SizesDraft.MOST_WIDTH, "patch_size");
        long frames = config.sizeOr(2, SizesDraft.MOST_WIDTH, "temporal_patch_size");
        long merge = config.sizeOr(2, SizesDraft.MOST_WIDTH, "spatial_merge_size");
        long positions = config.sizeOr(2304, SizesDraft.MOST_TOKENS, "num_position_embeddings");
        int copies = config.numbers("deepstack_visual_indexes").size();
        long wide = draft.hidden * merge * merge;
        Stem stem = new Stem(3 * frames * patch * patch, 0, true, positions, false);
        Projector projector = new Projector(
                Math.max(1, positions / (merge * merge)), List.of(wide, wide, hidden), draft.hidden, true, copies);
        return tower(config, draft, stem, positions, projector, Role.MERGED);
    }

    /** Kimi's MoonViT: four patches a token. */
    static Tower moon(ConfigFields config, long hidden) {
        SizesDraft draft = draft(
                config,
                new Defaults(27, 1152, 16, 4304),
                "vt_num_hidden_layers",
                "vt_num_attention_heads",
                "vt_intermediate_size");
        draft.positions = Positions.ROTARY;
        long patch = config.sizeOr(14, SizesDraft.MOST_WIDTH, "patch_size");
        long rows = config.sizeOr(64, SizesDraft.MOST_WIDTH, "init_pos_emb_height")
                * config.sizeOr(64, SizesDraft.MOST_WIDTH, "init_pos_emb_width");
        Stem stem = new Stem(3 * patch * patch, 0, true, rows, false);
        long wide = 4 * draft.hidden;
        Projector projector = new Projector(Math.max(1, rows / 4), List.of(wide, wide, hidden), draft.hidden, true, 0);
        return tower(config, draft, stem, rows, projector, Role.MERGED);
    }

    /** Gemma4VisionConfig: a small Gemma that sees all patches; 3 x 3 of them a token. */
    static Tower gemma4(ConfigFields config, long hidden, long given) {
        SizesDraft draft = draft(
                config,
                new Defaults(16, 768, 12, 3072),
                "num_hidden_layers",
                "num_attention_heads",
                "intermediate_size");
        draft.headDim = config.sizeOr(64, SizesDraft.MOST_WIDTH, "head_dim");
        draft.gatedMlp = true;
        draft.norm = Norm.RMS_NORM;
        draft.normPlacement = NormPlacement.PRE_AND_POST;
        draft.qkNorm = QkNorm.PER_HEAD;
        draft.positions = Positions.ROTARY;
        draft.bias = Bias.NONE;
        draft.finalNorm = false;
        long patch = config.sizeOr(16, SizesDraft.MOST_WIDTH, "patch_size");
        long pool = config.sizeOr(3, SizesDraft.MOST_WIDTH, "pooling_kernel_size");
        long rows = 2 * config.sizeOr(10_240, SizesDraft.MOST_WIDTH, "position_embedding_size");
        Projector projector = new Projector(given, List.of(draft.hidden, hidden), 0, false, 0);
        Stem stem = new Stem(3 * patch * patch, 0, false, rows, false);
        return tower(config, draft, stem, given * pool * pool, projector, Role.MERGED);
    }

    /** Llama4VisionConfig; the defaults are those of the published Scout and Maverick. Half the patches a side are a token. */
    static Tower llama4(ConfigFields config, long hidden) {
        SizesDraft draft = draft(
                config,
                new Defaults(34, 1408, 16, 5632),
                "num_hidden_layers",
                "num_attention_heads",
                "intermediate_size");
        draft.positions = Positions.ROTARY;
        long patches = patches(config, 336, 14);
        long patch = config.sizeOr(14, SizesDraft.MOST_WIDTH, "patch_size");
        long middle = config.sizeOr(4096, SizesDraft.MOST_WIDTH, "projector_output_dim");
        Projector projector =
                new Projector(Math.max(1, patches / 4), List.of(4 * draft.hidden, middle, middle, hidden), 0, false, 0);
        Stem stem = new Stem(3 * patch * patch, 0, false, patches + 2, true);
        return tower(config, draft, stem, patches + 1, projector, Role.MERGED);
    }

    /** MllamaVisionConfig: four tiles of an image, 32 layers and 8 gated ones, states of inner layers beside the last. */
    static Tower mllama(ConfigFields config) {
        SizesDraft draft = draft(
                config, new Defaults(32, 1280, 16, 5120), "num_hidden_layers", "attention_heads", "intermediate_size");
        draft.layers += (int) config.sizeOr(8, SizesDraft.MOST_LAYERS, "num_global_layers");
        draft.bias = new Bias(false, false, true, true, false);
        long patches = patches(config, 448, 14) + 1;
        long patch = config.sizeOr(14, SizesDraft.MOST_WIDTH, "patch_size");
        long tiles = config.sizeOr(4, SizesDraft.MOST_WIDTH, "max_num_tiles");
        // one way to lay tiles for each aspect ratio, and none
        long ratios = 9;
        long rows = 1 + patches + ratios * tiles * (patches + 2);
        Stem stem = new Stem(3 * patch * patch, 0, false, rows, true);
        long wide = config.sizeOr(7680, SizesDraft.MOST_WIDTH, "vision_output_dim");
        Projector projector = new Projector(0, List.of(wide, 1L), 0, true, 0);
        return tower(config, draft, stem, tiles * patches, projector, Role.CROSSED);
    }
}
