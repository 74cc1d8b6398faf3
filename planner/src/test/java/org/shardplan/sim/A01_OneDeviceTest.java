package org.shardplan.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.shardplan.cost.PricedProgram;
import org.shardplan.plan.Schedule;
import org.shardplan.plan.ScheduleKind;
import org.shardplan.plan.Schedules;

/** One rank: a step is the sum of its parts. */
class A01_OneDeviceTest {
    private static PricedProgram program() {
        SomePrograms.Draft draft = new SomePrograms.Draft(Schedules.of(ScheduleKind.ONE_F_ONE_B, 1, 1, 4));
        draft.head[0] = 5;
        draft.forward[0] = 100;
        draft.backward[0] = 200;
        draft.lastBackward[0] = 210;
        draft.sendForward[0] = 1_000;
        draft.bucketReady[0] = new long[] {110, 210};
        draft.bucketNanos[0] = new long[] {120, 30};
        draft.reduceTail[0] = 7;
        draft.optimizerTail[0] = 11;
        draft.optimizerData = 2;
        draft.hostShare = 4;
        return draft.program();
    }

    @Test
    void stepIsTheSumOfItsParts() {
        // the first bucket ends at 110 + 120 in the last slot, the second 30 later: 50 after the slot
        long expected = 5 + 4 * 100 + 3 * 200 + 210 + 50 + 7 + 11;
        assertEquals(expected, new Sweep().run(program()));
        assertEquals(expected, new ClosedForm().bound(program()));
        assertEquals(expected, NaiveEvents.makespan(program()));
    }

    @Test
    void whereItGoes() {
        Breakdown parts = Breakdown.of(program(), new Sweep());
        assertEquals(1_200, parts.compute());
        // 10 of interference, 50 of waiting, the tail, the head, what the optimizer's tail gathers
        assertEquals(10 + 50 + 7 + 5 + 2, parts.data());
        assertEquals(11 - 2 - 4, parts.optimizer());
        assertEquals(4, parts.host());
        assertEquals(0, parts.bubble() + parts.pipeline() + parts.tensor());
    }

    @Test
    void aFreeScheduleWithWeightGradients() {
        long[][] slots = {
            {Schedule.slot(0, 0, Schedule.F), Schedule.slot(0, 0, Schedule.INPUT), Schedule.slot(0, 0, Schedule.W)}
        };
        SomePrograms.Draft draft = new SomePrograms.Draft(new Schedule(slots, new int[] {0}, 1));
        draft.forward[0] = 1;
        draft.split.input()[0] = 10;
        draft.split.lastWeight()[0] = 100;
        draft.savedBytes[0] = 3;
        draft.keptBytes[0] = 2;
        assertEquals(111, new Sweep().run(draft.program()));
        assertEquals(111, new ClosedForm().bound(draft.program()));
        assertEquals(3, MemoryWalk.peaks(draft.program()).get(0).saved());
    }

    @Test
    void aScheduleThatWaitsForItselfIsRefused() {
        long[][] slots = {{Schedule.slot(0, 0, Schedule.B), Schedule.slot(0, 0, Schedule.F)}};
        PricedProgram program = new SomePrograms.Draft(new Schedule(slots, new int[] {0}, 1)).program();
        assertThrows(IllegalArgumentException.class, () -> new Sweep().run(program));
    }
}
