package org.shardplan.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.shardplan.cost.PricedProgram;
import org.shardplan.plan.ScheduleKind;
import org.shardplan.plan.Schedules;

/** Bytes in flight as published, formula against walk, walk against timeline. */
class A05_MemoryTest {
    @Test
    void oneForwardOneBackwardHoldsAsManyMicroBatchesAsStagesFollow() {
        PricedProgram program = SomePrograms.uniform(Schedules.of(ScheduleKind.ONE_F_ONE_B, 4, 1, 9), 1, 2);
        List<Long> saved =
                MemoryWalk.peaks(program).stream().map(MemoryPeak::saved).toList();
        assertEquals(List.of(4L, 3L, 2L, 1L), saved);
    }

    @Test
    void interleavedHoldsOneMoreRoundOnTheFirstRank() {
        PricedProgram program = SomePrograms.uniform(Schedules.of(ScheduleKind.INTERLEAVED, 4, 3, 8), 1, 2);
        assertEquals(4 * 3 + 3, MemoryWalk.peaks(program).get(0).saved());
    }

    @Test
    void reservedAndTotal() {
        SomePrograms.Draft draft = new SomePrograms.Draft(Schedules.of(ScheduleKind.GPIPE, 1, 1, 2));
        draft.staticBytes[0] = 100;
        draft.savedBytes[0] = 50;
        draft.forwardPeakBytes[0] = 30;
        draft.backwardPeakBytes[0] = 60;
        MemoryPeak peak = MemoryWalk.peaks(draft.program()).get(0);
        assertEquals(4 * 100 + 2 * 50 + 60, peak.allocated());
        // fragmentation 5 %, context 7
        assertEquals(588, peak.reserved());
        assertEquals(595, peak.total());
    }

    @Test
    void theStepsTemporariesCountWhenNothingIsSaved() {
        SomePrograms.Draft draft = new SomePrograms.Draft(Schedules.of(ScheduleKind.GPIPE, 1, 1, 2));
        draft.staticBytes[0] = 100;
        draft.savedBytes[0] = 50;
        draft.stepBytes[0] = 90;
        assertEquals(4 * 100 + 2 * 50, MemoryWalk.peaks(draft.program()).get(0).allocated());
        draft.stepBytes[0] = 110;
        MemoryPeak peak = MemoryWalk.peaks(draft.program()).get(0);
        assertEquals(4 * 100 + 110, peak.allocated());
        assertEquals(0, peak.saved());
    }

    @Property(tries = 1000)
    void formulaEqualsWalk(@ForAll long seed) {
        PricedProgram program = SomePrograms.wild(new Random(seed));
        for (MemoryPeak peak : MemoryWalk.peaks(program)) {
            long formula = PeakFormula.allocatedBytes(program.memory(), program.schedule(), peak.rank());
            assertEquals(peak.allocated(), formula);
        }
    }

    @Property(tries = 200)
    void timelineReachesThePeakAndReturns(@ForAll long seed) {
        PricedProgram program = SomePrograms.wild(new Random(seed));
        Timeline timeline = new Sweep().timeline(program, 1);
        for (MemoryPeak peak : MemoryWalk.peaks(program)) {
            List<Long> bytes = timeline.memory().stream()
                    .filter(point -> point.rank() == peak.rank())
                    .map(Timeline.MemoryPoint::allocatedBytes)
                    .toList();
            assertEquals(
                    peak.allocated(),
                    bytes.stream().mapToLong(Long::longValue).max().orElseThrow());
            assertEquals(bytes.getFirst(), bytes.getLast());
        }
    }
}
