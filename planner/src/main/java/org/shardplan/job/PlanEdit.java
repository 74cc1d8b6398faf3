package org.shardplan.job;

import java.util.List;
import org.shardplan.plan.ContextParallel;
import org.shardplan.plan.PlanText;
import org.shardplan.plan.Recompute;
import org.shardplan.plan.ScheduleKind;
import org.shardplan.plan.Shorthand;

/**
 * Changes some choices of a plan. What hangs on another choice follows: sp ends with tp, vpp with pp, and a layout and
 * recomputation by rank hold only for the stages they were made for.
 */
final class PlanEdit {
    private final Shorthand plan;
    private int tp;
    private int pp;
    private int vpp;
    private int dp;
    private int microBatch;
    private boolean sequenceParallel;
    private int zero;
    private Recompute recompute;
    private ContextParallel context;
    private int replicas;
    private boolean samePolicy = true;

    PlanEdit(Shorthand plan) {
        this.plan = plan;
        tp = plan.tp();
        pp = plan.pp();
        vpp = plan.vpp();
        dp = plan.dp();
        microBatch = plan.microBatch();
        sequenceParallel = plan.sequenceParallel();
        zero = plan.zero();
        recompute = plan.recompute();
        context = plan.context();
        replicas = plan.replicas();
    }

    /** Context ranks; dp follows, so that the devices stay. */
    PlanEdit cp(int degree) {
        dp = dp * context.ranks() / degree;
        context = new ContextParallel(degree, context.type());
        return this;
    }

    PlanEdit contextType(ContextParallel.Type type) {
        context = new ContextParallel(context.ranks(), type);
        return this;
    }

    PlanEdit replicas(int groups) {
        replicas = groups;
        return this;
    }

    /** Tensor ranks; dp follows, so that the devices stay. */
    PlanEdit tp(int degree) {
        dp = dp * tp / degree;
        tp = degree;
        return this;
    }

    /** Pipeline ranks; dp follows, so that the devices stay. */
    PlanEdit pp(int degree) {
        dp = dp * pp / degree;
        pp = degree;
        return this;
    }

    PlanEdit vpp(int chunks) {
        vpp = chunks;
        return this;
    }

    PlanEdit microBatch(int sequences) {
        microBatch = sequences;
        return this;
    }

    PlanEdit sequenceParallel(boolean on) {
        sequenceParallel = on;
        return this;
    }

    PlanEdit zero(int stage) {
        zero = stage;
        return this;
    }

    /** For all ranks alike. */
    PlanEdit recompute(Recompute policy) {
        recompute = policy;
        samePolicy = false;
        return this;
    }

    /** The plan, legal or not. */
    Shorthand done() {
        int chunks = pp == 1 ? 1 : vpp;
        boolean sameStages = pp == plan.pp() && chunks == plan.vpp();
        ScheduleKind schedule = chunks == plan.vpp() ? plan.schedule() : PlanText.defaultSchedule(chunks);
        return new Shorthand(
                tp,
                pp,
                chunks,
                dp,
                microBatch,
                sequenceParallel && tp > 1,
                zero,
                recompute,
                schedule,
                plan.order(),
                sameStages ? plan.layout() : List.of(),
                sameStages && samePolicy ? plan.fullRecomputeByStage() : List.of(),
                plan.ep(),
                plan.etp() == plan.tp() ? tp : plan.etp(),
                context,
                replicas);
    }
}
