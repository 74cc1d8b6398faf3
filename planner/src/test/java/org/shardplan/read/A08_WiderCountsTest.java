package org.shardplan.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.shardplan.form.ModelCatalog;
import org.shardplan.graph.Attention;
import org.shardplan.graph.Block;
import org.shardplan.graph.ModelFlops;
import org.shardplan.graph.OperatorGraph;
import org.shardplan.graph.TransformerGraph;
import org.shardplan.graph.TransformerSizes;
import org.shardplan.units.UserError;

/** FEATURE UNDER TEST: encoders, encoders with decoders, models of images and text, and the later mixtures of experts. */
final class A08_WiderCountsTest {
    /** Weights on the hub: of BERT and RoBERTa as masked language models. */
    @ParameterizedTest
    @CsvSource(textBlock = """
            bert-base,            109514298
            bert-large,           335174458
            roberta-large,        355412057
            vit-huge,             632404480
            t5-v1.1-xxl,        11135332352
            llava-1.5-7b,        7062902784
            """)
    void parametersAreThePublishedOnes(String model, long published) {
        assertEquals(published, graph(model).parameterElements());
    }

    /** Weights on the hub, of which small parts are read otherwise (a logit scale, keys without bias, gates of tiles, norms). */
    @ParameterizedTest
    @CsvSource(textBlock = """
            clip-large,           427616513
            whisper-tiny,          37760640
            xlm-roberta-large,    567755777
            gemma-3-27b,        27432406640
            llama3.2-11b-vision,10670220835
            llama3.2-90b-vision,88592876579
            qwen3-vl-8b,         8767123696
            """)
    void withinAThousandth(String model, long published) {
        assertEquals(published, graph(model).parameterElements(), published * 0.001);
    }

    /** Cards and papers, in billions, and what they round by: all, and those of a token without the input's table of embeddings. */
    @ParameterizedTest
    @CsvSource(textBlock = """
            llama4-scout,         109,    17,   0.5
            llama4-maverick,      400,    17,   0.5
            molmo-7b-d,             8.02,  7.45, 0.1
            qwen3.5-35b-a3b,       35,     3,   0.5
            gemma-4-26b-a4b,       25.8,   3.8, 0.2
            deepseek-v3.2,        672,    37.6, 0.7
            glm-5,                744,    40,   1
            ernie-4.5-21b-a3b,     21.8,   3,   0.5
            hunyuan-a13b,          80.4,  13,   1
            dots.llm1,            143,    14,   1
            """)
    void withinHalfAPercent(String model, double billions, double active, double rounding) {
        OperatorGraph graph = graph(model);
        TransformerSizes sizes = A01_PublishedCountsTest.read(model);
        assertEquals(billions, graph.parameterElements() / 1e9, billions * 0.005, "all");
        double met = graph.activeParameterElements() - (double) sizes.vocab() * sizes.hidden();
        assertEquals(active, met / 1e9, rounding, "of a token");
    }

    /** Grok-1 is published as 314 G, a quarter of its weights (two of eight experts) for a token: its file's sizes give 0.54 % more. */
    @Test
    void grok() {
        assertEquals(314, graph("grok-1").parameterElements() / 1e9, 314 * 0.006);
        double share = graph("grok-1").activeParameterElements()
                / (double) graph("grok-1").parameterElements();
        assertEquals(0.25, share, 0.02);
    }

    /** Three of four layers end at the chunk's edge; the others see all. */
    @Test
    void chunksAreNotCountedInFull() {
        TransformerSizes sizes = A01_PublishedCountsTest.read("llama4-scout");
        OperatorGraph graph =
                TransformerGraph.build(sizes.with(sizes.extensions().withNextTokens(0)), 32_768, 1);
        double tower = ModelFlops.attentionPerSample(
                new OperatorGraph("tower", List.of(graph.blocks().getFirst())), true);
        double width = 4.0 * 40 * 128 * 32_768;
        assertEquals(
                tower + width * (36 * 8193 / 2.0 + 12 * 32_769 / 2.0), ModelFlops.attentionPerSample(graph, true), 1e6);
    }

    /** DeepSeek-V3.2: a query meets 2,048 keys, and a small indexer scores all of them. */
    @Test
    void sparseAttentionMeetsWhatTheIndexerPicks() {
        TransformerSizes sizes = A01_PublishedCountsTest.read("deepseek-v3.2");
        OperatorGraph graph =
                TransformerGraph.build(sizes.with(sizes.extensions().withNextTokens(0)), 65_536, 1);
        double core = 61 * 4.0 * 128 * 160 * 65_536 * 2048;
        double indexer = 61 * 2.0 * 64 * 128 * 65_536.0 * 65_536;
        assertEquals(core + indexer, ModelFlops.attentionPerSample(graph, false), 1e-6 * core);
    }

    /** A decoder of T5 meets what its encoder made, which is kept once. */
    @Test
    void decodersReadTheEncoder() {
        OperatorGraph graph = graph("t5-v1.1-xxl");
        assertEquals(
                "embedding 1, layer.encoder 23, layer.encoder.last 1, layer 24, head 1",
                String.join(
                        ", ",
                        graph.blocks().stream()
                                .map(block -> block.name() + " " + block.repeat())
                                .toList()));
        Block decoder = graph.blocks().get(3);
        List<Attention> attentions = decoder.operators().stream()
                .filter(Attention.class::isInstance)
                .map(Attention.class::cast)
                .toList();
        assertEquals(2, attentions.size());
        assertTrue(attentions.getFirst().causal());
        assertEquals(114, attentions.getLast().queries());
        assertEquals(512, attentions.getLast().keys());
    }

    @Test
    void encodersSeeBothWays() {
        assertTrue(graph("bert-base").blocks().get(1).operators().stream()
                .noneMatch(operator -> operator instanceof Attention attention && attention.causal()));
    }

    /** Transformer-XL's projection of distances is what Gopher has beyond a plain GPT of its sizes: published as 280 G. */
    @Test
    void gopher() {
        TransformerSizes sizes = ModelCatalog.find("gopher-280b").sizes();
        assertEquals(280e9, TransformerGraph.build(sizes, 2048, 1).parameterElements(), 280e9 * 0.005);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {"model_type":"vit","hidden_size":64,"num_hidden_layers":2,"num_attention_heads":4,"patch_size":15} | c.json, line 1: patch_size = 15 doesn't fit: an image of 224 is no whole number of patches of 15
            {"model_type":"gemma3","vision_config":{}} | c.json: field text_config is missing
            {"model_type":"qwen3_vl","text_config":{"model_type":"qwen9"}} | c.json, line 1: text_config.model_type = "qwen9" is not known
            {"model_type":"nemotron-nas","hidden_size":64,"num_hidden_layers":2,"num_attention_heads":4,"vocab_size":9,"block_configs":[]} | c.json, line 1: block_configs = […] has 0 entries for 2 layers
            {"model_type":"deepseek_v4"} | c.json, line 1: model_type = "deepseek_v4" is compressed attention with several residual streams, which is not supported in this version
            """)
    void mistakesHaveTheirValues(String config, String message) {
        UserError error = assertThrows(
                UserError.class, () -> HuggingFaceConfig.parse("m", "c.json", config.getBytes(StandardCharsets.UTF_8)));
        assertEquals(message, error.getMessage());
        assertTrue(error.maybe().startsWith("Maybe"), error.maybe());
    }

    private static OperatorGraph graph(String model) {
        TransformerSizes sizes = A01_PublishedCountsTest.read(model);
        return TransformerGraph.build(sizes.with(sizes.extensions().withNextTokens(0)), sizes.seqLen(), 1);
    }
}
