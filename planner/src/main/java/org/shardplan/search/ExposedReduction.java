package org.shardplan.search;

import org.shardplan.cost.ProgramPricer;
import org.shardplan.plan.MeshOrder;
import org.shardplan.program.GroupPattern;
import org.shardplan.workload.Framework;

/**
 * Lower bounds on the gradient reductions that follow a rank's last slot: none where the framework overlaps them with the backward pass,
 * or reduces with each micro-batch (ZeRO 2 and 3).
 *
 * <p>Whatever a rank does ends in the first rank's last backward slot, and the first rank holds the embedding: its reduction
 * ({@link #leastSeconds}) follows every path. A rank that holds more may still reduce when the first one has done so.
 */
final class ExposedReduction {
    private final boolean exposed;
    private final ProgramPricer pricer;
    private final ShapeCost shape;
    private final int zero;
    private final int pp;
    private final GroupPattern group;

    ExposedReduction(
            Framework framework, ProgramPricer pricer, ShapeCost shape, int pp, int dp, int zero, MeshOrder order) {
        this.pricer = pricer;
        this.shape = shape;
        this.zero = zero;
        this.pp = pp;
        exposed = zero < 2 && dp > 1 && !framework.overlap().gradientReduce();
        group = new GroupPattern(dp, order == MeshOrder.PP_DP_TP ? shape.tp : shape.tp * pp);
    }

    /** After every path of a step. */
    double leastSeconds() {
        return seconds(pp == 1 ? shape.elementsOnOneRank() : shape.embedding.elements());
    }

    /** Beyond {@link #leastSeconds}, after the last slot of a rank with so many layers. */
    double moreSeconds(int layers) {
        return exposed && pp > 1 ? Math.max(0, seconds(layers * shape.layer.elements()) - leastSeconds()) : 0;
    }

    /** Beyond {@link #leastSeconds}, after the last slot of the first rank. */
    double moreOfFirstSeconds(int layers) {
        long elements = layers * shape.layer.elements() + shape.embedding.elements();
        return exposed && pp > 1 ? seconds(elements) - leastSeconds() : 0;
    }

    private double seconds(long elements) {
        return exposed ? pricer.residual() * pricer.data().reduceSeconds(elements, zero, group) : 0;
    }
}
