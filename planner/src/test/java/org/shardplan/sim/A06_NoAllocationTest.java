package org.shardplan.sim;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.shardplan.cost.PricedProgram;

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

    private long run(PricedProgram[] programs) {
        long sum = 0;
        for (PricedProgram program : programs) {
            sum += sweep.run(program) - closedForm.bound(program);
        }
        return sum;
    }
}
