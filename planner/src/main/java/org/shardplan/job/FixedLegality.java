package org.shardplan.job;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import org.shardplan.plan.ContextParallel;
import org.shardplan.plan.ExpertMesh;
import org.shardplan.plan.FixedChoices;
import org.shardplan.plan.Legality;
import org.shardplan.plan.MeshOrder;
import org.shardplan.plan.PlanText;
import org.shardplan.plan.Recompute;
import org.shardplan.plan.ScheduleKind;
import org.shardplan.plan.Shorthand;
import org.shardplan.plan.Verdict;
import org.shardplan.search.Problem;
import org.shardplan.units.UserError;

/**
 * Whether what {@code --fix} pins can be part of any legal plan. What is not pinned takes the value that breaks no rule if any
 * does: one data rank, one sequence a micro-batch, no sp, no ZeRO, nothing recomputed, one chunk. Degrees that what is pinned
 * asks for (sp needs tp, vpp needs pp, a layout names its stages) are tried in turn.
 */
final class FixedLegality {
    private FixedLegality() {}

    /** @throws UserError where no legal plan keeps to it: the rule that the first try breaks, with its values */
    static void check(Problem problem) {
        FixedChoices fixed = problem.fixed();
        if (!fixed.fullRecomputeByStage().orElse(List.of()).isEmpty()) {
            throw new UserError(
                    "--fix: recompute names layers by rank, and which rank holds how many is what is searched",
                    "Maybe recompute=full:4, the same for all ranks; or shardplan simulate with the whole plan");
        }
        Verdict first = Verdict.OK;
        for (int tp : tensorRanks(problem)) {
            for (int pp : pipelineRanks(problem)) {
                for (int vpp : chunks(fixed, pp, problem.graph().layers())) {
                    Verdict verdict = verdict(problem, tp, pp, vpp);
                    if (verdict instanceof Verdict.Fits) {
                        return;
                    }
                    first = first instanceof Verdict.Fits ? verdict : first;
                }
            }
        }
        if (first instanceof Verdict.Illegal illegal) {
            throw new UserError(
                    fixed.equals(FixedChoices.NONE) ? illegal.why() : "--fix: " + illegal.why(), illegal.maybe());
        }
    }

    private static Verdict verdict(Problem problem, int tp, int pp, int vpp) {
        FixedChoices fixed = problem.fixed();
        int ep = fixed.ep().orElse(1);
        int etp = fixed.etp().orElse(ep % tp == 0 ? 1 : tp);
        int cp = fixed.cp().orElse(1);
        int replicas = fixed.replicas().orElse(1);
        ExpertMesh experts = ExpertMesh.of(tp, cp, ep, etp);
        int least = experts.dataRanks() * replicas / divisor(cp / experts.contextRanks(), replicas);
        Shorthand plan = new Shorthand(
                tp,
                pp,
                vpp,
                fixed.dp().orElse(least),
                fixed.microBatch().orElse(1),
                fixed.sequenceParallel().orElse(ep > 1 && tp > 1),
                fixed.zero().orElse(replicas > 1 ? 1 : 0),
                fixed.recompute().orElse(Recompute.NONE),
                fixed.schedule().orElse(PlanText.defaultSchedule(vpp)),
                fixed.order().orElse(MeshOrder.PP_DP_TP),
                fixed.layout().orElse(List.of()),
                List.of(),
                ep,
                etp,
                new ContextParallel(cp, type(problem)),
                replicas);
        return Legality.check(plan, problem.graph(), problem.workload(), problem.cluster(), problem.framework());
    }

    /** As pinned, else the framework's usual one. */
    private static ContextParallel.Type type(Problem problem) {
        return problem.fixed()
                .contextType()
                .or(() -> problem.framework().sharding().contextTypes().stream()
                        .findFirst()
                        .flatMap(ContextParallel.Type::of))
                .orElse(ContextParallel.Type.RING);
    }

    private static int divisor(int left, int right) {
        return right == 0 ? left : divisor(right, left % right);
    }

    private static List<Integer> tensorRanks(Problem problem) {
        FixedChoices fixed = problem.fixed();
        if (fixed.tp().isPresent()) {
            return List.of(fixed.tp().getAsInt());
        }
        boolean needed = fixed.sequenceParallel().orElse(false);
        return needed
                ? IntStream.rangeClosed(2, Math.max(2, problem.cluster().devices()))
                        .boxed()
                        .toList()
                : List.of(1);
    }

    /** Those that can go with the chunks, the layout and the ranks that are pinned; the likeliest first. */
    private static List<Integer> pipelineRanks(Problem problem) {
        FixedChoices fixed = problem.fixed();
        if (fixed.pp().isPresent()) {
            return List.of(fixed.pp().getAsInt());
        }
        boolean interleaved = fixed.vpp().orElse(1) > 1 || fixed.schedule().orElse(null) == ScheduleKind.INTERLEAVED;
        int stages = fixed.layout().map(List::size).orElse(0);
        if (stages > 0) {
            List<Integer> degrees = new ArrayList<>();
            for (int chunks = fixed.vpp().orElse(1); chunks <= stages; chunks++) {
                if (stages % chunks == 0) {
                    degrees.add(stages / chunks);
                }
            }
            return degrees.isEmpty() ? List.of(1) : degrees;
        }
        int most = Math.min(problem.cluster().devices(), problem.graph().layers() + 2);
        return interleaved ? IntStream.rangeClosed(2, Math.max(2, most)).boxed().toList() : List.of(1);
    }

    private static List<Integer> chunks(FixedChoices fixed, int pp, int layers) {
        OptionalInt pinned = fixed.vpp();
        if (pinned.isPresent()) {
            return List.of(pinned.getAsInt());
        }
        int stages = fixed.layout().map(List::size).orElse(0);
        if (stages > 0) {
            return List.of(Math.max(1, stages / pp));
        }
        return fixed.schedule().orElse(null) == ScheduleKind.INTERLEAVED
                ? IntStream.rangeClosed(2, Math.max(2, (layers + 2) / pp))
                        .boxed()
                        .toList()
                : List.of(1);
    }
}
