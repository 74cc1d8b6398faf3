package org.shardplan.bench;

import java.lang.management.ManagementFactory;
import java.util.Locale;
import org.shardplan.cluster.Cluster;
import org.shardplan.form.ClusterCatalog;
import org.shardplan.form.FrameworkCatalog;
import org.shardplan.form.ModelCatalog;
import org.shardplan.graph.DataType;
import org.shardplan.graph.TransformerGraph;
import org.shardplan.graph.TransformerSizes;
import org.shardplan.plan.FixedChoices;
import org.shardplan.search.Budget;
import org.shardplan.search.Hybrid;
import org.shardplan.search.Objective;
import org.shardplan.search.Problem;
import org.shardplan.search.SearchObserver;
import org.shardplan.search.SearchStatistics;
import org.shardplan.workload.Framework;
import org.shardplan.workload.Workload;

/** Prints what a search costs by the number of devices, 64 to 131,072: one thread, its own time, in a JVM that is warm. */
public final class Scale {
    private static final int BATCH = 2048;
    private static final int NODE = 8;

    private Scale() {}

    /** Runs it on the model that is named, Llama-3 70B without one. */
    public static void main(String[] args) {
        String model = args.length == 0 ? "llama3-70b" : args[0];
        search(model, NODE);
        System.out.printf("%s, batch %d%n%10s %14s %10s %12s%n", model, BATCH, "devices", "space", "scored", "cpu s");
        for (int devices = 64; devices <= 131_072; devices *= 2) {
            long before = cpuNanos();
            SearchStatistics found = search(model, devices / NODE);
            System.out.printf(
                    Locale.ROOT,
                    "%,10d %,14d %,10d %12.2f%n",
                    devices,
                    found.space(),
                    found.evaluated(),
                    (cpuNanos() - before) / 1e9);
        }
    }

    /** Of all threads, the compiler's too. */
    private static long cpuNanos() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }

    private static SearchStatistics search(String model, int nodes) {
        TransformerSizes sizes = ModelCatalog.find(model).sizes();
        Cluster cluster = ClusterCatalog.resolve("dgx-h100:" + nodes);
        Framework framework = FrameworkCatalog.get(FrameworkCatalog.DEFAULT);
        Problem problem = new Problem(
                TransformerGraph.build(sizes, sizes.seqLen(), framework.limits().vocabMultiple()),
                new Workload(BATCH, sizes.seqLen(), DataType.BF16, Workload.Optimizer.ADAM),
                cluster,
                framework,
                FixedChoices.NONE,
                Objective.TIME,
                Double.POSITIVE_INFINITY,
                (long) (cluster.device().usableBytes() * 0.95),
                10);
        return new Hybrid(1)
                .search(problem, SamplePlans.evaluation(problem), Budget.USUAL, SearchObserver.NONE)
                .statistics();
    }
}
