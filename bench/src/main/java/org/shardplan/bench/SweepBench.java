package org.shardplan.bench;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.shardplan.cost.PricedProgram;
import org.shardplan.sim.Sweep;

/** Sweeps of plans of P1, one thread: {@code tasks} counts slots and sends a second. */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class SweepBench {
    private final Sweep sweep = new Sweep();
    private final PricedProgram[] programs = SamplePlans.priced(64);

    /** Tasks that the sweeps of an iteration looked at. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.OPERATIONS)
    public static class Counters {
        public long tasks;

        @Setup(Level.Iteration)
        public void clear() {
            tasks = 0;
        }
    }

    /** All plans once. */
    @Benchmark
    public long sweep(Counters counters) {
        long sum = 0;
        for (PricedProgram program : programs) {
            sum += sweep.run(program);
            counters.tasks += sweep.tasks();
        }
        return sum;
    }
}
