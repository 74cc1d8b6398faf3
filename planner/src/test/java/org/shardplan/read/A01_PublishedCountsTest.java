package org.shardplan.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.shardplan.graph.TransformerGraph;
import org.shardplan.graph.TransformerSizes;

/**
 * FEATURE UNDER TEST: the graph of a published config has as many parameters as its published weights. The counts are those of
 * the checkpoints on the Hugging Face hub; each config holds public fields only.
 */
final class A01_PublishedCountsTest {
    private static final String COUNTS = """
            gpt2,                      124439808
            gpt2-xl,                  1557611200
            gpt-j-6b,                 6050882784
            codegen-350m,              356712448
            gpt-neo-1.3b,             1315575808
            gpt-neox-20b,            20554567680
            pythia-6.9b,              6857302016
            pythia-12b,              11846072320
            opt-125m,                  125239296
            opt-6.7b,                 6658473984
            opt-30b,                 29974540288
            bloom-560m,                559214592
            bloom-176b,             176247271424
            mpt-7b,                   6649286656
            falcon-rw-1b,             1311625216
            falcon-7b,                6921720704
            falcon-40b,              41303293952
            falcon-40b-refinedweb,   41303293952
            falcon-180b,            179522565120
            starcoder,               15517456384
            starcoder2-3b,            3030371328
            starcoder2-7b,            7173923840
            stablelm-3b-4e1t,         2795443200
            stablelm-2-1.6b,          1644515328
            stablelm-2-12b,          12143185920
            phi-1.5,                  1418270720
            phi-2,                    2779683840
            phi-3-mini,               3821079552
            phi-4-mini,               3836021760
            llama1-65b,              65285660672
            llama2-7b,                6738415616
            llama2-70b,              68976648192
            llama3-8b,                8030261248
            llama3-70b,              70553706496
            llama3.1-405b,          405853388800
            llama3.2-1b,              1235814400
            smollm-1.7b,              1711376384
            yi-34b,                  34388917248
            mistral-7b,               7241732096
            mistral-nemo-12b,        12247782400
            qwen-7b,                  7721324544
            qwen-72b,                72287920128
            qwen1.5-7b,               7721324544
            qwen2.5-0.5b,              494032768
            qwen2.5-72b,             72706203648
            qwen3-14b,               14768307200
            qwen3-32b,               32762123264
            gemma-7b,                 8537680896
            gemma-2-9b,               9241705984
            gemma-2-27b,             27227128320
            gemma-3-1b,                999885952
            olmo-1b,                  1176764416
            olmo-7b,                  6888095744
            olmo-2-7b,                7298617344
            olmo-2-32b,              32234279936
            olmo-3-32b,              32233522176
            internlm2-7b,             7737708544
            internlm2-20b,           19861149696
            baichuan2-7b,             7505973248
            baichuan-13b,            13264901120
            chatglm3-6b,              6243584000
            glm-4-9b,                 9399951360
            exaone-3-7.8b,            7818448896
            command-r-35b,           34980831232
            """;

    @ParameterizedTest
    @CsvSource(textBlock = COUNTS)
    void parametersAreThePublishedOnes(String model, long published) {
        assertEquals(published, parameters(read(model)));
    }

    /** Granite's vocabulary grew by four rows between its releases; the count is that of 3.1. */
    @Test
    void graniteIsWithinAThousandth() {
        assertEquals(8_170_848_256.0, parameters(read("granite-3.3-8b")), 8_170_848_256.0 / 1000);
    }

    /** XVERSE-7B has no published exact count: its card says 7B; embeddings and head of 100,534 rows are 0.82 G of it. */
    @Test
    void xverse() {
        assertEquals("7.30", "%.2f".formatted(parameters(read("xverse-7b")) / 1e9));
    }

    @Test
    void everyFamilyIsTested() throws IOException, URISyntaxException {
        try (Stream<Path> files = Files.list(models())) {
            Set<String> seen = new TreeSet<>();
            for (Path file : files.toList()) {
                ConfigFields config = ConfigFile.parse(file.toString(), Files.readAllBytes(file));
                seen.add(config.text("model_type").orElseThrow());
            }
            Set<String> untested = HuggingFaceConfig.types().stream()
                    .filter(type -> !seen.contains(type))
                    .collect(Collectors.toCollection(TreeSet::new));
            assertEquals(
                    "[RefinedWebModel, camembert, deit, falcon_mamba, gemma4_text, glm4, granitemoeshared, internlm,"
                            + " llama4_text, minimax, minimax_m1, mt5, nemotron, nemotron-nas, qwen3_5, qwen3_5_moe_text,"
                            + " qwen3_5_text, qwen3_vl_moe, step3p5, umt5]",
                    untested.toString());
        }
    }

    @Test
    void sequenceIsThatOfTheFileButAtMost8192() {
        assertEquals(4096, read("llama2-7b").seqLen());
        assertEquals(8192, read("llama3.1-405b").seqLen());
        assertTrue(read("llama3.1-405b").maxPositions() == 131_072);
    }

    private static long parameters(TransformerSizes sizes) {
        return TransformerGraph.build(sizes, sizes.seqLen(), 1).parameterElements();
    }

    static TransformerSizes read(String model) {
        try {
            return HuggingFaceConfig.read(models().resolve(model + ".json")).sizes();
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    private static Path models() throws URISyntaxException {
        return Path.of(A01_PublishedCountsTest.class.getResource("models").toURI());
    }
}
