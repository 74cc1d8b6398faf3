package org.shardplan.search;

import org.shardplan.cost.DataGroups;
import org.shardplan.cost.ProgramPricer;
import org.shardplan.plan.ExpertMesh;
import org.shardplan.plan.MeshOrder;
import org.shardplan.workload.Framework;

/**
 * Lower bounds on what data parallelism adds at both ends of a step: parameters gathered before the first slot, gradients reduced after
 * the last one, or beside the last backward slots, which that slows. From ZeRO 2 on reductions belong to each micro-batch.
 *
 * <p>Whatever a rank does begins behind the first rank's first forward slot and ends in its last backward slot, and the first rank holds
 * the embedding: its gather and its reduction ({@link #leastSeconds}) are on every path. A rank that holds more may still reduce when the
 * first one has done so.
 */
final class StepEnds {
    private final boolean exposed;
    private final boolean overlapped;
    private final ProgramPricer pricer;
    private final ShapeCost shape;
    private final int zero;
    private final int pp;
    private final DataGroups groups;
    private final double interference;
    private final double gatherSeconds;
    private final double afterSeconds;
    private final double layerSeconds;
    private final double endsSeconds;
    /** Of the embedding's gradient, where it is reduced after or beside the first rank's last backward slot. */
    private final double embeddingSeconds;

    StepEnds(
            Framework framework,
            ProgramPricer pricer,
            ShapeCost shape,
            int pp,
            int dp,
            int zero,
            MeshOrder order,
            int replicas) {
        this.pricer = pricer;
        this.shape = shape;
        this.zero = zero;
        this.pp = pp;
        int ranks = dp * shape.cp();
        boolean once = zero < 2 && ranks > 1;
        Framework.Overlap overlap = framework.overlap();
        exposed = once && !overlap.gradientReduce();
        overlapped = once && overlap.gradientReduce();
        interference = overlap.interference();
        int near = order == MeshOrder.PP_DP_TP ? shape.tp : shape.tp * pp;
        groups = DataGroups.of(ranks, near, ExpertMesh.NONE, replicas);
        boolean gathers = zero == 1 || zero == 2;
        gatherSeconds = gathers ? gatherSeconds(overlap.parameterGather()) : 0;
        int stride = order == MeshOrder.PP_DP_TP ? shape.tp * ranks : shape.tp;
        double tied = pp > 1 ? known(pricer.tiedSeconds(shape.sharedElements(), (pp - 1) * stride)) : 0;
        afterSeconds = reduceSeconds(pp == 1 && exposed ? denseOnOneRank() : shape.embedding.elements()) + tied;
        embeddingSeconds = reduceSeconds(shape.embedding.elements());
        layerSeconds = slowerSeconds(shape.leastDenseElements, shape.backwardSeconds);
        endsSeconds = slowerSeconds(shape.embedding.elements(), pricer.residual() * shape.embedding.backwardSeconds())
                + slowerSeconds(shape.head.elements(), pricer.residual() * shape.head.backwardSeconds());
    }

    /** Before and after every path of a step. */
    double leastSeconds() {
        return gatherSeconds + afterSeconds;
    }

    /** Beyond {@link #leastSeconds}, after the last slot of a rank with so many layers. */
    double moreSeconds(int layers) {
        return exposed && pp > 1 ? Math.max(0, reduceSeconds(layers * shape.leastDenseElements) - afterSeconds) : 0;
    }

    /** Beyond {@link #leastSeconds}, after the last slot of the first rank. */
    double moreOfFirstSeconds(int layers) {
        long embedding = shape.embedding.elements();
        return exposed && pp > 1
                ? reduceSeconds(layers * shape.leastDenseElements + embedding) - reduceSeconds(embedding)
                : 0;
    }

    /** Of the embedding's parameters before the first slot, where the others are gathered beside slots; else of all after the optimizer. */
    private double gatherSeconds(boolean beside) {
        long all = pp == 1 ? denseOnOneRank() : shape.denseElements() / pp;
        double ofAll = known(pricer.data().gatherSeconds(all, groups.dense()));
        if (!beside) {
            return ofAll;
        }
        double first = known(pricer.data().gatherSeconds(shape.embedding.elements(), groups.dense()));
        return first + (pp == 1 ? interference * Math.max(0, ofAll - first) : 0);
    }

    /**
     * By how much reductions beside them slow a rank's last backward slots. Of the first rank's very last slot, in which the embedding's
     * gradient is made, only what is more than that one's reduction, which begins before the slot has ended for its slowness.
     *
     * @param layers of the rank, {@code lastLayers} of them at the most in its last slot
     */
    double slowerSeconds(int rank, int layers, int lastLayers) {
        return rank > 0
                ? layers * layerSeconds
                : (layers - lastLayers) * layerSeconds + Math.max(0, lastLayers * layerSeconds - embeddingSeconds);
    }

    /** Likewise on a rank with an average share of all blocks. */
    double averageSlowerSeconds() {
        return Math.max(0, (shape.layers * layerSeconds + endsSeconds) / pp - embeddingSeconds);
    }

    /** Experts are left out: fewer ranks hold them. */
    private long denseOnOneRank() {
        return shape.denseElements() - shape.sharedElements();
    }

    private double slowerSeconds(long elements, double backwardSeconds) {
        return overlapped ? interference * Math.min(backwardSeconds, reduceSeconds(elements)) : 0;
    }

    private double reduceSeconds(long elements) {
        return exposed || overlapped ? known(pricer.data().reduceSeconds(elements, 0, zero, groups)) : 0;
    }

    /** With the residual factor; 0 where no time is known, which pricing refuses. */
    private double known(double seconds) {
        return Double.isNaN(seconds) ? 0 : pricer.residual() * seconds;
    }
}
