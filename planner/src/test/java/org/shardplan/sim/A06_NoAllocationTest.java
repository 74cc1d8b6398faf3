package org.shardplan.sim;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.shardplan.cost.PricedProgram;
import org.shardplan.plan.ScheduleKind;

/** In steady state neither sweep nor closed form allocates. */
class A06_NoAllocationTest {
    private final Sweep sweep = new Sweep();
    private final ClosedForm closedForm = new ClosedForm();

    @Test
    void nothingOnceTheArraysAreLargeEnough() {
        ThreadMXBean bean = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        PricedProgram[] programs = new PricedProgram[40];
        for (int seed = 0; seed < programs.length; seed++) {
            programs[seed] = SomePrograms.wild(new Random(seed));
        }
        run(programs);
        run(programs);
        long id = Thread.currentThread().threadId();
        long before = bean.getThreadAllocatedBytes(id);
        run(programs);
        long allocated = bean.getThreadAllocatedBytes(id) - before;
        // the call to the bean itself may allocate a little
        assertTrue(allocated < 512, () -> allocated + " bytes");
    }

    @Test
    void nothingForLikeStages() {
        ThreadMXBean bean = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        UniformStages stages = new UniformStages(3, 5, 1, 1, 2, 2, 1, 1, false, 7);
        long sum = 0;
        long before = 0;
        for (int round = 0; round < 2; round++) {
            before = bean.getCurrentThreadAllocatedBytes();
            for (int pp = 1; pp < 20; pp++) {
                for (int vpp = 1; vpp < 4; vpp++) {
                    sum += stages.bound(ScheduleKind.GPIPE, pp, 1, 40)
                            + stages.bound(ScheduleKind.INTERLEAVED, pp, vpp, 40);
                }
            }
        }
        long allocated = bean.getCurrentThreadAllocatedBytes() - before;
        assertTrue(sum > 0 && allocated < 512, () -> allocated + " bytes");
    }

    private long run(PricedProgram[] programs) {
        long sum = 0;
        for (PricedProgram program : programs) {
            sum += sweep.run(program) - closedForm.bound(program);
        }
        return sum;
    }
}
