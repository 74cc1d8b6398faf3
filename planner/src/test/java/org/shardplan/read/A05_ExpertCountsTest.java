package org.shardplan.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.shardplan.graph.ModelFlops;
import org.shardplan.graph.OperatorGraph;
import org.shardplan.graph.TransformerGraph;
import org.shardplan.graph.TransformerSizes;
import org.shardplan.units.UserError;

/**
 * FEATURE UNDER TEST: mixtures of experts have the parameters of their published weights, and those of a token as their papers
 * say.
 */
final class A05_ExpertCountsTest {
    /** Weights on the hub. */
    @ParameterizedTest
    @CsvSource(textBlock = """
            mixtral-8x7b,          46702792704
            mixtral-8x22b,        140620634112
            qwen3-30b-a3b,         30532122624
            qwen3-235b-a22b,      235093634560
            olmoe-1b-7b,            6919161856
            dbrx,                 131596523520
            phi-3.5-moe,           41873153344
            deepseek-v2-lite,      15706484224
            deepseek-v2,          235741434880
            """)
    void parametersAreThePublishedOnes(String model, long published) {
        assertEquals(published, graph(model).parameterElements());
    }

    /** Papers and cards, in billions: all parameters, and those of a token. */
    @ParameterizedTest
    @CsvSource(textBlock = """
            mixtral-8x7b,         46.7,   12.9
            mixtral-8x22b,       140.6,   39.1
            qwen3-30b-a3b,        30.5,    3.35
            qwen3-235b-a22b,     235.1,   22.2
            olmoe-1b-7b,           6.92,   1.28
            dbrx,                131.6,   36.5
            phi-3.5-moe,          41.9,    6.64
            deepseek-v2,         235.7,   21.4
            deepseek-v3,         671.0,   37.55
            kimi-k2,            1026.4,   32.9
            gpt-oss-20b,          20.91,   4.19
            gpt-oss-120b,        116.83,   5.71
            qwen1.5-moe-a2.7b,    14.3,    2.69
            granite-3.0-1b-a400m,  1.33,   0.43
            """)
    void withinHalfAPercent(String model, double billions, double active) {
        OperatorGraph graph = graph(model);
        assertEquals(billions, graph.parameterElements() / 1e9, billions * 0.005 + 0.005, "all");
        assertEquals(active, graph.activeParameterElements() / 1e9, active * 0.005 + 0.005, "of a token");
    }

    /** Half the FLOPs of the products of a token, forward: one for each parameter that it meets in a product. */
    @Test
    void aTokensProductsAreItsParameters() {
        for (String model : new String[] {"mixtral-8x7b", "deepseek-v3", "qwen3-235b-a22b"}) {
            OperatorGraph graph = graph(model);
            TransformerSizes sizes = A01_PublishedCountsTest.read(model);
            double products = ModelFlops.forwardPerSample(graph, false) - ModelFlops.attentionPerSample(graph, false);
            double met = graph.activeParameterElements() - (double) sizes.vocab() * sizes.hidden();
            assertEquals(met, products / sizes.seqLen() / 2, met * 0.001, model);
        }
    }

    @Test
    void firstLayersAreDense() {
        OperatorGraph graph = graph("deepseek-v3");
        assertEquals(
                "embedding 1, layer 3, layer.experts 58, head 1",
                String.join(
                        ", ",
                        graph.blocks().stream()
                                .map(block -> block.name() + " " + block.repeat())
                                .toList()));
    }

    /** DeepSeek-V3's hub files hold 684.5 G: 671 G, and the module with copies of embedding and head of its own. */
    @Test
    void furtherTokensAreTrainedBesides() {
        TransformerSizes sizes = A01_PublishedCountsTest.read("deepseek-v3");
        assertEquals(1, sizes.extensions().nextTokens());
        double all = TransformerGraph.build(sizes, sizes.seqLen(), 1).parameterElements();
        double copies = 2.0 * sizes.vocab() * sizes.hidden();
        assertEquals(684.5e9, all + copies, 0.001 * 684.5e9);
        String config = "{\"model_type\":\"deepseek_v3\",\"hidden_size\":64,\"intermediate_size\":128,"
                + "\"num_hidden_layers\":4,\"num_attention_heads\":4,\"vocab_size\":100,\"num_nextn_predict_layers\":1}";
        assertTrue(parse(config).notes().toString().contains("1 module predicts a further token"));
    }

    /** A token's key-value memory and scores follow the window: FLOPs of half the layers end at 128 keys. */
    @Test
    void windowsAreNotCountedInFull() {
        TransformerSizes sizes = A01_PublishedCountsTest.read("gpt-oss-120b");
        OperatorGraph graph = TransformerGraph.build(sizes, 8192, 1);
        double width = 4.0 * sizes.heads() * sizes.headDim() * 8192;
        assertEquals(18 * width * (8192 + 128), ModelFlops.attentionPerSample(graph, false), 1);
        double causal = (8193 / 2.0) + (128 * 129 / 2.0 + (8192 - 128) * 128.0) / 8192;
        assertEquals(18 * width * causal, ModelFlops.attentionPerSample(graph, true), 1e6);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            "num_experts_per_tok":9  | num_experts_per_tok = 9 doesn't fit: a token can't go to 9 of 8 experts | Maybe num_experts_per_tok is 2
            "num_local_experts":0    | num_local_experts = 0 is out of range: 1 to 100,000 | Maybe a digit is wrong
            "num_local_experts":"8"  | num_local_experts = "8" is a text, a whole number is needed | Maybe drop the quotes
            """)
    void mistakesHaveTheirValues(String field, String message, String maybe) {
        String config =
                "{\"model_type\":\"mixtral\",\"hidden_size\":64,\"intermediate_size\":128,\"num_hidden_layers\":4,"
                        + "\"num_attention_heads\":8,\"vocab_size\":100," + field + "}";
        UserError error = assertThrows(UserError.class, () -> parse(config));
        assertEquals("c.json, line 1: " + message, error.getMessage());
        assertEquals(maybe, error.maybe());
    }

    @Test
    void someLayerHasExperts() {
        String config = "{\"model_type\":\"deepseek_v3\",\"hidden_size\":64,\"intermediate_size\":128,"
                + "\"num_hidden_layers\":3,\"num_attention_heads\":4,\"vocab_size\":100,\"first_k_dense_replace\":3}";
        UserError error = assertThrows(UserError.class, () -> parse(config));
        assertEquals(
                "c.json, line 1: first_k_dense_replace = 3 leaves no layer of 3 with experts: the first 3 are dense",
                error.getMessage());
        assertEquals("Maybe first_k_dense_replace is 2", error.maybe());
    }

    private static HuggingFaceConfig.Read parse(String config) {
        return HuggingFaceConfig.parse("m", "c.json", config.getBytes(StandardCharsets.UTF_8));
    }

    private static OperatorGraph graph(String model) {
        TransformerSizes sizes = A01_PublishedCountsTest.read(model);
        // published sizes leave the modules out that predict further tokens
        return TransformerGraph.build(sizes.with(sizes.extensions().withNextTokens(0)), sizes.seqLen(), 1);
    }
}
