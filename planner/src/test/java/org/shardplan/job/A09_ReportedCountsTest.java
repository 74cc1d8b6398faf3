package org.shardplan.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.shardplan.cluster.Cluster;
import org.shardplan.form.ClusterCatalog;
import org.shardplan.graph.ModelFlops;
import org.shardplan.graph.OperatorGraph;
import org.shardplan.graph.TransformerGraph;
import org.shardplan.graph.TransformerSizes;
import org.shardplan.sim.Prediction;
import org.shardplan.sim.Prediction.StageUse;

/** "Wrong cost model" and padding: what users of other tools reported, as counts that must be right. */
final class A09_ReportedCountsTest {
    private static Prediction simulate(String model, String cluster, String batch, String plan) {
        return SmallProblems.prediction(SmallProblems.simulate(model, cluster, batch, "", plan));
    }

    private static OperatorGraph graph(String model) {
        TransformerSizes sizes = ModelSource.resolve(model).sizes();
        return TransformerGraph.build(sizes, sizes.seqLen(), 1);
    }

    /** 50,257 is 50,304 on one tensor rank and 51,200 on eight: 943 more rows of hidden each, in bytes and in FLOPs. */
    @Test
    @DisplayName("Megatron-LM #1754: the vocabulary is padded to a multiple of 128 tp")
    void paddedVocabulary() {
        String model = SmallProblems.config("gpt2");
        StageUse one = simulate(model, "dgx-a100-80gb/1", "8", "mb=1").stages().getFirst();
        long unpadded = graph(model).parameterElements();
        long padded = unpadded + (50304 - 50257) * 768L;
        assertEquals(2 * padded, one.parametersBytes());
        StageUse four = simulate(model, "dgx-a100-80gb/4", "8", "tp=4").stages().getFirst();
        long rows = 50688 / 4; // the next multiple of 512
        long vocab = rows * 768L;
        assertTrue(four.parametersBytes() > 2 * vocab);
        long rest = four.parametersBytes() - 2 * vocab;
        long layers = 2 * (unpadded - 50257 * 768L) / 4;
        assertEquals(layers, rest, 0.05 * layers, "norms and positions are on every rank");
    }

    @Test
    @DisplayName(
            "MaxText #1972, Megatron-LM #1725: causal attention is stated both ways; a window is not counted in full")
    void causalAttentionAndWindows() {
        Prediction plan = simulate("llama3-8b", "dgx-h100:1", "64", "tp=4,mb=1,sp,zero=1");
        assertTrue(plan.mfuCausal() < plan.mfu());
        OperatorGraph llama = graph("llama3-8b");
        double full = ModelFlops.forwardPerSample(llama, false);
        double causal = ModelFlops.forwardPerSample(llama, true);
        double attention = 4.0 * 32 * 4096 * 8192 * 8192;
        assertEquals(attention / 2, full - causal, attention * 1e-3, "the mask leaves half of the scores");
        OperatorGraph windowed = graph(SmallProblems.config("mistral-7b"));
        double left = ModelFlops.attentionPerSample(windowed, true);
        assertEquals(3.0 / 8, left / attention, 0.001, "a window of 4,096 of 8,192 leaves 3/8");
    }

    /** Two norms a layer and one at the end: 2 · (2 · 12 + 1) · 768 numbers of GPT-2. */
    @Test
    @DisplayName("llm-analysis #19: no layer norm is missing")
    void everyLayerNorm() {
        long gpt2 = 50257L * 768 + 1024 * 768 + 12 * (12L * 768 * 768 + 9 * 768) + 12 * 4L * 768 + 2 * 768;
        assertEquals(gpt2, graph(SmallProblems.config("gpt2")).parameterElements());
        assertEquals(124_439_808L, gpt2);
    }

    /** Tensor ranks inside a node use NVLink; across nodes the same collective is many times slower. */
    @Test
    @DisplayName("llm-analysis #27: placement decides which link carries tp, and which dp")
    void placementDecidesTheLink() {
        Cluster cluster = ClusterCatalog.resolve("dgx-a100-80gb:2");
        assertTrue(cluster.levels().get(0).deviceBytesPerSecond()
                > 5 * cluster.levels().get(1).deviceBytesPerSecond());
        double inside = simulate("megatron-22b", "dgx-a100-80gb:2", "64", "tp=8,mb=1")
                .time()
                .exposedTensor();
        double across = simulate("megatron-22b", "dgx-a100-80gb:2", "64", "tp=16,mb=1")
                .time()
                .exposedTensor();
        assertTrue(across > 1.5 * inside, across + " > " + inside);
        double near = dataSeconds("dgx-a100-80gb:1", "64", 8);
        double far = dataSeconds("dgx-a100-80gb:2", "128", 16);
        assertTrue(far > 1.2 * near, far + " > " + near);
    }

    /** Of a framework that hides no reduction. */
    private static double dataSeconds(String cluster, String batch, int dp) {
        PlanAnswer answer = SmallProblems.simulate("megatron-1.7b", cluster, batch, "megatron-lm-2021", "dp=" + dp);
        return SmallProblems.prediction(answer).time().exposedData();
    }
}
