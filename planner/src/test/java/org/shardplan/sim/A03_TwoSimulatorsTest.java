package org.shardplan.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.shardplan.cost.PricedProgram;

/** The sweep against a naive simulator that shares no code with it; timelines and breakdowns against the sweep. */
class A03_TwoSimulatorsTest {
    private final Sweep sweep = new Sweep();

    @Property(tries = 1000)
    void sameMakespan(@ForAll long seed) {
        PricedProgram program = SomePrograms.wild(new Random(seed));
        assertEquals(NaiveEvents.makespan(program), sweep.run(program));
    }

    @Property(tries = 300)
    void partsSumToTheStep(@ForAll long seed) {
        PricedProgram program = SomePrograms.wild(new Random(seed));
        Breakdown parts = Breakdown.of(program, sweep);
        assertEquals(sweep.run(program), parts.makespan());
        assertEquals(
                parts.makespan(),
                parts.compute()
                        + parts.tensor()
                        + parts.data()
                        + parts.pipeline()
                        + parts.bubble()
                        + parts.optimizer()
                        + parts.host());
        assertTrue(parts.bubble() >= 0 && parts.pipeline() >= 0 && parts.optimizer() >= 0 && parts.host() >= 0);
    }

    @Property(tries = 300)
    void eventsOfAStreamDoNotOverlapAndEndWithTheStep(@ForAll long seed) {
        PricedProgram program = SomePrograms.wild(new Random(seed));
        Timeline timeline = sweep.timeline(program, 1);
        Map<String, Long> free = new HashMap<>();
        long end = 0;
        for (Timeline.Event event : timeline.events()) {
            String stream = event.rank() + " " + event.stream();
            assertTrue(event.startNanos() >= free.getOrDefault(stream, 0L), () -> stream + " " + event);
            free.put(stream, event.endNanos());
            end = Math.max(end, event.endNanos());
        }
        assertEquals(sweep.run(program), timeline.makespanNanos());
        assertTrue(end <= timeline.makespanNanos());
    }
}
