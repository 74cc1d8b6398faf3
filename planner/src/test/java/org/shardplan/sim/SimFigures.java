package org.shardplan.sim;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.shardplan.cost.PricedProgram;
import org.shardplan.plan.ScheduleKind;

/** Prints speed (of one core's time) and the gap of closed form to sweep; a main, no test. */
final class SimFigures {
    private static final long NANOS = 1_000_000_000L;

    private final Sweep sweep = new Sweep();
    private final ClosedForm closedForm = new ClosedForm();

    private SimFigures() {}

    public static void main(String[] args) {
        SimFigures figures = new SimFigures();
        for (ScheduleKind kind : ScheduleKind.values()) {
            List<PricedProgram> programs = new ArrayList<>();
            for (int seed = 0; programs.size() < 1000; seed++) {
                PricedProgram program = SomePrograms.realistic(new Random(seed));
                if (program.schedule().kind() == kind) {
                    programs.add(program);
                }
            }
            figures.print(kind, programs);
        }
    }

    private static long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private void print(ScheduleKind kind, List<PricedProgram> programs) {
        double[] gaps = programs.stream()
                .mapToDouble(program -> {
                    long makespan = sweep.run(program);
                    return 100.0 * (makespan - closedForm.bound(program)) / makespan;
                })
                .sorted()
                .toArray();
        List<PricedProgram> some = programs.subList(0, 50);
        double stages = some.stream()
                .mapToInt(program -> program.schedule().stages())
                .average()
                .orElseThrow();
        double bounds = 0;
        double tasks = 0;
        for (int round = 0; round < 3; round++) {
            bounds = boundsPerSecond(some);
            tasks = tasksPerSecond(some);
        }
        System.out.printf(
                "%-11s gap median %.3f %% p99 %.3f %% max %.3f %%; closed form %.2f M plans/s at %.0f virtual stages;"
                        + " sweep %.0f M tasks/s%n",
                kind.text(),
                gaps[gaps.length / 2],
                gaps[gaps.length * 99 / 100],
                Arrays.stream(gaps).max().orElseThrow(),
                bounds / 1e6,
                stages,
                tasks / 1e6);
    }

    private double boundsPerSecond(List<PricedProgram> programs) {
        long start = cpuNanos();
        long done = 0;
        while (cpuNanos() - start < NANOS) {
            for (PricedProgram program : programs) {
                closedForm.bound(program);
                done++;
            }
        }
        return done * 1e9 / (cpuNanos() - start);
    }

    private double tasksPerSecond(List<PricedProgram> programs) {
        long start = cpuNanos();
        long tasks = 0;
        while (cpuNanos() - start < NANOS) {
            for (PricedProgram program : programs) {
                sweep.run(program);
                tasks += sweep.tasks();
            }
        }
        return tasks * 1e9 / (cpuNanos() - start);
    }
}
