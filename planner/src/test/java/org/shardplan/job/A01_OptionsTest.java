package org.shardplan.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.shardplan.search.Budget;
import org.shardplan.search.Objective;
import org.shardplan.workload.Workload;

/** FEATURE UNDER TEST: options as they are typed. What is wrong with them: A02_BadInputTest of cli. */
final class A01_OptionsTest {
    private static Workload workload(String batch, long seqLen) {
        Setting.Options options = new Setting.Options("dgx-h100:1", batch, seqLen, "", "", "", "");
        return Setting.of(ModelSource.resolve("llama3-8b"), options).workload();
    }

    @Test
    void batches() {
        assertEquals(1536, workload("1536", 0).globalBatch());
        assertEquals(488, workload("4M-tokens", 8192).globalBatch());
        assertEquals(4, workload("8192-tokens", 2048).globalBatch());
        assertEquals(1, workload("1k-tokens", 8192).globalBatch(), "at least one sequence");
    }

    @Test
    void sequences() {
        assertEquals(8192, workload("8", 0).seqLen());
        assertEquals(1000, workload("8", 1000).seqLen());
    }

    @Test
    void limits() {
        AtMost limits = AtMost.parse("step=25s, memory=70GiB,devices=512");
        assertEquals(25, limits.stepSeconds());
        assertEquals(70L << 30, limits.memoryBytes());
        assertEquals(512, limits.devices());
        AtMost none = AtMost.parse("");
        assertTrue(Double.isInfinite(none.stepSeconds()));
        assertEquals(Integer.MAX_VALUE, none.devices());
    }

    @Test
    void budgets() {
        assertSame(Budget.USUAL, PlanOptions.budget(""));
        assertEquals(1_500_000_000L, PlanOptions.budget("1.5s").nanos());
        assertEquals(100_000, PlanOptions.budget("100000-plans").evaluations());
    }

    @Test
    void objectives() {
        assertEquals(Objective.TIME, PlanOptions.objective(""));
        assertEquals(Objective.MEMORY, PlanOptions.objective("memory"));
        assertEquals(Objective.DEVICES, PlanOptions.objective("devices"));
    }

    @Test
    void margins() {
        Setting.Options tenth = new Setting.Options("dgx-h100:1", "8", 0, "", "", "", "10%");
        Setting.Options bytes = new Setting.Options("dgx-h100:1", "8", 0, "", "", "", "4GiB");
        Setting share = Setting.of(ModelSource.resolve("llama3-8b"), tenth);
        long usable = share.cluster().device().usableBytes();
        assertEquals((long) (usable * 0.9), share.capacityBytes(), 1);
        assertEquals(
                usable - (4L << 30),
                Setting.of(ModelSource.resolve("llama3-8b"), bytes).capacityBytes(),
                2);
    }
}
