package org.shardplan.plan;

import static org.shardplan.plan.Legality.illegal;

import java.util.List;
import java.util.Optional;
import org.shardplan.plan.Legality.Case;
import org.shardplan.plan.Verdict.Illegal;

/** Rules of recomputation. */
final class RecomputeRules {
    private RecomputeRules() {}

    static Optional<Illegal> selective(Case given) {
        if (given.plan().recompute().mode() != Recompute.Mode.SELECTIVE
                || given.framework().limits().selectiveRecompute()) {
            return Optional.empty();
        }
        return illegal(
                "selective-recompute",
                given.framework().name() + " has no selective recomputation",
                "Maybe recompute=full, or recompute=none.");
    }

    static Optional<Illegal> byStage(Case given) {
        List<Integer> full = given.plan().fullRecomputeByStage();
        int pp = given.plan().pp();
        if (full.isEmpty()) {
            return Optional.empty();
        }
        String text = PlanText.recompute(given.plan().recompute(), full);
        if (full.size() != pp) {
            return illegal(
                    "recompute-stages",
                    "recompute=" + text + " names " + full.size() + " ranks, and pp is " + pp,
                    "Maybe one number for each of the " + pp + " pipeline ranks.");
        }
        int[] held = Layouts.layersByRank(given.plan(), given.layers());
        for (int rank = 0; rank < pp; rank++) {
            if (full.get(rank) > held[rank]) {
                return illegal(
                        "recompute-layers",
                        "recompute=" + text + " recomputes " + full.get(rank) + " layers of pipeline rank " + rank
                                + ", which has " + held[rank],
                        "Maybe " + held[rank] + " for that rank.");
            }
        }
        return Optional.empty();
    }

    static Optional<Illegal> fullLayers(Case given) {
        Recompute recompute = given.plan().recompute();
        int most = PipelineRules.mostLayers(given);
        if (recompute.isFull() || recompute.fullLayers() <= most) {
            return Optional.empty();
        }
        return illegal(
                "recompute-layers",
                "recompute=" + recompute.text() + " recomputes more layers than the " + most
                        + " that a pipeline rank has at most",
                "Maybe recompute=full.");
    }

    /** Megatron's recompute-num-layers counts layers of each virtual stage, one number for all. */
    static Optional<Illegal> sameInEveryChunk(Case given) {
        Shorthand plan = given.plan();
        if (given.framework().limits().recomputeByRank() || plan.recompute().isFull()) {
            return Optional.empty();
        }
        List<Stage> stages = Layouts.stages(plan, given.layers());
        int most = stages.stream().mapToInt(Stage::fullRecomputeLayers).max().orElse(0);
        for (Stage stage : stages) {
            if (stage.fullRecomputeLayers() < Math.min(most, stage.layers())) {
                String text = PlanText.recompute(plan.recompute(), plan.fullRecomputeByStage());
                return illegal(
                        "recompute-uniform",
                        given.framework().name()
                                + " recomputes the same number of layers in every virtual stage, and recompute=" + text
                                + " is " + most + " in some and " + stage.fullRecomputeLayers() + " in others",
                        "Maybe recompute=full:" + most * plan.vpp() + ".");
            }
        }
        return Optional.empty();
    }
}
