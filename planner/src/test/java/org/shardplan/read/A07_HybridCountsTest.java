package org.shardplan.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.shardplan.graph.ModelFlops;
import org.shardplan.graph.Operator;
import org.shardplan.graph.OperatorGraph;
import org.shardplan.graph.Scan;
import org.shardplan.graph.TransformerGraph;
import org.shardplan.graph.TransformerSizes;
import org.shardplan.units.UserError;

/** FEATURE UNDER TEST: state-space and linear-attention layers have the parameters and FLOPs of what is published. */
final class A07_HybridCountsTest {
    /** Weights on the hub. */
    @ParameterizedTest
    @CsvSource(textBlock = """
            mamba-2.8b,            2768345600
            mamba-codestral-7b,    7285403648
            jamba-v0.1,           51570323328
            """)
    void parametersAreThePublishedOnes(String model, long published) {
        assertEquals(published, graph(model).parameterElements());
    }

    /** Cards and papers, in billions: all, and those of a token as rounded there, without so many tables of the vocabulary. */
    @ParameterizedTest
    @CsvSource(textBlock = """
            qwen3-next-80b-a3b,       80,    3,    2, 0.5
            nemotron-3-nano-30b-a3b,  31.6,  3.2,  1, 0.05
            jamba-v0.1,               51.6,  12,   0, 0.5
            bamba-9b,                  9.78, 9.78, 0, 0.01
            granite-4.0-h-small,      32.2,  9,    0, 0.5
            minimax-text-01,         456,   45.9,  2, 0.05
            """)
    void withinHalfAPercent(String model, double billions, double active, int tables, double rounding) {
        TransformerSizes sizes = A01_PublishedCountsTest.read(model);
        assertEquals(billions, graph(model).parameterElements() / 1e9, billions * 0.005, "all");
        double met = graph(model).activeParameterElements() - tables * (double) sizes.vocab() * sizes.hidden();
        assertEquals(active, met / 1e9, rounding, "of a token");
    }

    /**
     * Megatron-LM's count of a Mamba 2 layer (megatron/training/training.py, mamba_layer_flops), a token: 2 h (2 d + 2 g n + heads) in,
     * 2 d h out; its scan counts 7 d n with decays, ours the 4 d n of the products.
     */
    @Test
    void flopsOfAStateSpaceLayer() {
        long h = 4096;
        long d = 8192;
        OperatorGraph graph = graph("mamba-codestral-7b");
        double layer = ModelFlops.forwardPerSample(graph.blocks().get(1), false)
                / A01_PublishedCountsTest.read("mamba-codestral-7b").seqLen();
        assertEquals(2.0 * h * (2 * d + 2 * 8 * 128 + 128) + 2.0 * d * h + 4.0 * d * 128, layer, 1);
    }

    /** A state has one size however long the sequence: nothing of it grows with the square. */
    @Test
    void scansGrowWithTheSequence() {
        TransformerSizes sizes = A01_PublishedCountsTest.read("qwen3-next-80b-a3b");
        assertEquals(2 * scans(sizes, 8192), scans(sizes, 16_384));
    }

    private static double scans(TransformerSizes sizes, long seqLen) {
        double flops = 0;
        for (Operator operator :
                TransformerGraph.build(sizes, seqLen, 1).blocks().get(1).operators()) {
            flops += operator instanceof Scan ? ModelFlops.forwardPerSample(operator, false) : 0;
        }
        return flops;
    }

    @Test
    void layersFollowThePattern() {
        assertEquals(
                "layer.mamba 1, layer.feed.experts 1, layer.mamba 1, layer.feed.experts 1, layer.mamba 1, layer.full 1",
                String.join(
                        ", ",
                        graph("nemotron-3-nano-30b-a3b").blocks().stream()
                                .skip(1)
                                .limit(6)
                                .map(block -> block.name() + " " + block.repeat())
                                .toList()));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            "hybrid_override_pattern":"M*"    | hybrid_override_pattern = "M*" doesn't fit: it needs one of M * - E for each of 4 layers, and has 2 letters | Maybe num_hidden_layers is 2
            "hybrid_override_pattern":"MX*-"  | hybrid_override_pattern = "MX*-" doesn't fit: it needs one of M * - E for each of 4 layers, and has 4 letters | Maybe num_hidden_layers is 4
            "hybrid_override_pattern":"MM*-","mamba_num_heads":12 | mamba_num_heads = 12 doesn't fit: 12 heads of 64 channels in 8 groups, and the inner width is 768 | Maybe mamba_num_heads is 12
            """)
    void mistakesHaveTheirValues(String field, String message, String maybe) {
        String config = "{\"model_type\":\"nemotron_h\",\"hidden_size\":64,\"intermediate_size\":128,"
                + "\"num_hidden_layers\":4,\"num_attention_heads\":8,\"vocab_size\":100," + field + "}";
        UserError error = assertThrows(
                UserError.class, () -> HuggingFaceConfig.parse("m", "c.json", config.getBytes(StandardCharsets.UTF_8)));
        assertEquals("c.json, line 1: " + message, error.getMessage());
        assertEquals(maybe, error.maybe());
    }

    private static OperatorGraph graph(String model) {
        TransformerSizes sizes = A01_PublishedCountsTest.read(model);
        return TransformerGraph.build(sizes.with(sizes.extensions().withNextTokens(0)), sizes.seqLen(), 1);
    }
}
