package org.shardplan.form;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.shardplan.graph.TransformerGraph;
import org.shardplan.graph.TransformerSizes;
import org.shardplan.units.UserError;

/** FEATURE UNDER TEST: the catalog's models are those of their papers. */
final class A01_ModelCatalogTest {
    @Test
    void names() {
        assertEquals(
                "gpt3-175b megatron-8.3b megatron-1.7b megatron-3.6b megatron-7.5b megatron-18.4b megatron-39.1b"
                        + " megatron-76.1b megatron-145.6b megatron-310.1b megatron-529.6b megatron-1008b megatron-22b"
                        + " megatron-175b megatron-530b megatron-1t mt-nlg-530b gopher-280b palm-540b llama2-7b"
                        + " llama2-13b llama2-70b llama3-8b llama3-70b llama3.1-405b mistral-7b qwen2.5-72b qwen3-32b"
                        + " gemma-2-27b falcon-40b opt-175b bloom-176b mixtral-8x7b qwen3-235b-a22b"
                        + " deepseek-v2 deepseek-v3 gemma3-12b bert-large gpt-tiny llama-tiny t5-tiny moe-tiny",
                ModelCatalog.list().stream().map(ModelCatalog.Entry::name).collect(Collectors.joining(" ")));
    }

    @Test
    void everyEntryNamesItsSource() {
        for (ModelCatalog.Entry entry : ModelCatalog.list()) {
            assertFalse(entry.source().isBlank(), entry.name());
        }
    }

    /** Published exactly. */
    @ParameterizedTest
    @CsvSource({
        "llama2-7b, 6738415616",
        "llama2-13b, 13015864320",
        "llama2-70b, 68976648192",
        "llama3-8b, 8030261248",
        "llama3-70b, 70553706496",
        "llama3.1-405b, 405853388800",
        "mistral-7b, 7241732096",
        "qwen2.5-72b, 72706203648",
        "qwen3-32b, 32762123264",
        "gemma-2-27b, 27227128320",
        "falcon-40b, 41303293952",
        "bloom-176b, 176247271424",
        "bert-large, 335174458",
        "mixtral-8x7b, 46702792704",
        "qwen3-235b-a22b, 235093634560",
        "deepseek-v2, 235741434880",
    })
    void exactCounts(String name, long published) {
        assertEquals(published, parameters(name));
    }

    /** Published rounded: the last digit must agree. */
    @ParameterizedTest
    @CsvSource({
        "gpt3-175b, 174.6",
        "megatron-8.3b, 8.3",
        "megatron-1.7b, 1.7",
        "megatron-3.6b, 3.6",
        "megatron-7.5b, 7.5",
        "megatron-18.4b, 18.4",
        "megatron-39.1b, 39.1",
        "megatron-76.1b, 76.1",
        "megatron-145.6b, 145.6",
        "megatron-310.1b, 310.1",
        "megatron-529.6b, 529.6",
        "megatron-1008b, 1008.0",
        "palm-540b, 540.4",
    })
    void roundedCounts(String name, String billions) {
        assertEquals(billions, "%.1f".formatted(parameters(name) / 1e9));
    }

    /** SC'21, equation 2: P = 12 l h² (1 + 13 / (12 h) + (V + s) / (12 l h)), to the few parameters of the last norm. */
    @Test
    void narayanansFormula() {
        for (ModelCatalog.Entry entry : ModelCatalog.list()) {
            TransformerSizes s = entry.sizes();
            if (s.name().startsWith("megatron-")) {
                double h = s.hidden();
                double p = 12.0 * s.layers() * h * h;
                p *= 1 + 13 / (12 * h) + (s.vocab() + s.seqLen()) / (12.0 * s.layers() * h);
                assertEquals(2 * h, parameters(s.name()) - p, p * 1e-9, s.name());
            }
        }
    }

    @Test
    void gopherHasRelativePositions() {
        ModelCatalog.Entry gopher = ModelCatalog.find("gopher-280b");
        assertEquals(280e9, parameters("gopher-280b"), 280e9 * 0.005);
        assertTrue(gopher.note().contains("relative positions"), gopher.note());
    }

    @Test
    void palm() {
        TransformerSizes palm = ModelCatalog.find("palm-540b").sizes();
        assertEquals(
                "1 256 73728 PARALLEL_ONE_NORM true",
                "%d %d %d %s %s"
                        .formatted(
                                palm.kvHeads(),
                                palm.headDim(),
                                palm.ffn(),
                                palm.normPlacement(),
                                palm.tiedEmbeddings()));
    }

    @Test
    void trainingLengths() {
        assertEquals(2048, ModelCatalog.find("gpt3-175b").sizes().seqLen());
        assertEquals(8192, ModelCatalog.find("llama3-70b").sizes().seqLen());
        assertEquals(4096, ModelCatalog.find("llama2-7b").sizes().seqLen());
    }

    @Test
    void aMistypedNameGetsTheClosest() {
        UserError error = assertThrows(UserError.class, () -> ModelCatalog.find("lama3-70b"));
        assertEquals("there is no model \"lama3-70b\" in the catalog", error.getMessage());
        assertEquals("Maybe llama3-70b or llama2-70b or llama2-7b", error.maybe());
    }

    private static long parameters(String name) {
        TransformerSizes sizes = ModelCatalog.find(name).sizes();
        return TransformerGraph.build(sizes, sizes.seqLen(), 1).parameterElements();
    }
}
