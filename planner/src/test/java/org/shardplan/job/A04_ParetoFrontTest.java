package org.shardplan.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.shardplan.search.Objectives;
import org.shardplan.search.ParetoPoint;
import org.shardplan.search.Problem;
import org.shardplan.search.Score;

/** FEATURE UNDER TEST: time against memory. */
final class A04_ParetoFrontTest {
    private static final Problem PROBLEM =
            SmallProblems.problem(SmallProblems.setting("llama-tiny", "dgx-a100-80gb/4", "16"), 10);

    private static List<ParetoPoint> front() {
        Objectives search = SmallProblems.search();
        return ParetoFront.of(search, PROBLEM, search.time(PROBLEM).scores());
    }

    @Test
    void noPointBeatsAnother() {
        List<ParetoPoint> front = front();
        assertTrue(!front.isEmpty());
        for (int i = 1; i < front.size(); i++) {
            assertTrue(front.get(i).stepSeconds() >= front.get(i - 1).stepSeconds(), front.toString());
            assertTrue(front.get(i).peakBytes() < front.get(i - 1).peakBytes(), front.toString());
        }
    }

    @Test
    void theFirstPointIsTheFastestPlan() {
        Score fastest = SmallProblems.search().time(PROBLEM).scores().getFirst();
        assertEquals(fastest.stepNanos() / 1e9, front().getFirst().stepSeconds());
    }

    /** With no more memory than a point takes, nothing faster exists. */
    @Test
    void eachPointIsTheFastestForItsMemory() {
        for (ParetoPoint point : front()) {
            Score best =
                    SmallProblems.search().within(PROBLEM, point.peakBytes()).orElseThrow();
            assertEquals(point.stepSeconds(), best.stepNanos() / 1e9, point.stepSeconds() * 1e-9, point.planText());
        }
    }
}
