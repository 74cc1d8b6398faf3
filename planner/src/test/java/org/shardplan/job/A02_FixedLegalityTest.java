package org.shardplan.job;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.shardplan.plan.PlanText;
import org.shardplan.units.UserError;

/** FEATURE UNDER TEST: whether what --fix pins can be part of a legal plan. gpt-tiny: 4 layers, 4 heads; 8 devices, batch 8. */
final class A02_FixedLegalityTest {
    private static void check(String fix) {
        FixedLegality.check(SmallProblems.tiny().withFixed(PlanText.parseFixed(fix)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "tp=2",
                "tp=4,sp",
                "sp",
                "pp=6",
                "vpp=3",
                "vpp=2,mb=4",
                "pp=2,vpp=3",
                "zero=3",
                "zero=1,pp=4",
                "dp=8",
                "dp=3,mb=1,pp=2,global=9",
                "mb=8",
                "recompute=selective",
                "recompute=full:4",
                "pp=2,recompute=selective+full:2",
                "schedule=1f1b",
                "schedule=interleaved",
                "order=dp-pp-tp",
                "layout=Et|t|t|tL",
                "layout=Et*3|tL,vpp=1",
                "layout=Et|t|t|tL,vpp=2"
            })
    void canBeLegal(String fix) {
        boolean nine = fix.endsWith(",global=9");
        var problem = nine ? SmallProblems.tiny(9) : SmallProblems.tiny();
        String text = nine ? fix.substring(0, fix.length() - ",global=9".length()) : fix;
        assertDoesNotThrow(() -> FixedLegality.check(problem.withFixed(PlanText.parseFixed(text))));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "tp=3            | 4 attention heads are not a multiple of tp=3",
                "tp=8            | 4 attention heads are not a multiple of tp=8",
                "sp,tp=1         | sp splits the sequence over tensor ranks, and tp is 1",
                "pp=7            | the model's 4 layers are too few",
                "vpp=2,pp=1      | vpp=2 interleaves chunks of pipeline ranks, and pp is 1",
                "vpp=4           | the model's 4 layers are too few",
                "vpp=2,mb=8      | the interleaved schedule needs at least pp=2 micro-batches",
                "tp=4,pp=4       | tp·pp·dp = 4·4·1 = 16 devices",
                "tp=2,dp=8       | tp·pp·dp = 2·1·8 = 16 devices",
                "dp=3            | global batch 8 is not a multiple of dp·mb = 3·1 = 3",
                "dp=4,mb=4       | global batch 8 is not a multiple of dp·mb = 4·4 = 16",
                "zero=2,pp=2     | megatron-core has ZeRO stages up to 1 beside a pipeline",
                "schedule=gpipe,vpp=2 | schedule=gpipe runs one chunk a rank, and vpp is 2",
                "schedule=interleaved,vpp=1 | schedule=interleaved needs chunks to interleave, and vpp is 1",
                "'layout=Et*3|t*2L' | the layout has 5 layers, and the model has 4",
                "'layout=Et*2|t*2L,pp=4' | the layout has 2 virtual stages, and pp·vpp is 4·1 = 4",
                "recompute=full:5 | recompute=full:5 recomputes more layers than the 4",
                "pp=4,recompute=full:2 | recompute=full:2 recomputes more layers than the 1",
                "recompute=full:1/1/1/1 | recompute names layers by rank"
            })
    void canNotBeLegal(String fix, String why) {
        UserError error = assertThrows(UserError.class, () -> check(fix));
        assertTrue(String.valueOf(error.getMessage()).startsWith("--fix: " + why), error.getMessage());
        assertTrue(error.maybe().startsWith("Maybe "), error.maybe());
    }

    /** What may help stays within the cluster's 8 devices. */
    @Test
    void tooManyRanksForTheCluster() {
        assertEquals(
                "Maybe pp=4,vpp=1.",
                assertThrows(UserError.class, () -> check("tp=2,pp=99")).maybe());
    }

    /** Nothing pinned, nothing said of --fix. */
    @ParameterizedTest
    @ValueSource(ints = {1, 7, 1536})
    void nothingFixed(int globalBatch) {
        assertDoesNotThrow(() -> FixedLegality.check(SmallProblems.tiny(globalBatch)));
        assertEquals(globalBatch, SmallProblems.tiny(globalBatch).workload().globalBatch());
    }
}
