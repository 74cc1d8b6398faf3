package org.shardplan.plan;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.shardplan.cluster.DeviceMesh;
import org.shardplan.graph.Block;
import org.shardplan.graph.OperatorGraph;

/**
 * Expands the short form into the full plan: the mesh in the plan's order, placements by {@link ExpertRules}, stages by {@link
 * Layouts}, the schedule by {@link Schedules}.
 */
public final class PlanRules {
    private PlanRules() {}

    /**
     * The full plan.
     *
     * @param plan legal for the graph and the batch, see {@link Legality}
     * @param globalBatch sequences a step
     * @throws IllegalArgumentException if the batch or the layout does not divide: a mistake of the caller
     */
    public static Plan expand(Shorthand plan, OperatorGraph graph, int globalBatch) {
        int ranks = Math.multiplyExact(plan.dp(), plan.microBatch());
        if (globalBatch < 1 || globalBatch % ranks != 0) {
            throw new IllegalArgumentException(
                    "global batch " + globalBatch + " is not a multiple of dp·mb = " + ranks);
        }
        int microBatches = globalBatch / ranks;
        return new Plan(
                plan,
                mesh(plan),
                placements(graph, plan.sequenceParallel()),
                Layouts.stages(plan, graph.layers()),
                microBatches,
                Schedules.of(plan.schedule(), plan.pp(), plan.vpp(), microBatches));
    }

    /** The mesh that a plan uses; dimensions of size 1 are kept, so that every plan names pp, dp and tp. */
    public static DeviceMesh mesh(Shorthand plan) {
        return switch (plan.order()) {
            case PP_DP_TP -> DeviceMesh.of(List.of("pp", "dp", "tp"), List.of(plan.pp(), plan.dp(), plan.tp()));
            case DP_PP_TP -> DeviceMesh.of(List.of("dp", "pp", "tp"), List.of(plan.dp(), plan.pp(), plan.tp()));
        };
    }

    private static Map<String, Placement> placements(OperatorGraph graph, boolean sequenceParallel) {
        Map<String, Placement> all = new HashMap<>();
        for (Block block : graph.blocks()) {
            ExpertRules.placements(block, sequenceParallel)
                    .forEach((operator, placement) -> all.put(block.name() + "/" + operator, placement));
        }
        return all;
    }
}
