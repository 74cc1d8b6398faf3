package org.shardplan.search;

import org.shardplan.cluster.Cluster;
import org.shardplan.graph.OperatorGraph;
import org.shardplan.plan.FixedChoices;
import org.shardplan.workload.Framework;
import org.shardplan.workload.Workload;

/**
 * What is asked of a method.
 *
 * @param fixed choices that are not searched
 * @param objective what to minimise
 * @param mostStepSeconds plans that take longer are not wanted, infinity = any
 * @param capacityBytes that a plan's worst rank may take, context and communicators included
 * @param top how many distinct plans to return
 */
public record Problem(
        OperatorGraph graph,
        Workload workload,
        Cluster cluster,
        Framework framework,
        FixedChoices fixed,
        Objective objective,
        double mostStepSeconds,
        long capacityBytes,
        int top) {

    /** Whether attention runs as one fused kernel: framework and device both have it. */
    public boolean flashAttention() {
        return framework.kernels().flashAttention() && cluster.device().flashAttention();
    }

    public Problem withCapacity(long bytes) {
        return new Problem(graph, workload, cluster, framework, fixed, objective, mostStepSeconds, bytes, top);
    }

    public Problem withCluster(Cluster other) {
        return new Problem(graph, workload, other, framework, fixed, objective, mostStepSeconds, capacityBytes, top);
    }

    public Problem withFixed(FixedChoices other) {
        return new Problem(graph, workload, cluster, framework, other, objective, mostStepSeconds, capacityBytes, top);
    }

    public Problem withStepLimit(double seconds) {
        return new Problem(graph, workload, cluster, framework, fixed, objective, seconds, capacityBytes, top);
    }

    public Problem withTop(int count) {
        return new Problem(
                graph, workload, cluster, framework, fixed, objective, mostStepSeconds, capacityBytes, count);
    }
}
