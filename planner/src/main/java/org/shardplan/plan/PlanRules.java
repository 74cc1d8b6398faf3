package org.shardplan.plan;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.shardplan.cluster.DeviceMesh;
import org.shardplan.graph.Block;
import org.shardplan.graph.OperatorGraph;

/** Expands the short form of a plan to the full one: mesh, placements by {@link ExpertRules}, stages, schedule. */
public final class PlanRules {
    private final OperatorGraph graph;
    private final Map<View, Map<String, Placement>> placements = new ConcurrentHashMap<>();

    private record View(boolean sequenceParallel, ExpertMesh experts) {}

    public PlanRules(OperatorGraph graph) {
        this.graph = graph;
    }

    private Map<String, Placement> placements(View view) {
        Map<String, Placement> all = new HashMap<>();
        for (Block block : graph.blocks()) {
            ExpertRules.placements(block, view.sequenceParallel, view.experts)
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
                placements.computeIfAbsent(new View(plan.sequenceParallel(), sameSplit(plan)), this::placements),
                Layouts.stages(plan, graph.layers()),
                micro,
                Schedules.of(plan.schedule(), plan.pp(), plan.vpp(), micro));
    }

    /** Placements name dimensions, not sizes: all views with the same dimensions share theirs. */
    private static ExpertMesh sameSplit(Shorthand plan) {
        ExpertMesh experts = plan.experts();
        return new ExpertMesh(Math.min(2, experts.dataRanks()), experts.onTensor());
    }

    /** The devices in the plan's order, outermost first; data ranks as two factors where experts are shared out over the inner one. */
    public static DeviceMesh mesh(Shorthand plan) {
        int inner = plan.experts().dataRanks();
        if (inner > 1) {
            return DeviceMesh.of(
                    List.of("pp", "edp", "ep", "tp"), List.of(plan.pp(), plan.dp() / inner, inner, plan.tp()));
        }
        return switch (plan.order()) {
            case PP_DP_TP -> DeviceMesh.of(List.of("pp", "dp", "tp"), List.of(plan.pp(), plan.dp(), plan.tp()));
            case DP_PP_TP -> DeviceMesh.of(List.of("dp", "pp", "tp"), List.of(plan.dp(), plan.pp(), plan.tp()));
        };
    }
}
