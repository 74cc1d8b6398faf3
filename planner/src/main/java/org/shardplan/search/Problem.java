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
 * @param mostBytes plans whose worst stage takes more are not wanted, {@code Long.MAX_VALUE} = what the device has
 * @param memoryMargin share of a device's memory that stays free
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
        long mostBytes,
        double memoryMargin,
        int top) {

    /** Whether attention runs as one fused kernel: framework and device both have it. */
    public boolean flashAttention() {
        return framework.kernels().flashAttention() && cluster.device().flashAttention();
    }

    /** Bytes that a plan's worst stage may take. */
    public long capacityBytes() {
        long usable = cluster.device().usableBytes();
        return Math.min(mostBytes, (long) (usable * (1 - memoryMargin)));
    }

    public Problem withCapacity(long bytes) {
        return new Problem(
                graph, workload, cluster, framework, fixed, objective, mostStepSeconds, bytes, memoryMargin, top);
    }
}
