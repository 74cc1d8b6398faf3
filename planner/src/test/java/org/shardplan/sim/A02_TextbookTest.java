package org.shardplan.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.shardplan.cost.PricedProgram;
import org.shardplan.plan.ScheduleKind;
import org.shardplan.plan.Schedules;

/** Makespans that papers and textbooks give. */
class A02_TextbookTest {
    private final Sweep sweep = new Sweep();

    /** One character a nanosecond. */
    private String drawn(PricedProgram program) {
        Timeline timeline = sweep.timeline(program, 1);
        char[][] rows = new char[timeline.ranks()][(int) timeline.makespanNanos()];
        for (char[] row : rows) {
            Arrays.fill(row, '.');
        }
        for (Timeline.Event event : timeline.events()) {
            if (event.stream() == Timeline.Stream.COMPUTE) {
                char letter = (char) ((event.kind() == Timeline.Kind.FORWARD ? 'A' : 'a') + event.microBatch());
                Arrays.fill(rows[event.rank()], (int) event.startNanos(), (int) event.endNanos(), letter);
            }
        }
        StringBuilder drawn = new StringBuilder();
        for (char[] row : rows) {
            drawn.append(row).append('\n');
        }
        return drawn.toString();
    }

    @Test
    void twoStagesGPipe() {
        assertEquals("""
                ABC...aabbcc
                .ABCaabbcc..
                """, drawn(SomePrograms.uniform(Schedules.of(ScheduleKind.GPIPE, 2, 1, 3), 1, 2)));
    }

    @Test
    void threeStagesOneForwardOneBackward() {
        assertEquals("""
                ABC....aaDbb.cc.dd
                .AB..aaCbbDcc.dd..
                ..AaaBbbCccDdd....
                """, drawn(SomePrograms.uniform(Schedules.of(ScheduleKind.ONE_F_ONE_B, 3, 1, 4), 1, 2)));
    }

    @Property(tries = 200)
    void gpipeAndOneForwardOneBackward(
            @ForAll @IntRange(min = 1, max = 20) int p,
            @ForAll @IntRange(min = 1, max = 60) int m,
            @ForAll @IntRange(min = 1, max = 50) int forward,
            @ForAll @IntRange(min = 1, max = 50) int backward) {
        long expected = (long) (m + p - 1) * (forward + backward);
        for (ScheduleKind kind : new ScheduleKind[] {ScheduleKind.GPIPE, ScheduleKind.ONE_F_ONE_B}) {
            PricedProgram program = SomePrograms.uniform(Schedules.of(kind, p, 1, m), forward, backward);
            assertEquals(expected, sweep.run(program));
            assertEquals(expected, new ClosedForm().bound(program));
        }
    }

    @Property(tries = 200)
    void interleavedBubbleIsOneChunksWorth(
            @ForAll @IntRange(min = 1, max = 12) int p,
            @ForAll @IntRange(min = 2, max = 6) int v,
            @ForAll @IntRange(min = 1, max = 8) int groups,
            @ForAll @IntRange(min = 1, max = 50) int forward,
            @ForAll @IntRange(min = 1, max = 50) int backward) {
        int m = groups * p;
        // bubble (p - 1)/(v·m) of the ideal m·v slots each way
        long expected = (long) (m * v + p - 1) * (forward + backward);
        PricedProgram program =
                SomePrograms.uniform(Schedules.of(ScheduleKind.INTERLEAVED, p, v, m), forward, backward);
        assertEquals(expected, sweep.run(program));
        assertEquals(expected, new ClosedForm().bound(program));
    }

    @Test
    void bubbleShareOfTheSlowestRank() {
        Breakdown parts =
                Breakdown.of(SomePrograms.uniform(Schedules.of(ScheduleKind.ONE_F_ONE_B, 4, 1, 12), 10, 20), sweep);
        assertEquals(12 * 30, parts.compute());
        assertEquals(3 * 30, parts.bubble());
        assertEquals(15 * 30, parts.makespan());
    }
}
