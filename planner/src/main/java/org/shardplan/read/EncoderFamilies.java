package org.shardplan.read;

import java.util.List;
import org.shardplan.graph.Extensions.Head;
import org.shardplan.graph.LayerKind.CrossAttend;
import org.shardplan.graph.Tower;
import org.shardplan.graph.TransformerSizes.Bias;
import org.shardplan.graph.TransformerSizes.Norm;
import org.shardplan.graph.TransformerSizes.NormPlacement;
import org.shardplan.graph.TransformerSizes.Positions;

/** Encoders, of text, of images and with decoders. Defaults are those of each Hugging Face config class. */
final class EncoderFamilies {
    private static final Bias EVERY = new Bias(true, true, true, true, true);

    private EncoderFamilies() {}

    /** BertConfig: norms after the sums, masked words told through one more layer; the pooler is left out, as in BertForMaskedLM. */
    static void bert(ConfigFields config, SizesDraft draft) {
        masked(config, draft, 512, 2);
    }

    /** RobertaConfig and XLMRobertaConfig: the first two positions stand for padding. */
    static void roberta(ConfigFields config, SizesDraft draft) {
        masked(config, draft, 514, 1);
        if (draft.maxPositions > 2) {
            draft.maxPositions -= 2;
            draft.extraPositionRows += 2;
        }
    }

    private static void masked(ConfigFields config, SizesDraft draft, long positionsDefault, long typesDefault) {
        draft.widths(config);
        draft.ffn = config.sizeOr(4 * draft.hidden, SizesDraft.MOST_WIDTH, "intermediate_size");
        draft.maxPositions = config.sizeOr(positionsDefault, SizesDraft.MOST_TOKENS, "max_position_embeddings");
        draft.extraPositionRows = config.sizeOr(typesDefault, SizesDraft.MOST_WIDTH, "type_vocab_size");
        plain(draft);
        draft.normPlacement = NormPlacement.AFTER_SUM;
        draft.positions = Positions.LEARNED;
        draft.bias = EVERY;
        draft.tied(config, true);
        draft.embeddingNorm = true;
        draft.finalNorm = false;
        draft.head = Head.MASKED;
        draft.causal = false;
        draft.dropout(config, "hidden_dropout_prob", true);
    }

    /** LayerNorm, an MLP of two products, no positions but those that the stem adds. */
    static void plain(SizesDraft draft) {
        draft.kvHeads = draft.kvHeads == 0 ? draft.heads : draft.kvHeads;
        draft.gatedMlp = false;
        draft.norm = Norm.LAYER_NORM;
        draft.positions = Positions.NONE;
        draft.bias = Bias.ALL;
    }

    /** ViTConfig: an image is a sequence of patches and one token more. */
    static void vit(ConfigFields config, SizesDraft draft) {
        draft.layers = (int) config.size(SizesDraft.MOST_LAYERS, "num_hidden_layers");
        draft.hidden = config.size(SizesDraft.MOST_WIDTH, "hidden_size");
        draft.heads = config.size(SizesDraft.MOST_WIDTH, "num_attention_heads");
        draft.ffn = config.sizeOr(4 * draft.hidden, SizesDraft.MOST_WIDTH, "intermediate_size");
        draft.vocab = 1;
        plain(draft);
        boolean bias = config.flag("qkv_bias", true);
        draft.bias = new Bias(bias, true, true, true, true);
        draft.causal = false;
        draft.head = Head.POOLED;
        draft.tiedEmbeddings = true;
        draft.dropout(config, "hidden_dropout_prob", false);
        long patches = VisionTowers.patches(config, 224, 16);
        long patch = config.sizeOr(16, SizesDraft.MOST_WIDTH, "patch_size");
        draft.maxPositions = patches + 1;
        long channels = config.sizeOr(3, SizesDraft.MOST_WIDTH, "num_channels");
        draft.stem = new Tower.Stem(channels * patch * patch, 0, true, patches + 2, false);
    }

    /** CLIPConfig: a text model whose last state is compared with that of a vision tower. */
    static void clip(ConfigFields config, SizesDraft draft) {
        ConfigFields text = config.object("text_config").orElseThrow(() -> config.missing("text_config"));
        draft.layers = (int) text.sizeOr(12, SizesDraft.MOST_LAYERS, "num_hidden_layers");
        draft.hidden = text.sizeOr(512, SizesDraft.MOST_WIDTH, "hidden_size");
        draft.heads = text.sizeOr(8, SizesDraft.MOST_WIDTH, "num_attention_heads");
        draft.ffn = text.sizeOr(2048, SizesDraft.MOST_WIDTH, "intermediate_size");
        draft.vocab = text.sizeOr(49_408, SizesDraft.MOST_TOKENS, "vocab_size");
        draft.maxPositions = text.sizeOr(77, SizesDraft.MOST_TOKENS, "max_position_embeddings");
        plain(draft);
        draft.positions = Positions.LEARNED;
        draft.head = Head.POOLED;
        draft.tiedEmbeddings = true;
        ConfigFields vision = config.object("vision_config").orElseThrow(() -> config.missing("vision_config"));
        Tower tower = VisionTowers.clip(vision, List.of(), 1);
        Tower.Projector projector = new Tower.Projector(1, List.of(tower.sizes().hidden(), draft.hidden), 0, false, 0);
        draft.towers = List.of(new Tower(tower.sizes(), tower.stem(), tower.tokens(), projector, Tower.Role.COMPARED));
        config.note("one image of " + tower.tokens() + " patches beside each text");
    }

    /** T5Config (T5, mT5, UMT5): trained distances, RMSNorm, no biases. */
    static void t5(ConfigFields config, SizesDraft draft) {
        int encoders = (int) config.sizeOr(6, SizesDraft.MOST_LAYERS, "num_layers");
        int decoders = (int) config.sizeOr(encoders, SizesDraft.MOST_LAYERS, "num_decoder_layers");
        draft.hidden = config.sizeOr(512, SizesDraft.MOST_WIDTH, "d_model");
        draft.ffn = config.sizeOr(2048, SizesDraft.MOST_WIDTH, "d_ff");
        draft.heads = config.sizeOr(8, SizesDraft.MOST_WIDTH, "num_heads");
        draft.kvHeads = draft.heads;
        draft.headDim = config.sizeOr(64, SizesDraft.MOST_WIDTH, "d_kv");
        draft.vocab = config.sizeOr(32_128, SizesDraft.MOST_TOKENS, "vocab_size");
        draft.maxPositions = config.sizeOr(512, SizesDraft.MOST_TOKENS, "n_positions");
        draft.gatedMlp = config.text("feed_forward_proj").orElse("relu").startsWith("gated");
        draft.positions = Positions.BUCKETS;
        draft.tied(config, true);
        draft.dropout(config, "dropout_rate", true);
        draft.layers = encoders;
        draft.causal = false;
        Tower encoder = new Tower(
                draft.finish("encoder", config), Tower.Stem.TOKENS, 0, Tower.Projector.NONE, Tower.Role.ENCODER);
        decodes(draft, encoder, decoders, 0);
        config.note("the decoder is given 114 tokens for 512 of the encoder, as T5's pretraining has it");
    }

    /** WhisperConfig: sound of 30 seconds for a decoder of text; keys have no bias, which is counted all the same. */
    static void whisper(ConfigFields config, SizesDraft draft) {
        draft.hidden = config.sizeOr(384, SizesDraft.MOST_WIDTH, "d_model");
        draft.vocab = config.sizeOr(51_865, SizesDraft.MOST_TOKENS, "vocab_size");
        draft.heads = config.sizeOr(6, SizesDraft.MOST_WIDTH, "encoder_attention_heads");
        draft.ffn = config.sizeOr(1536, SizesDraft.MOST_WIDTH, "encoder_ffn_dim");
        draft.layers = (int) config.sizeOr(4, SizesDraft.MOST_LAYERS, "encoder_layers");
        plain(draft);
        draft.tied(config, true);
        draft.dropout(config, "dropout", false);
        draft.causal = false;
        long frames = config.sizeOr(1500, SizesDraft.MOST_TOKENS, "max_source_positions");
        draft.maxPositions = frames;
        long bins = config.sizeOr(80, SizesDraft.MOST_WIDTH, "num_mel_bins");
        Tower.Stem stem = new Tower.Stem(3 * bins, 3 * draft.hidden, true, frames, false);
        Tower encoder =
                new Tower(draft.finish("encoder", config), stem, frames, Tower.Projector.NONE, Tower.Role.ENCODER);
        draft.heads = config.sizeOr(6, SizesDraft.MOST_WIDTH, "decoder_attention_heads");
        draft.kvHeads = draft.heads;
        draft.ffn = config.sizeOr(1536, SizesDraft.MOST_WIDTH, "decoder_ffn_dim");
        draft.headDim = 0;
        draft.positions = Positions.LEARNED;
        draft.maxPositions = config.sizeOr(448, SizesDraft.MOST_TOKENS, "max_target_positions");
        int decoders = (int) config.sizeOr(4, SizesDraft.MOST_LAYERS, "decoder_layers");
        decodes(draft, encoder, decoders, frames);
    }

    private static void decodes(SizesDraft draft, Tower encoder, int decoders, long keys) {
        draft.layers = encoder.sizes().layers() + decoders;
        draft.causal = true;
        draft.towers = List.of(encoder);
        long headDim = encoder.sizes().headDim();
        draft.mixer = _ -> new CrossAttend(draft.heads, draft.kvHeads, headDim, true, false, keys);
    }
}
