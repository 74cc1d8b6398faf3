package org.shardplan.job;

import java.util.List;
import java.util.Set;
import org.shardplan.plan.FixedChoices;
import org.shardplan.plan.Legality;
import org.shardplan.plan.MeshOrder;
import org.shardplan.plan.PlanText;
import org.shardplan.plan.Recompute;
import org.shardplan.plan.Shorthand;
import org.shardplan.plan.Verdict;
import org.shardplan.search.Problem;
import org.shardplan.units.UserError;

/** Whether what {@code --fix} pins can be part of any legal plan. */
final class FixedLegality {
    /** Rules that another choice of what is not fixed may satisfy. */
    private static final Set<String> OPEN = Set.of(
            "global-batch",
            "micro-batches",
            "interleaved-micro-batches",
            "layers",
            "layers-even",
            "layout-stages",
            "zero-pipeline",
            "vpp-pp",
            "recompute-layers",
            "sp-tp",
            "schedule");

    private FixedLegality() {}

    static void check(Problem problem, FixedChoices fixed) {
        int tp = fixed.tp().orElse(fixed.sequenceParallel().orElse(false) ? 2 : 1);
        int vpp = fixed.vpp().orElse(1);
        Shorthand plan = new Shorthand(
                tp,
                fixed.pp().orElse(vpp > 1 ? 2 : 1),
                vpp,
                fixed.dp().orElse(1),
                fixed.microBatch().orElse(1),
                fixed.sequenceParallel().orElse(false),
                fixed.zero().orElse(0),
                fixed.recompute().orElse(Recompute.NONE),
                fixed.schedule().orElse(PlanText.defaultSchedule(vpp)),
                fixed.order().orElse(MeshOrder.PP_DP_TP),
                fixed.layout().orElse(List.of()),
                fixed.fullRecomputeByStage().orElse(List.of()));
        Verdict verdict =
                Legality.check(plan, problem.graph(), problem.workload(), problem.cluster(), problem.framework());
        if (verdict instanceof Verdict.Illegal illegal) {
            boolean allFixed = fixed.pp().isPresent()
                    && fixed.dp().isPresent()
                    && fixed.microBatch().isPresent();
            if (allFixed || !OPEN.contains(illegal.rule())) {
                throw new UserError("--fix: " + illegal.why(), illegal.maybe());
            }
        }
    }
}
