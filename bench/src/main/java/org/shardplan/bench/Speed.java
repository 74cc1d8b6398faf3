package org.shardplan.bench;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;
import org.shardplan.cluster.Disturbances;
import org.shardplan.cluster.Disturbances.Straggler;
import org.shardplan.cost.PricedProgram;
import org.shardplan.search.SearchResult;
import org.shardplan.search.SearchStatistics;
import org.shardplan.sim.Events;
import org.shardplan.sim.Lanes;
import org.shardplan.sim.Sweep;

/**
 * Prints how fast the parts of a search are beside what was asked for, as ratios. Rates are of one core's own time, so that other work on
 * the machine does not count; wall times are what they are.
 */
public final class Speed {
    private static final long MEASURED_NANOS = 1_000_000_000L;
    private static final int ROUNDS = 4;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private Speed() {}

    /** Runs it: {@code rates} alone, or with {@code search} too. */
    public static void main(String[] args) {
        System.out.printf("%-56s %14s %14s %8s%n", "", "measured", "wanted", "ratio");
        ClosedFormBench closedForm = new ClosedFormBench();
        String stages = "closed form, priced, %.0f virtual stages, plans/s/core".formatted(closedForm.stages());
        rate(stages, closedForm::priced, ClosedFormBench.PLANS, 1e6);
        rate("closed form of a candidate (like stages), plans/s/core", closedForm::uniform, ClosedFormBench.PLANS, 1e6);
        sweep();
        events("one straggler", false);
        events("one straggler, links shared", true);
        if (args.length == 0 || !args[0].equals("rates")) {
            search();
        }
    }

    /** One measure at least {@link #MEASURED_NANOS} long, the last of several, the others warm up. */
    private static void rate(String name, LongSupplier work, double operations, double wanted) {
        double perSecond = 0;
        double bytes = 0;
        long sum = 0;
        for (int round = 0; round < ROUNDS; round++) {
            long runs = 0;
            long allocated = THREADS.getCurrentThreadAllocatedBytes();
            long start = THREADS.getCurrentThreadCpuTime();
            long nanos = 0;
            while (nanos < MEASURED_NANOS) {
                for (int i = 0; i < 16; i++) {
                    sum += work.getAsLong();
                }
                runs += 16;
                nanos = THREADS.getCurrentThreadCpuTime() - start;
            }
            // the clock itself allocates nothing; a byte now and then is the compiler's
            bytes = (THREADS.getCurrentThreadAllocatedBytes() - allocated) / (runs * operations);
            perSecond = runs * operations * 1e9 / nanos;
        }
        line(name, perSecond, wanted, perSecond / wanted);
        if (wanted == 1e6) {
            System.out.printf(Locale.ROOT, "%-56s %14.3f %14d%n", "  bytes allocated a plan", bytes, 0);
        }
        if (sum == 0) {
            System.out.println("  (nothing was computed)");
        }
    }

    private static void sweep() {
        Sweep sweep = new Sweep();
        PricedProgram[] programs = SamplePlans.priced(64);
        long tasks = 0;
        for (PricedProgram program : programs) {
            sweep.run(program);
            tasks += sweep.tasks();
        }
        LongSupplier all = () -> {
            long sum = 0;
            for (PricedProgram program : programs) {
                sum += sweep.run(program);
            }
            return sum;
        };
        rate("sweep, tasks/s/core", all, tasks, 20e6);
    }

    private static void events(String what, boolean contention) {
        Events events = new Events();
        Disturbances one = new Disturbances(List.of(new Straggler(137, 1, "", 0.2)), 0, 0, contention);
        Lanes[] programs = SamplePlans.lanes(16, one);
        long ended = 0;
        for (Lanes program : programs) {
            events.run(program);
            ended += events.events();
        }
        LongSupplier all = () -> {
            long sum = 0;
            for (Lanes program : programs) {
                sum += events.run(program);
            }
            return sum;
        };
        rate("events, " + what + ", events/s/core", all, ended, 5e6);
    }

    /** In this JVM, which is warm from what ran before but has not searched yet. */
    private static void search() {
        for (String when : new String[] {"first", "second"}) {
            SearchResult result = new SearchBench().search();
            SearchStatistics statistics = result.statistics();
            double wall = statistics.wallSeconds();
            line("P1, " + when + " search of this JVM, s", wall, 0.5, 0.5 / wall);
            if (when.equals("second")) {
                line("P1, legal tuples", statistics.space(), 1e6, statistics.space() / 1e6);
                System.out.printf("%-56s %14s %14s%n", "P1, proven optimal", statistics.optimal(), true);
            }
        }
    }

    private static void line(String name, double measured, double wanted, double ratio) {
        String format = measured < 1000 ? "%-56s %14.3f %14.1f %8.1f%n" : "%-56s %,14.0f %,14.0f %8.1f%n";
        System.out.printf(Locale.ROOT, format, name, measured, wanted, ratio);
    }
}
