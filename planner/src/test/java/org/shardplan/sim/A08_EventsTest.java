package org.shardplan.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.shardplan.cost.PricedProgram;
import org.shardplan.plan.Schedule;

/** Events against the sweep, and what links carry meanwhile. */
class A08_EventsTest {
    private final Sweep sweep = new Sweep();
    private final Events events = new Events();

    @Property(tries = 1000)
    void undisturbedIsTheSweep(@ForAll long seed) {
        PricedProgram program = SomePrograms.wild(new Random(seed));
        assertEquals(sweep.run(program), events.run(SomeLanes.quiet(program)));
    }

    @Property(tries = 300)
    void likeLanesAreOne(@ForAll long seed) {
        PricedProgram program = SomePrograms.wild(new Random(seed));
        Lane lane = SomeLanes.quiet(program).lanes().getFirst();
        Lanes three = new Lanes(java.util.List.of(lane, lane, lane), 1, 0, 0, true);
        assertEquals(sweep.run(program), events.run(three));
    }

    /** SimAI #105: achieved is at most configured, always. */
    @Property(tries = 60)
    void noLinkEverCarriesMoreThanItCan(@ForAll long seed) {
        Random random = new Random(seed);
        PricedProgram program = SomePrograms.wild(random);
        events.begin(SomeLanes.busy(program, random));
        while (!events.flows().isEmpty()) {
            events.step();
            for (int cell = 0; cell < events.cells(); cell++) {
                for (int link = 0; link < events.linksShared(); link++) {
                    double out = events.load(cell, link, 0);
                    double in = events.load(cell, link, 1);
                    assertTrue(Math.max(out, in) <= 1 + 1e-8, () -> "out " + out + ", in " + in);
                }
            }
        }
    }

    @Property(tries = 200)
    void contentionOnlyLengthens(@ForAll long seed) {
        Random random = new Random(seed);
        PricedProgram program = SomePrograms.wild(random);
        assertTrue(events.run(SomeLanes.busy(program, random)) >= sweep.run(program));
    }

    @Property(tries = 300)
    void jitterOnlyLengthensAndHangsOnTheSeedAlone(@ForAll long seed) {
        PricedProgram program = SomePrograms.realistic(new Random(seed));
        Lanes quiet = SomeLanes.quiet(program);
        Lanes jittered = new Lanes(quiet.lanes(), 8, 0.1, seed, false);
        long step = events.run(jittered);
        assertEquals(step, new Events().run(jittered));
        assertTrue(step >= sweep.run(program));
        assertTrue(step <= 1.1 * sweep.run(program) + 1000);
    }

    @Example
    void aScheduleThatWaitsForItselfIsFound() {
        long[][] slots = {{Schedule.slot(0, 0, Schedule.B), Schedule.slot(0, 0, Schedule.F)}};
        PricedProgram program = SomePrograms.uniform(new Schedule(slots, new int[] {0}, 1), 1, 2);
        assertThrows(IllegalArgumentException.class, () -> events.run(SomeLanes.quiet(program)));
    }
}
