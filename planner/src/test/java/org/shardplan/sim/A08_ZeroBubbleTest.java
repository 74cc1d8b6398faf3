package org.shardplan.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.shardplan.cost.PricedProgram;
import org.shardplan.plan.Schedule;
import org.shardplan.plan.ScheduleKind;
import org.shardplan.plan.Schedules;

/** Bubbles and bytes of schedules whose weight gradients stand apart, as their papers give them. */
class A08_ZeroBubbleTest {
    private final Sweep sweep = new Sweep();

    /** Even stages, no sends; each micro-batch saves 34 bytes on a stage, of which 32 wait for weight gradients. */
    private static SomePrograms.Draft draft(ScheduleKind kind, int p, int m, long forward, long input, long weight) {
        Schedule schedule = Schedules.of(kind, p, Math.max(1, kind.chunks()), m);
        SomePrograms.Draft draft = new SomePrograms.Draft(schedule);
        Arrays.fill(draft.forward, forward);
        Arrays.fill(draft.backward, input + weight);
        Arrays.fill(draft.lastBackward, input + weight);
        Arrays.fill(draft.split.input(), input);
        Arrays.fill(draft.split.weight(), weight);
        Arrays.fill(draft.split.lastWeight(), weight);
        Arrays.fill(draft.savedBytes, 34);
        Arrays.fill(draft.keptBytes, 32);
        return draft;
    }

    private long bubble(SomePrograms.Draft draft, long work) {
        PricedProgram program = draft.program();
        long step = sweep.run(program);
        long bound = new ClosedForm().bound(program);
        assertTrue(bound <= step, () -> "bound " + bound + " above " + step);
        return step - work;
    }

    @Test
    void drawnAsInThePaper() {
        Schedule schedule = Schedules.of(ScheduleKind.ZB_H1, 3, 1, 4);
        assertEquals("F0 F1 F2 B0 W0 F3 B1 W1 B2 W2 B3 W3", row(schedule, 0));
        assertEquals("F0 F1 B0 F2 B1 W0 F3 B2 W1 B3 W2 W3", row(schedule, 1));
        assertEquals("F0 B0 F1 B1 F2 B2 W0 F3 B3 W1 W2 W3", row(schedule, 2));
    }

    private static String row(Schedule schedule, int rank) {
        StringBuilder row = new StringBuilder();
        for (long slot : schedule.slotsOf(rank)) {
            row.append(row.isEmpty() ? "" : " ").append("FBWB".charAt(Schedule.phase(slot)));
            row.append(Schedule.microBatch(slot));
        }
        return row.toString();
    }

    /**
     * Table 2 of Qi et al. 2023, where weight gradients take no longer than input gradients: else they are what the step ends with. All ranks
     * meet at its end here, so that the last rank's start counts too.
     */
    @Property(tries = 300)
    void oneChunkARank(
            @ForAll @IntRange(min = 1, max = 12) int p,
            @ForAll @IntRange(min = 0, max = 30) int more,
            @ForAll @IntRange(min = 20, max = 30) int forward,
            @ForAll @IntRange(min = 20, max = 30) int input,
            @ForAll @IntRange(min = 5, max = 20) int weight) {
        int m = 2 * p + more;
        long work = (long) m * (forward + input + weight);
        assertEquals(
                (p - 1L) * (forward + input - weight),
                bubble(draft(ScheduleKind.ZB_H1, p, m, forward, input, weight), work));
        assertEquals(
                (p - 1L) * Math.max(forward, forward + input - 2 * weight),
                bubble(draft(ScheduleKind.ZB_H2, p, m, forward, input, weight), work));
    }

    @Property(tries = 100)
    void memoryOfOneForwardOneBackwardAndTwiceThat(@ForAll @IntRange(min = 1, max = 12) int p) {
        int m = 3 * p;
        assertEquals(p * 34L, worst(draft(ScheduleKind.ZB_H1, p, m, 10, 10, 10)));
        assertTrue(worst(draft(ScheduleKind.ZB_H2, p, m, 10, 10, 10)) <= (2 * p - 1) * 34L);
        assertTrue(worst(draft(ScheduleKind.ZB_H2, p, m, 10, 10, 10)) > (2 * p - 2) * 32L);
    }

    private static long worst(SomePrograms.Draft draft) {
        return MemoryWalk.peaks(draft.program()).stream()
                .mapToLong(MemoryPeak::saved)
                .max()
                .orElseThrow();
    }

    /** ZB-V: no rank ever waits once it has begun where F, B and W take as long; memory of 1F1B: p whole stages, here 2p halves. */
    @Property(tries = 200)
    void downAndUpAgainWithoutABubble(
            @ForAll @IntRange(min = 2, max = 12) int p, @ForAll @IntRange(min = 0, max = 40) int more) {
        int m = 2 * p + more;
        SomePrograms.Draft draft = draft(ScheduleKind.ZB_V, p, m, 10, 10, 10);
        assertEquals((p - 1) * 10L, bubble(draft, 60L * m));
        Timeline timeline = sweep.timeline(draft.program(), 1);
        for (int rank = 0; rank < p; rank++) {
            int own = rank;
            List<Timeline.Event> events = timeline.events().stream()
                    .filter(event -> event.rank() == own && event.stream() == Timeline.Stream.COMPUTE)
                    .toList();
            assertEquals(
                    60L * m, events.getLast().endNanos() - events.getFirst().startNanos(), "rank " + rank);
        }
        assertTrue(worst(draft) <= 2L * p * 34);
        assertEquals(0, draft.schedule.rankOf(0) + draft.schedule.rankOf(2 * p - 1));
    }

    /** (p/2 - 1)(F&B + B - 3W), B the whole backward pass (DeepSeek-V3 report, table 2), F&B a forward slot beside it. */
    @Property(tries = 200)
    void fedFromBothEnds(
            @ForAll @IntRange(min = 1, max = 8) int half,
            @ForAll @IntRange(min = 0, max = 20) int more,
            @ForAll @IntRange(min = 0, max = 8) int hidden) {
        int p = 2 * half;
        int m = 2 * p + 2 * more;
        SomePrograms.Draft draft = draft(ScheduleKind.DUALPIPE, p, m, 10, 10, 10);
        Arrays.fill(draft.split.hidden(), hidden);
        long both = 30 - hidden;
        long bubble = (half - 1) * (both + 20 - 30);
        long step = sweep.run(draft.program());
        long[] busy = new long[p];
        sweep.timeline(draft.program(), 1).events().stream()
                .filter(event -> event.stream() == Timeline.Stream.COMPUTE)
                .forEach(event -> busy[event.rank()] += event.endNanos() - event.startNanos());
        // of the ranks in the middle, which have fewest slots beside nothing
        assertEquals(bubble, step - Arrays.stream(busy).min().orElseThrow());
        assertTrue(new ClosedForm().bound(draft.program()) <= step);
        // two copies' worth of stages hold p + 1 micro-batches at most (table 2)
        assertTrue(worst(draft) <= (p + 1) * 34L, () -> worst(draft) + " bytes");
    }
}
