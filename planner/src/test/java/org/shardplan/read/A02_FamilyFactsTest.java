package org.shardplan.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.shardplan.graph.TransformerSizes;

/** FEATURE UNDER TEST: what tells the families apart and does not show in a parameter count, one line a model. */
final class A02_FamilyFactsTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            gpt2          | PRE LAYER_NORM LEARNED 0.00 heads 12/12x64 ffn 3072 window 0/1 dropout
            gpt-j-6b      | PARALLEL_ONE_NORM LAYER_NORM ROTARY 0.25 heads 16/16x256 ffn 16384 window 0/1
            codegen-350m  | PARALLEL_ONE_NORM LAYER_NORM ROTARY 0.50 heads 16/16x64 ffn 4096 window 0/1
            gpt-neo-1.3b  | PRE LAYER_NORM LEARNED 0.00 heads 16/16x128 ffn 8192 window 256/2
            gpt-neox-20b  | PARALLEL_TWO_NORMS LAYER_NORM ROTARY 0.25 heads 64/64x96 ffn 24576 window 0/1
            bloom-176b    | PRE LAYER_NORM ALIBI 0.00 heads 112/112x128 ffn 57344 window 0/1
            mpt-7b        | PRE LAYER_NORM_NO_SHIFT ALIBI 0.00 heads 32/32x128 ffn 16384 window 0/1
            falcon-7b     | PARALLEL_ONE_NORM LAYER_NORM ROTARY 1.00 heads 71/1x64 ffn 18176 window 0/1
            falcon-40b    | PARALLEL_TWO_NORMS LAYER_NORM ROTARY 1.00 heads 128/8x64 ffn 32768 window 0/1
            falcon-rw-1b  | PRE LAYER_NORM ALIBI 0.00 heads 32/32x64 ffn 8192 window 0/1
            starcoder     | PRE LAYER_NORM LEARNED 0.00 heads 48/1x128 ffn 24576 window 0/1 dropout
            starcoder2-7b | PRE LAYER_NORM ROTARY 1.00 heads 36/4x128 ffn 18432 window 4096/1
            phi-2         | PARALLEL_ONE_NORM LAYER_NORM ROTARY 0.40 heads 32/32x80 ffn 10240 window 0/1 dropout
            mistral-7b    | PRE RMS_NORM ROTARY 1.00 heads 32/8x128 ffn 14336 gated window 4096/1
            qwen-7b       | PRE RMS_NORM ROTARY 1.00 heads 32/32x128 ffn 11008 gated window 0/1
            qwen2.5-72b   | PRE RMS_NORM ROTARY 1.00 heads 64/8x128 ffn 29568 gated window 0/1
            gemma-2-9b    | PRE_AND_POST RMS_NORM ROTARY 1.00 heads 16/8x256 ffn 14336 gated window 4096/2 capped
            gemma-3-1b    | PRE_AND_POST RMS_NORM ROTARY 1.00 heads 4/1x256 ffn 6912 gated window 512/6
            olmo-7b       | PRE LAYER_NORM_BARE ROTARY 1.00 heads 32/32x128 ffn 11008 gated window 0/1
            olmo-3-32b    | POST RMS_NORM ROTARY 1.00 heads 40/8x128 ffn 27648 gated window 4096/4
            baichuan2-7b  | PRE RMS_NORM ROTARY 1.00 heads 32/32x128 ffn 11008 gated window 0/1
            baichuan-13b  | PRE RMS_NORM ALIBI 0.00 heads 40/40x128 ffn 13696 gated window 0/1
            chatglm3-6b   | PRE RMS_NORM ROTARY 0.50 heads 32/2x128 ffn 13696 gated window 0/1
            """)
    void facts(String model, String expected) {
        assertEquals(expected, line(A01_PublishedCountsTest.read(model)));
    }

    @Test
    void classDefaultsFillAbsentKeys() {
        String core = "'hidden_size': 4096, 'num_hidden_layers': 2, 'num_attention_heads': 32, 'vocab_size': 1000,"
                + "'intermediate_size': 8192";
        assertEquals(
                "PRE RMS_NORM ROTARY 1.00 heads 32/8x128 ffn 8192 gated window 4096/1",
                line(parse("{'model_type': 'mistral', " + core + "}").sizes()));
        assertEquals(
                "PRE RMS_NORM ROTARY 1.00 heads 32/32x128 ffn 8192 gated window 0/1",
                line(parse("{'model_type': 'llama', " + core + "}").sizes()));
        assertTrue(parse("{'model_type': 'gemma', " + core + "}").sizes().tiedEmbeddings());
    }

    @Test
    void aNullIsNotAnAbsentKey() {
        TransformerSizes sizes = parse("{'model_type': 'mistral', 'hidden_size': 4096, 'num_hidden_layers': 2,"
                        + "'num_attention_heads': 32, 'vocab_size': 1000, 'intermediate_size': 8192,"
                        + "'num_key_value_heads': null, 'sliding_window': null}")
                .sizes();
        assertEquals("PRE RMS_NORM ROTARY 1.00 heads 32/32x128 ffn 8192 gated window 0/1", line(sizes));
    }

    @Test
    void notesTellWhatIsIgnored() {
        HuggingFaceConfig.Read read = parse("{'model_type': 'qwen2', 'hidden_size': 4096, 'num_hidden_layers': 32,"
                + "'num_attention_heads': 32, 'vocab_size': 1000, 'intermediate_size': 8192, 'use_sliding_window': true,"
                + "'sliding_window': 4096, 'max_window_layers': 28, 'quantization_config': {'bits': 4}}");
        assertEquals(List.of("quantization_config is ignored: the precision of the run decides"), read.notes());
    }

    @Test
    void aByteOrderMarkIsSkipped() {
        String json = "\uFEFF{'model_type': 'llama', 'hidden_size': 64, 'num_hidden_layers': 2,"
                + "'num_attention_heads': 4, 'vocab_size': 1000, 'intermediate_size': 128}";
        assertEquals(64, parse(json).sizes().hidden());
    }

    private static HuggingFaceConfig.Read parse(String json) {
        return HuggingFaceConfig.parse(
                "model", "config.json", json.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    private static String line(TransformerSizes s) {
        return "%s %s %s %.2f heads %d/%dx%d ffn %d%s window %d/%d%s%s"
                .formatted(
                        s.normPlacement(),
                        s.norm(),
                        s.positions(),
                        s.rotaryFraction(),
                        s.heads(),
                        s.kvHeads(),
                        s.headDim(),
                        s.ffn(),
                        s.gatedMlp() ? " gated" : "",
                        s.window(),
                        s.windowEvery(),
                        s.logitSoftCap() ? " capped" : "",
                        s.dropout() ? " dropout" : "");
    }
}
