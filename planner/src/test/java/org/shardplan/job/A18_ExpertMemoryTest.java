package org.shardplan.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.shardplan.form.ModelCatalog;
import org.shardplan.graph.ModelFlops;
import org.shardplan.graph.OperatorGraph;
import org.shardplan.graph.TransformerGraph;
import org.shardplan.graph.TransformerSizes;
import org.shardplan.sim.Prediction;
import org.shardplan.sim.Prediction.StageUse;

/** What users of other tools reported about mixtures of experts (numbers are threads of public trackers). */
final class A18_ExpertMemoryTest {
    private static StageUse use(String model, String plan) {
        Prediction prediction =
                SmallProblems.prediction(SmallProblems.simulate(model, "dgx-h100:8", "64", "megatron-core", plan));
        return prediction.stages().getFirst();
    }

    @Test
    @DisplayName("Megatron-LM #6782: routed tokens a rank are topk·s·b/tp, whatever ep")
    void activationsDoNotShrinkWithExpertRanks() {
        StageUse alone = use("mixtral-8x7b", "pp=8,mb=1,zero=1");
        StageUse shared = use("mixtral-8x7b", "pp=8,ep=8,mb=1,zero=1");
        assertEquals(alone.activationsBytes(), shared.activationsBytes(), 0.01 * alone.activationsBytes());
        assertTrue(shared.parametersBytes() < 0.3 * alone.parametersBytes(), "weights do");
    }

    /** Per layer and token: forward products with q (1,536), kv (512) and the shared part of the keys (64), 128 heads of 192 and 128. */
    @Test
    @DisplayName("Megatron-LM #1475: latent attention counts in FLOPs and in memory")
    void latentAttention() {
        TransformerSizes sizes = ModelCatalog.find("deepseek-v3").sizes();
        OperatorGraph graph =
                TransformerGraph.build(sizes.with(sizes.extensions().withNextTokens(0)), 4096, 1);
        double attention = 7168.0 * 1536
                + 1536.0 * 128 * 192
                + 7168.0 * (512 + 64)
                + 512.0 * 128 * (128 + 128)
                + 128.0 * 128 * 7168;
        double experts = 3.0 * 7168 * 2048 * (8 + 1) + 7168.0 * 256;
        double dense = 3.0 * 7168 * 18432;
        double head = 7168.0 * 129280;
        double products = 2 * (61 * attention + 58 * experts + 3 * dense + head) * 4096;
        double counted = ModelFlops.forwardPerSample(graph, false) - ModelFlops.attentionPerSample(graph, false);
        assertEquals(products, counted, 0.002 * products);
        double scores = 2.0 * 61 * 4096 * 4096 * 128 * (192 + 128);
        assertEquals(scores, ModelFlops.attentionPerSample(graph, false), 0.002 * scores);
    }
}
