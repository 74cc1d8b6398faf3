package org.shardplan.sim;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.shardplan.cost.PricedProgram;

/** Closed form ≤ sweep, and near it. */
class A04_ClosedFormTest {
    private final Sweep sweep = new Sweep();
    private final ClosedForm closedForm = new ClosedForm();

    @Property(tries = 5000)
    void neverAboveTheSweepWhateverTheProgram(@ForAll long seed) {
        PricedProgram program = SomePrograms.wild(new Random(seed));
        assertTrue(closedForm.bound(program) <= sweep.run(program));
    }

    @Property(tries = 1000)
    void neverAboveTheSweepOnRealisticOnes(@ForAll long seed) {
        PricedProgram program = SomePrograms.realistic(new Random(seed));
        assertTrue(closedForm.bound(program) <= sweep.run(program));
    }

    @Test
    void gapOnRealisticOnes() {
        double[] gaps = new double[2000];
        for (int seed = 0; seed < gaps.length; seed++) {
            PricedProgram program = SomePrograms.realistic(new Random(seed));
            long makespan = sweep.run(program);
            gaps[seed] = (double) (makespan - closedForm.bound(program)) / makespan;
        }
        Arrays.sort(gaps);
        assertTrue(gaps[gaps.length / 2] <= 0.01, () -> "median " + gaps[gaps.length / 2]);
        assertTrue(gaps[gaps.length * 99 / 100] <= 0.05, () -> "99th percentile " + gaps[gaps.length * 99 / 100]);
    }
}
