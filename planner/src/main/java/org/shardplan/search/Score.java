package org.shardplan.search;

import org.shardplan.plan.Shorthand;

/**
 * A plan with what the sweep says of it.
 *
 * @param plan layout and recomputation filled in
 * @param stepNanos makespan
 * @param peakBytes of the worst rank: reserved and context
 * @param number place in the space, breaks ties
 */
public record Score(Shorthand plan, long stepNanos, long peakBytes, long number) {

    /** What makes two plans of a list distinct: tp, pp, vpp, dp, cp, micro-batch, ZeRO stage, replicas, ep, etp, recomputation mode. */
    String kind() {
        return plan.tp() + "/" + plan.pp() + "/" + plan.vpp() + "/" + plan.dp() + "/" + plan.microBatch() + "/"
                + plan.zero() + "/" + plan.cp() + "/" + plan.replicas() + "/" + plan.ep() + "/" + plan.etp() + "/"
                + plan.recompute().mode() + plan.recompute().isFull();
    }
}
