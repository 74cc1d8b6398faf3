package org.shardplan.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.shardplan.plan.PlanText;
import org.shardplan.search.Problem;
import org.shardplan.search.Score;
import org.shardplan.search.SearchStatistics;

/** FEATURE UNDER TEST: which of plans that can't be told apart stands first. 8 devices; a comparison errs by 2 %. */
final class A03_PreferenceTest {
    private static final double ERROR = 0.02;
    private static final long GIB = 1L << 30;

    private static Score score(long nanos, long gib, int devices, long number) {
        return new Score(PlanText.parse("dp=" + devices, 8), nanos, gib * GIB, number);
    }

    private static Score first(Score... scores) {
        return Preference.order(List.of(scores), SmallProblems.tiny(), ERROR).getFirst();
    }

    @Test
    void theFastestWhereNothingIsNear() {
        Score fast = score(1000, 60, 8, 0);
        assertSame(fast, first(fast, score(1021, 20, 8, 1)));
    }

    @Test
    void theRoomierOfEquals() {
        Score roomy = score(1019, 40, 8, 1);
        assertSame(roomy, first(score(1000, 60, 8, 0), roomy, score(1030, 10, 8, 2)));
    }

    /** Memory within 1 % of the capacity is no difference: then the faster plan stands first. */
    @Test
    void timeDecidesWhereMemoryDoesNot() {
        Score fast = score(1000, 40, 8, 0);
        assertSame(fast, first(fast, new Score(fast.plan(), 1010, 40 * GIB - 1000, 1)));
    }

    @Test
    void allDevicesAreUsedWithinOnePerCent() {
        Score idle = score(1000, 30, 4, 0);
        Score all = score(1010, 60, 8, 1);
        assertSame(all, first(idle, all));
        assertSame(idle, first(idle, score(1011, 60, 8, 1)));
        Score roomy = score(1019, 40, 8, 2);
        assertSame(roomy, first(idle, all, roomy));
    }

    @Test
    void otherObjectivesKeepTheirOrder() {
        List<Score> scores = List.of(score(2000, 10, 8, 0), score(1000, 60, 8, 1));
        Problem problem = SmallProblems.tiny();
        Problem memory = new Problem(
                problem.graph(),
                problem.workload(),
                problem.cluster(),
                problem.framework(),
                problem.fixed(),
                org.shardplan.search.Objective.MEMORY,
                problem.mostStepSeconds(),
                problem.capacityBytes(),
                problem.top());
        assertEquals(scores, Preference.order(scores, memory, ERROR));
    }

    @Test
    void plansWithinTheErrorAreCounted() {
        List<Score> scores = List.of(score(1000, 1, 8, 0), score(1020, 1, 8, 1), score(1021, 1, 8, 2));
        assertEquals(
                2,
                Preference.count(SearchStatistics.given("sweep", 0), scores, ERROR)
                        .withinComparisonError());
    }

    /** Nothing is lost, and what stands first is never slower than the error, or 1 %, allows. */
    @Property
    void nothingIsLost(@ForAll @Size(min = 1, max = 12) List<@IntRange(min = 1000, max = 1100) Integer> nanos) {
        List<Score> scores = new ArrayList<>();
        List<Integer> sorted = nanos.stream().sorted().toList();
        for (int i = 0; i < sorted.size(); i++) {
            scores.add(score(sorted.get(i), 10 + sorted.get(i) * 7L % 50, i % 2 == 0 ? 8 : 4, i));
        }
        List<Score> ordered = Preference.order(scores, SmallProblems.tiny(), ERROR);
        assertEquals(
                scores,
                ordered.stream()
                        .sorted((a, b) -> Long.compare(a.number(), b.number()))
                        .toList());
        assertEquals(true, ordered.getFirst().stepNanos() <= sorted.getFirst() * 1.02);
    }
}
