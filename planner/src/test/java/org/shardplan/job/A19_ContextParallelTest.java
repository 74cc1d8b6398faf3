package org.shardplan.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.shardplan.plan.PlanText;
import org.shardplan.plan.Shorthand;
import org.shardplan.search.PlanOutcome;
import org.shardplan.search.SearchObserver;
import org.shardplan.sim.Prediction;
import org.shardplan.sim.Prediction.StageUse;

/** FEATURE UNDER TEST: cp and replicas from plan text to step and memory. Input: Llama 3 8B on nodes of 8 H100. */
final class A19_ContextParallelTest {
    private static Prediction predict(String cluster, int seqLen, String plan) {
        Setting.Options options = new Setting.Options(cluster, "32", seqLen, "", "", "", "");
        Setting setting = Setting.of(ModelSource.resolve("llama3-8b"), options);
        Shorthand parsed = PlanText.parse(plan, setting.cluster().devices());
        return new Reporter(setting, SmallProblems.prices()).predict(parsed);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ring", "all-gather", "ulysses"})
    void sharesSumToTheStep(String type) {
        for (int cp : new int[] {2, 4, 8}) {
            Prediction plan = predict("dgx-h100:2", 32768, "cp=" + cp + ",zero=1,recompute=full,cp-type=" + type);
            assertEquals(plan.stepSeconds(), plan.time().sum(), 1e-9);
            assertTrue(plan.time().exposedContext() >= 0);
            assertTrue(type.equals("ring") || plan.time().exposedContext() > 0, plan.planText());
        }
        assertEquals(
                0, predict("dgx-h100:2", 32768, "zero=1,recompute=full").time().exposedContext());
    }

    /** The same states on the same ranks, a quarter of the tokens of each micro-batch. */
    @Test
    void activationsShrinkAndStatesStay() {
        StageUse one = predict("dgx-h100:2", 32768, "dp=16,zero=1,recompute=full")
                .stages()
                .getFirst();
        StageUse four = predict("dgx-h100:2", 32768, "dp=4,cp=4,zero=1,recompute=full")
                .stages()
                .getFirst();
        assertEquals(one.optimizerBytes(), four.optimizerBytes());
        assertEquals(one.parametersBytes(), four.parametersBytes());
        assertEquals(one.activationsBytes() / 4.0, four.activationsBytes(), 0.03 * one.activationsBytes());
    }

    /** Short steps of a ring can't hide what crosses nodes; NVLink can. */
    @Test
    void placementDecidesTheRingsLink() {
        String inside = "dp=4,cp=8,zero=1";
        String outside = "dp=1,cp=32,zero=1";
        double near = predict("dgx-h100:4", 8192, inside).time().exposedContext();
        double far = predict("dgx-h100:4", 8192, outside).time().exposedContext();
        assertTrue(far > near, far + " > " + near);
        double longer = predict("dgx-h100:4", 131072, outside).time().exposedContext();
        double share = longer / predict("dgx-h100:4", 131072, outside).stepSeconds();
        assertTrue(
                share < far / predict("dgx-h100:4", 8192, outside).stepSeconds(), "attention grows faster than keys");
    }

    /** HSDP: gathers within a node, each device holds as much as one of eight. */
    @Test
    void replicasShardWithinANode() {
        String fsdp = "dp=32,zero=3,recompute=full";
        Prediction all = predict("dgx-h100:4", 2048, fsdp);
        Prediction node = predict("dgx-h100:4", 2048, fsdp + ",replicas=4");
        assertEquals(
                4.0 * all.stages().getFirst().optimizerBytes(),
                node.stages().getFirst().optimizerBytes(),
                4096);
        Prediction one = predict("dgx-h100:1", 2048, "dp=8,zero=3,recompute=full");
        assertEquals(
                one.stages().getFirst().optimizerBytes(),
                node.stages().getFirst().optimizerBytes());
        assertTrue(node.time().exposedData() != all.time().exposedData());
    }

    /** Llama 3 (arXiv:2407.21783), table 4: 131,072 tokens on 16,384 H100, 380 TFLOP/s. 126 layers are 16 ranks of 8 chunks, less one at either end. */
    @Test
    void llama3OnSixteenThousandDevices() {
        PlanAnswer answer = SimulateJob.run(new SimulateRequest(
                "llama3.1-405b",
                "dgx-h100:2048",
                "128",
                131072,
                "",
                "",
                "",
                "tp=8,pp=16,vpp=8,cp=16,cp-type=all-gather,mb=1,sp,zero=1",
                ""));
        assertEquals(380, SmallProblems.prediction(answer).modelTflopsPerDevice(), 0.06 * 380);
    }

    /** 128k tokens: no plan without context ranks fits a node as well. */
    @Test
    void theSearchSplitsLongSequences() {
        Prediction with = best("");
        Prediction without = best("cp=1");
        assertTrue(with.plan().cp() > 1, with.planText());
        assertTrue(with.stepSeconds() < without.stepSeconds());
    }

    private static Prediction best(String fix) {
        PlanAnswer answer = PlanJob.run(
                new PlanRequest("llama3-8b", "dgx-h100:1", "4", 131072, "", "", "", "", "", "", fix, "", 3, "", 1),
                SearchObserver.NONE);
        List<Prediction> plans = ((PlanOutcome.Found) answer.result().outcome()).plans();
        return plans.getFirst();
    }
}
