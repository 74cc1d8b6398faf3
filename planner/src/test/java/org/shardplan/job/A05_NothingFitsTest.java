package org.shardplan.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardplan.search.PlanOutcome;
import org.shardplan.search.SearchObserver;
import org.shardplan.units.UserError;

/** FEATURE UNDER TEST: the answer no, with the nearest miss and what would help. */
final class A05_NothingFitsTest {
    private static PlanOutcome plan(String model, String cluster, String batch, String fix, String atMost) {
        return SmallProblems.plan(model, cluster, batch, fix, atMost).result().outcome();
    }

    @Test
    @DisplayName("AIConfigurator #437: which stage, how many GiB over, and the nearest change that fits")
    void moreDevices() {
        var no = assertInstanceOf(PlanOutcome.NothingFits.class, plan("llama2-7b", "dgx-a100-40gb/1", "4", "", ""));
        assertEquals(0, no.stage());
        assertTrue(no.needBytes() > no.haveBytes());
        assertEquals(no.nearest().peakBytes(), no.needBytes());
        assertTrue(no.nearestChange().startsWith("Maybe 4 devices instead of 1: tp="), no.nearestChange());
        String plan = no.nearestChange().replaceAll("^.*: (tp=\\S+) fits there\\.$", "$1");
        PlanAnswer there = SmallProblems.simulate("llama2-7b", "dgx-a100-40gb/4", "4", "", plan);
        assertInstanceOf(PlanOutcome.Found.class, there.result().outcome());
    }

    /** The nearest miss is the plan of least memory: no plan of the space takes 1 % less. */
    @Test
    void theNearestMissTakesLeast() {
        var no = assertInstanceOf(
                PlanOutcome.NothingFits.class, plan("llama2-7b", "dgx-a100-40gb/2", "4", "zero=0", ""));
        Setting setting = SmallProblems.setting("llama2-7b", "dgx-a100-40gb/2", "4");
        var problem = SmallProblems.problem(setting, 1).withFixed(org.shardplan.plan.PlanText.parseFixed("zero=0"));
        assertTrue(SmallProblems.search()
                .within(problem, (long) (no.needBytes() * 0.985))
                .isEmpty());
    }

    /** What fits without the pinned part is said. */
    @Test
    void withoutFix() {
        var no = assertInstanceOf(
                PlanOutcome.NothingFits.class, plan("llama2-7b", "dgx-a100-40gb:1", "8", "tp=1,pp=1,zero=0", ""));
        assertTrue(no.nearestChange().startsWith("Maybe without --fix: tp="), no.nearestChange());
    }

    /** A device alone, of a cluster file without levels: how more of them would be linked is not said. */
    @Test
    void withoutLinks(@TempDir Path folder) throws IOException {
        Path alone = Files.writeString(
                folder.resolve("alone.yaml"),
                "format: shardplan.cluster/1\nname: alone\ndevice: a100-sxm-40gb\ndevices: 1\n");
        var no = assertInstanceOf(PlanOutcome.NothingFits.class, plan("llama2-7b", alone.toString(), "4", "", ""));
        assertTrue(no.nearestChange().startsWith("Maybe a shorter sequence"), no.nearestChange());
    }

    /** Interrupted before anything was scored: an error, not the answer that nothing fits. */
    @Test
    void interrupted() {
        SearchObserver impatient = new SearchObserver() {
            @Override
            public void progress(long done, long space, double bestSeconds) {}

            @Override
            public boolean stopRequested() {
                return true;
            }
        };
        PlanRequest request = new PlanRequest("gpt-tiny", "local:4", "8", 0, "", "", "", "", "", "", "", "", 10, "", 1);
        UserError error = assertThrows(UserError.class, () -> PlanJob.run(request, impatient));
        assertTrue(String.valueOf(error.getMessage()).contains("interrupted"), error.getMessage());
    }

    @Test
    void aLimitOnMemory() {
        var no = assertInstanceOf(PlanOutcome.NothingFits.class, plan("gpt-tiny", "local:4", "8", "", "memory=200MiB"));
        assertEquals(200L << 20, no.haveBytes());
        String limit = no.nearestChange().replaceAll("^Maybe --at-most \"(memory=[^\"]+)\".*$", "$1");
        assertInstanceOf(PlanOutcome.Found.class, plan("gpt-tiny", "local:4", "8", "", limit));
    }

    @Test
    void aLimitOnTime() {
        var no = assertInstanceOf(PlanOutcome.NoneWithin.class, plan("gpt-tiny", "local:4", "8", "pp=2", "step=1ms"));
        assertEquals("step=1.00 ms", no.limit());
        String limit = no.nearestChange().replaceAll("^Maybe --at-most \"(step=[^\"]+)\"\\.$", "$1");
        assertInstanceOf(PlanOutcome.Found.class, plan("gpt-tiny", "local:4", "8", "pp=2", limit));
    }

    @Test
    void aLimitOnDevices() {
        var found = assertInstanceOf(PlanOutcome.Found.class, plan("gpt-tiny", "local:4", "8", "", "devices=2"));
        assertTrue(found.plans().stream().allMatch(plan -> plan.devices() <= 2));
        assertEquals(4, found.best().devices() + found.best().devicesIdle());
    }
}
