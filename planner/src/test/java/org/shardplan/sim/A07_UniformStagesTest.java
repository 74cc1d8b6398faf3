package org.shardplan.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.shardplan.cost.PricedProgram;
import org.shardplan.plan.Schedule;
import org.shardplan.plan.ScheduleKind;
import org.shardplan.plan.Schedules;

/** The bound of a few numbers: below every program that is nowhere shorter, and near one that is just so. */
class A07_UniformStagesTest {
    private static long least(long[] values) {
        return Arrays.stream(values).min().orElseThrow();
    }

    /** The largest numbers that the program is nowhere shorter than. */
    private static UniformStages under(PricedProgram program) {
        int last = program.schedule().stages() - 1;
        long forward = least(program.forward());
        long backward = least(program.backward());
        return new UniformStages(
                forward,
                backward,
                program.forward()[0] - forward,
                program.backward()[0] - backward,
                last == 0 ? 0 : program.forward()[last] - forward,
                last == 0 ? 0 : program.backward()[last] - backward,
                least(program.sendForward()),
                least(program.sendBackward()),
                program.sendsBlock(),
                least(program.head()) + least(program.reduceTail()) + least(program.optimizerTail()));
    }

    private static long bound(PricedProgram program) {
        Schedule schedule = program.schedule();
        int pp = schedule.ranks();
        return under(program).bound(schedule.kind(), pp, schedule.stages() / pp, schedule.microBatches());
    }

    @Property(tries = 2000)
    void belowTheSweep(@ForAll long seed) {
        PricedProgram program = SomePrograms.wildClassic(new Random(seed));
        assertTrue(bound(program) <= new Sweep().run(program));
    }

    @Property(tries = 500)
    void belowTheSweepOnRealisticOnes(@ForAll long seed) {
        PricedProgram program = SomePrograms.realisticClassic(new Random(seed));
        assertTrue(bound(program) <= new Sweep().run(program));
    }

    @Test
    void exactOnTextbookOnes() {
        for (ScheduleKind kind : ScheduleKind.values().subList(0, 3)) {
            int vpp = kind == ScheduleKind.INTERLEAVED ? 3 : 1;
            PricedProgram program = SomePrograms.uniform(Schedules.of(kind, 8, vpp, 32), 10, 20);
            assertEquals(new Sweep().run(program), bound(program));
        }
    }
}
