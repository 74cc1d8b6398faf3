package org.shardplan.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.shardplan.search.Campaign;
import org.shardplan.search.PlanOutcome;
import org.shardplan.search.SearchObserver;
import org.shardplan.sim.Prediction;
import org.shardplan.units.UserError;

/** FEATURE UNDER TEST: {@code --tokens}, {@code --objective cost} and {@code --at-most days}. */
final class A17_TrainingGoalTest {
    private static final String CLUSTER =
            "dgx-a100-80gb:8,price=2USD/h,power=400W,mtbf=50000h,restart=10min,storage=20GB/s";

    private static PlanAnswer plan(String cluster, String objective, String atMost, String tokens) {
        return PlanJob.run(
                new PlanRequest(
                        "llama3-8b", cluster, "64", 0, "", "", "", "", objective, atMost, "", "", 5, "", 1, tokens),
                SearchObserver.NONE);
    }

    private static double dollars(PlanAnswer answer) {
        Prediction best = SmallProblems.prediction(answer);
        return campaign(answer).dollars(best.stepSeconds(), best.devices());
    }

    private static Campaign campaign(PlanAnswer answer) {
        return answer.result().campaign().orElseThrow();
    }

    @Test
    void tokens() {
        assertEquals(300_000_000_000L, TrainingGoal.tokens("300B", "--tokens"));
        assertEquals(1_400_000_000_000L, TrainingGoal.tokens("1.4T", "--tokens"));
        assertEquals(500_000, TrainingGoal.tokens("500k", "--tokens"));
        assertEquals(12, TrainingGoal.tokens("12", "--tokens"));
        for (String bad : new String[] {"", "0", "-3B", "3 bananas", "1e9", "99999999999T", "NaN", "0.1"}) {
            UserError error = assertThrows(UserError.class, () -> TrainingGoal.tokens(bad, "--tokens"), bad);
            assertTrue(error.maybe().startsWith("Maybe --tokens"), error.maybe());
        }
    }

    /** Adam in mixed precision: 2 bytes of weights, 4 of the master copy, 8 of moments. */
    @Test
    void aCheckpointHoldsFourteenBytesAParameter() {
        PlanAnswer answer = plan(CLUSTER, "", "", "1T");
        assertEquals(14, campaign(answer).checkpointBytes() / 8.03e9, 0.01);
    }

    /** The cheapest part is as cheap as any part searched alone; the fastest plan of all costs no less. */
    @Test
    void costIsTheLeastOverParts() {
        PlanAnswer cheapest = plan(CLUSTER, "cost", "", "100B");
        assertInstanceOf(PlanOutcome.Found.class, cheapest.result().outcome());
        double least = dollars(cheapest);
        for (int nodes : new int[] {1, 2, 4, 8}) {
            PlanAnswer part = plan(CLUSTER.replace(":8", ":" + nodes), "", "", "100B");
            assertTrue(least <= dollars(part) * (1 + 1e-9), nodes + " nodes cost " + dollars(part) + " < " + least);
        }
        assertTrue(SmallProblems.prediction(cheapest).devices() < 64, "fewer devices wait less for each other");
    }

    /** A limit in days takes more devices, and is kept. */
    @Test
    void daysAreKept() {
        PlanAnswer free = plan(CLUSTER, "cost", "", "100B");
        Prediction slow = SmallProblems.prediction(free);
        double days = campaign(free).days(slow.stepSeconds(), slow.devices());
        PlanAnswer fast = plan(CLUSTER, "cost", "days=" + Math.floor(days / 2), "100B");
        Prediction kept = SmallProblems.prediction(fast);
        assertTrue(campaign(fast).days(kept.stepSeconds(), kept.devices()) <= Math.floor(days / 2));
        assertTrue(dollars(fast) >= dollars(free));
        PlanOutcome no = plan(CLUSTER, "", "days=0.5", "100B").result().outcome();
        PlanOutcome.NoneWithin none = assertInstanceOf(PlanOutcome.NoneWithin.class, no);
        assertEquals("days=0.5", none.limit());
        assertTrue(none.reached().endsWith(" days"), none.reached());
    }

    @Test
    void whatIsMissingIsAskedFor() {
        UserError price = assertThrows(UserError.class, () -> plan("dgx-a100-80gb:1", "cost", "", "1B"));
        assertTrue(price.maybe().contains("dgx-a100-80gb:1,price=2.50USD/h"), price.maybe());
        UserError tokens = assertThrows(UserError.class, () -> plan(CLUSTER, "cost", "", ""));
        assertEquals("Maybe --tokens 300B", tokens.maybe());
        assertThrows(UserError.class, () -> plan(CLUSTER, "", "days=30", ""));
        assertThrows(UserError.class, () -> plan(CLUSTER, "", "days=soon", "1B"));
        assertThrows(UserError.class, () -> plan(CLUSTER, "", "days=0", "1B"));
    }
}
