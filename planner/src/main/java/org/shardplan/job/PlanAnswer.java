package org.shardplan.job;

import org.jspecify.annotations.Nullable;
import org.shardplan.cluster.Cluster;
import org.shardplan.plan.Plan;
import org.shardplan.search.PlanningResult;
import org.shardplan.workload.Framework;
import org.shardplan.workload.Workload;

/**
 * The answer of a use case that plans: what to report, and what a {@code plan.json} of the best plan needs.
 *
 * @param result for reports
 * @param model read
 * @param cluster read
 * @param workload chosen
 * @param framework chosen
 * @param best the best plan in full; null where there is none to write
 */
public record PlanAnswer(
        PlanningResult result,
        ModelSource.Found model,
        Cluster cluster,
        Workload workload,
        Framework framework,
        @Nullable Plan best) {}
