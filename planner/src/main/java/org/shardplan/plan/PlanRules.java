package org.shardplan.plan;

import java.util.ArrayList;
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

    private record View(boolean sequenceParallel, ContextParallel context, ExpertMesh experts) {}

    public PlanRules(OperatorGraph graph) {
        this.graph = graph;
    }

    private Map<String, Placement> placements(View view) {
        Map<String, Placement> all = new HashMap<>();
        for (Block block : graph.blocks()) {
            ExpertRules.placements(block, view.sequenceParallel, view.context, view.experts)
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
                placements.computeIfAbsent(sameSplit(plan), this::placements),
                Layouts.stages(plan, graph.layers()),
                micro,
                Schedules.of(plan.schedule(), plan.pp(), plan.vpp(), micro));
    }

    /** Placements name dimensions, not sizes: all views with the same dimensions share theirs. */
    private static View sameSplit(Shorthand plan) {
        ExpertMesh experts = plan.experts();
        ExpertMesh same = new ExpertMesh(
                Math.min(2, experts.dataRanks()), Math.min(2, experts.contextRanks()), experts.onTensor());
        ContextParallel context =
                new ContextParallel(Math.min(2, plan.cp()), plan.context().type());
        return new View(plan.sequenceParallel(), context, same);
    }

    /**
     * The devices in the plan's order, outermost first: context ranks beside tensor ranks, then data ranks; either as two factors where experts
     * are shared out over the inner one.
     */
    public static DeviceMesh mesh(Shorthand plan) {
        ExpertMesh experts = plan.experts();
        List<String> names = new ArrayList<>();
        List<Integer> sizes = new ArrayList<>();
        if (plan.order() == MeshOrder.PP_DP_TP) {
            names.add("pp");
            sizes.add(plan.pp());
        }
        split(names, sizes, "dp", "ep", plan.dp(), experts.dataRanks());
        if (plan.order() == MeshOrder.DP_PP_TP) {
            names.add("pp");
            sizes.add(plan.pp());
        }
        if (plan.cp() > 1) {
            split(names, sizes, "cp", "epc", plan.cp(), experts.contextRanks());
        }
        names.add("tp");
        sizes.add(plan.tp());
        return DeviceMesh.of(names, sizes);
    }

    /** One factor, or two where experts are shared out over the inner one. */
    private static void split(
            List<String> names, List<Integer> sizes, String dim, String innerDim, int ranks, int inner) {
        names.add(inner > 1 ? "e" + dim : dim);
        sizes.add(ranks / inner);
        if (inner > 1) {
            names.add(innerDim);
            sizes.add(inner);
        }
    }
}
