package org.shardplan.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.shardplan.Checkout;
import org.shardplan.form.ModelCatalog;
import org.shardplan.plan.Layouts;
import org.shardplan.plan.PlanText;
import org.shardplan.plan.Shorthand;
import org.shardplan.search.PlanOutcome;
import org.shardplan.sim.Prediction;

/** "Which degrees should I choose?" and "uneven everything": what users of other tools reported. */
final class A08_ReportedChoicesTest {
    private static PlanOutcome.Found plan(String model, String cluster, String batch, String fix) {
        return (PlanOutcome.Found)
                SmallProblems.plan(model, cluster, batch, fix, "").result().outcome();
    }

    @Test
    @DisplayName("Megatron-LM #1849: the micro-batch size is chosen, and the best of all sizes")
    void microBatchIsChosen() {
        double best = Double.POSITIVE_INFINITY;
        for (int size : new int[] {1, 2, 4, 8}) {
            PlanOutcome.Found fixed = plan("llama-tiny", "dgx-a100-80gb/2", "16", "mb=" + size);
            assertEquals(size, fixed.best().plan().microBatch());
            for (Prediction one : fixed.plans()) {
                best = Math.min(best, one.stepSeconds());
            }
        }
        double chosen = plan("llama-tiny", "dgx-a100-80gb/2", "16", "").plans().stream()
                .mapToDouble(Prediction::stepSeconds)
                .min()
                .orElseThrow();
        assertTrue(chosen <= best, chosen + " <= " + best);
    }

    /** Without context ranks, and without tensor ranks, nothing fits unless layers are recomputed; the neighbours of the answer say so. */
    @Test
    @DisplayName("verl #901: 7B on 8 devices at 32k tokens: sp and tp are chosen, with the reason")
    void longContext() {
        PlanAnswer answer = PlanJob.run(
                new PlanRequest(
                        "llama2-7b",
                        "dgx-a100-80gb:1",
                        "8",
                        32768,
                        "",
                        "",
                        "",
                        "",
                        "",
                        "",
                        "recompute=none,cp=1",
                        "",
                        3,
                        "",
                        1),
                org.shardplan.search.SearchObserver.NONE);
        Prediction best = ((PlanOutcome.Found) answer.result().outcome()).best();
        assertTrue(best.plan().tp() > 1 && best.plan().sequenceParallel(), best.planText());
        Setting.Options options = new Setting.Options("dgx-a100-80gb:1", "8", 32768, "", "", "", "");
        Setting setting = Setting.of(ModelSource.resolve("llama2-7b"), options);
        Reporter reporter = new Reporter(setting, SmallProblems.prices());
        Shorthand without = new PlanEdit(best.plan()).sequenceParallel(false).done();
        Shorthand fewer = new PlanEdit(best.plan()).tp(best.plan().tp() / 2).done();
        assertTrue(reporter.predict(without).peakBytes() > best.peakBytes());
        assertTrue(reporter.predict(fewer).peakBytes() > setting.capacityBytes());
    }

    @ParameterizedTest
    @DisplayName("Megatron-LM #381, #857, #1303: layers sum to the model's, whatever pp")
    @CsvSource({"30,4,1", "30,4,2", "31,5,2", "80,7,3", "126,16,1", "61,8,2"})
    void noLayerIsLost(int layers, int pp, int vpp) {
        Shorthand plan = PlanText.parse("pp=" + pp + ",vpp=" + vpp, pp);
        int sum = Layouts.of(plan, layers).stream().mapToInt(Integer::intValue).sum();
        assertEquals(layers, sum);
    }

    /** Llama 3's vocabulary of 128,256 makes embedding and head worth layers: the end stages get fewer. */
    @Test
    @DisplayName("torchtitan #2093: the split counts the embedding and the head")
    void theSplitCountsTheEnds() {
        PlanOutcome.Found found = plan("llama3-8b", "dgx-h100/4", "32", "pp=4,vpp=1,tp=1,mb=1,recompute=none");
        Prediction best = found.best();
        List<Integer> layout = Layouts.of(best.plan(), 32);
        assertTrue(layout.getLast() < layout.get(1), best.planText());
        assertEquals(32, layout.stream().mapToInt(Integer::intValue).sum());
        Setting setting = SmallProblems.setting("llama3-8b", "dgx-h100/4", "32");
        Prediction even = new Reporter(setting, SmallProblems.prices()).predict(PlanText.parse("pp=4", 4));
        assertTrue(best.stepSeconds() < even.stepSeconds(), best.planText());
    }

    /** tp 4, pp 8, vpp 5: the best of its kind fits and is nearly as fast as the published layout, which by our margin does not. */
    @Test
    @DisplayName(
            "Megatron-Bridge #5391: Llama 3 70B on 64 H100: an uneven interleaved layout is in the space and is found")
    void theUnevenLayoutIsFound() {
        PlanOutcome.Found found =
                plan("llama3-70b", "dgx-h100:8", "512", "tp=4,pp=8,vpp=5,cp=1,mb=1,sp,zero=1,schedule=interleaved");
        Prediction best = found.best();
        assertEquals(40, best.plan().virtualStages());
        Setting setting = SmallProblems.setting("llama3-70b", "dgx-h100:8", "512");
        Prediction published = new Reporter(setting, SmallProblems.prices())
                .predict(PlanText.parse("tp=4,pp=8,vpp=5,mb=1,sp,zero=1,layout=Et*2|(t*2|)*34,t*3|(t*2|)*3,tL", 64));
        assertEquals(40, published.plan().virtualStages());
        assertTrue(best.stepSeconds() <= published.stepSeconds() * 1.01, best.planText());
    }

    @Test
    @DisplayName("nnScaler #30: all devices are used or it is said, and the bubble is the schedule's own")
    void idleDevicesAndBubble() {
        PlanAnswer answer = SmallProblems.plan("gpt-tiny", "dgx-a100-80gb/3", "8", "", "");
        PlanOutcome.Found found = (PlanOutcome.Found) answer.result().outcome();
        for (Prediction plan : found.plans()) {
            assertEquals(3, plan.devices() + plan.devicesIdle(), plan.planText());
        }
        // 24 even layers, no embedding to speak of: (p - 1) / m of the work of a rank
        Prediction even = SmallProblems.prediction(
                SmallProblems.simulate("gpt3-175b", "dgx-a100-80gb:8", "64", "", "tp=8,pp=8,mb=1,sp"));
        double work = even.time().compute() + even.time().exposedTensor();
        assertEquals(7.0 / 64, even.time().bubble() / work, 0.03);
    }

    @Test
    @DisplayName("ASTRA-sim #161, #152: hardware and workload are described by a catalog and a commented example")
    void describedHardware() throws java.io.IOException {
        java.nio.file.Path example = Checkout.root().resolve("examples/clusters/two-racks.yaml");
        PlanAnswer answer = SmallProblems.simulate("llama3-8b", example.toString(), "256", "", "tp=4,mb=1,sp,zero=1");
        assertEquals(64, SmallProblems.prediction(answer).devices());
        String text = java.nio.file.Files.readString(example);
        long comments = text.lines().filter(line -> line.contains("#")).count();
        assertTrue(comments > 30, "every key is explained");
        assertFalse(ModelCatalog.list().isEmpty());
    }
}
