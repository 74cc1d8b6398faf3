package org.shardplan.bench;

import java.util.List;
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
import org.shardplan.cluster.Disturbances;
import org.shardplan.cluster.Disturbances.Straggler;
import org.shardplan.sim.Events;
import org.shardplan.sim.Lanes;

/** Event simulations of plans of P1 with one straggler, one thread: {@code events} counts tasks ended a second. */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class EventsBench {
    private static final List<Straggler> ONE = List.of(new Straggler(137, 1, "", 0.2));

    private final Events events = new Events();
    private final Lanes[] straggler = SamplePlans.lanes(16, new Disturbances(ONE, 0, 0, false));
    private final Lanes[] contended = SamplePlans.lanes(16, new Disturbances(ONE, 0, 0, true));

    /** Tasks that the simulations of an iteration ended. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.OPERATIONS)
    public static class Counters {
        public long events;

        @Setup(Level.Iteration)
        public void clear() {
            events = 0;
        }
    }

    /** All plans once, links not shared. */
    @Benchmark
    public long straggler(Counters counters) {
        return run(straggler, counters);
    }

    /** All plans once, links shared. */
    @Benchmark
    public long contention(Counters counters) {
        return run(contended, counters);
    }

    private long run(Lanes[] programs, Counters counters) {
        long sum = 0;
        for (Lanes program : programs) {
            sum += events.run(program);
            counters.events += events.events();
        }
        return sum;
    }
}
