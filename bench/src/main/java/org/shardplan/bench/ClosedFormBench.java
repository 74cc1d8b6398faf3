package org.shardplan.bench;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.shardplan.cost.PricedProgram;
import org.shardplan.plan.ScheduleKind;
import org.shardplan.sim.ClosedForm;
import org.shardplan.sim.UniformStages;

/** Closed-form bounds of plans of P1, one thread. {@code -prof gc} adds the bytes that each allocates. */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class ClosedFormBench {
    static final int PLANS = 256;

    private final ClosedForm closedForm = new ClosedForm();
    private final PricedProgram[] programs = SamplePlans.priced(PLANS);
    private final UniformStages[] uniform = new UniformStages[PLANS];

    public ClosedFormBench() {
        for (int i = 0; i < PLANS; i++) {
            uniform[i] = uniform(programs[i]);
        }
    }

    /** Of priced programs: any stages. */
    @Benchmark
    @OperationsPerInvocation(PLANS)
    public long priced() {
        long sum = 0;
        for (PricedProgram program : programs) {
            sum += closedForm.bound(program);
        }
        return sum;
    }

    /** Of like stages: what candidates are scanned with. */
    @Benchmark
    @OperationsPerInvocation(PLANS)
    public long uniform() {
        long sum = 0;
        for (int i = 0; i < PLANS; i++) {
            PricedProgram program = programs[i];
            ScheduleKind kind = program.schedule().kind();
            int pp = program.schedule().ranks();
            int vpp = program.schedule().stages() / pp;
            if (kind != null) {
                sum += uniform[i].bound(kind, pp, vpp, program.schedule().microBatches());
            }
        }
        return sum;
    }

    /** Virtual stages of an average plan. */
    double stages() {
        double sum = 0;
        for (PricedProgram program : programs) {
            sum += program.schedule().stages();
        }
        return sum / PLANS;
    }

    private static UniformStages uniform(PricedProgram program) {
        int last = program.schedule().stages() - 1;
        int middle = last / 2;
        long forward = program.forward()[middle];
        long backward = program.backward()[middle];
        return new UniformStages(
                forward,
                backward,
                Math.max(0, program.forward()[0] - forward),
                Math.max(0, program.backward()[0] - backward),
                Math.max(0, program.forward()[last] - forward),
                Math.max(0, program.backward()[last] - backward),
                program.sendForward()[0],
                program.sendForward()[0],
                program.sendsBlock(),
                program.optimizerTail()[0]);
    }
}
