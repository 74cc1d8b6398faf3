package org.shardplan.plan;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.shardplan.cluster.DeviceMesh;
import org.shardplan.graph.Block;
import org.shardplan.graph.OperatorGraph;

/** Expands the short form of a plan to the full one: mesh, placements by {@link ExpertRules}, stages, schedule. */
public final class PlanRules {
    private final OperatorGraph graph;
    private final Map<String, Placement> whole;
    private final Map<String, Placement> split;

    public PlanRules(OperatorGraph graph) {
        this.graph = graph;
        whole = placements(graph, false);
        split = placements(graph, true);
    }

    private static Map<String, Placement> placements(OperatorGraph graph, boolean sequenceParallel) {
        Map<String, Placement> all = new HashMap<>();
        for (Block block : graph.blocks()) {
            ExpertRules.placements(block, sequenceParallel)
                    .forEach((operator, placement) -> all.put(block.name() + "/" + operator, placement));
        }
        return Map.copyOf(all);
    }

    /**
     * The full plan of a legal short form.
     *
     * @param globalBatch sequences a step, a multiple of dp · mb
     * @throws IllegalArgumentException if the batch or the layout does not divide: a mistake of the caller, see {@link Legality}
     */
    public Plan expand(Shorthand plan, long globalBatch) {
        long ranks = (long) plan.dp() * plan.microBatch();
        if (globalBatch < 1 || globalBatch % ranks != 0) {
            throw new IllegalArgumentException(
                    "global batch " + globalBatch + " is not a multiple of dp·mb = " + ranks);
        }
        int micro = Math.toIntExact(globalBatch / ranks);
        return new Plan(
                plan,
                mesh(plan),
                plan.sequenceParallel() ? split : whole,
                Layouts.stages(plan, graph.layers()),
                micro,
                Schedules.of(plan.schedule(), plan.pp(), plan.vpp(), micro));
    }

    /** The devices in the plan's order, outermost first. */
    public static DeviceMesh mesh(Shorthand plan) {
        return switch (plan.order()) {
            case PP_DP_TP -> DeviceMesh.of(List.of("pp", "dp", "tp"), List.of(plan.pp(), plan.dp(), plan.tp()));
            case DP_PP_TP -> DeviceMesh.of(List.of("dp", "pp", "tp"), List.of(plan.dp(), plan.pp(), plan.tp()));
        };
    }
}
