package org.shardplan.job;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** FEATURE UNDER TEST: how plans of one job are put in order. */
final class A14_PlanGroupTest {
    private static PlanGroup group(double[] measured, double... predicted) {
        return new PlanGroup("s", "", org.shardplan.report.Errors.NONE, measured, predicted);
    }

    private static final double[] MEASURED = {10, 11, 12, 20};

    @Test
    void theRightOrder() {
        PlanGroup right = group(MEASURED, 1, 2, 3, 4);
        assertEquals(1, right.spearman(), 1e-9);
        assertEquals(1, right.pairOrder(), 1e-9);
        assertEquals(0, right.regret(), 1e-9);
    }

    @Test
    void theWrongOrder() {
        PlanGroup wrong = group(MEASURED, 4, 3, 2, 1);
        assertEquals(-1, wrong.spearman(), 1e-9);
        assertEquals(0, wrong.pairOrder(), 1e-9);
        assertEquals(1, wrong.regret(), 1e-9, "20 s where 10 s could be had");
    }

    @Test
    void oneSwap() {
        PlanGroup swapped = group(MEASURED, 2, 1, 3, 4);
        assertEquals(0.8, swapped.spearman(), 1e-9, "1 - 6·2/(4·15)");
        assertEquals(5 / 6.0, swapped.pairOrder(), 1e-9);
        assertEquals(0.1, swapped.regret(), 1e-9);
    }

    /** A tie helps nobody: half a pair, and the worse of the two plans. */
    @Test
    void predictedEqual() {
        PlanGroup tie = group(MEASURED, 1, 2, 3, 1);
        assertEquals((0.5 + 1 + 1 + 1 + 0 + 0) / 6, tie.pairOrder(), 1e-9);
        assertEquals(1, tie.regret(), 1e-9);
        assertTrue(Double.isNaN(group(MEASURED, 1, 1, 1, 1).spearman()));
    }

    @Test
    void comparisonsOfPlansThatAreNear() {
        double[] errors = group(new double[] {10, 11, 40}, 10, 10, 20).comparisons(0.1);
        assertArrayEquals(new double[] {0.1}, errors, 1e-9, "the third is predicted far from both");
    }
}
