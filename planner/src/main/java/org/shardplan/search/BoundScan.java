package org.shardplan.search;

import java.util.ArrayList;
import java.util.List;
import org.shardplan.cost.ProgramPricer;
import org.shardplan.plan.MeshOrder;
import org.shardplan.plan.Recompute;
import org.shardplan.plan.ScheduleKind;
import org.shardplan.plan.Schedules;
import org.shardplan.program.GroupPattern;
import org.shardplan.workload.Framework;

/**
 * Lists the tuples of one shape whose lower bound lies in an interval. Whole prefixes are passed over: a shape when all devices together
 * could not do its work in time, a pipeline degree when its ranks could not.
 *
 * <p>Bounds of a tuple, in seconds, with t a layer's forward and backward pass, m micro-batches, p ranks of v chunks, L = q·p + r
 * layers: the average rank's work; a rank with q + 1 layers; and where r = 0 and none has more than q, the last rank's work behind the first
 * micro-batch's way through the others. Plus the optimizer step of the average rank.
 */
final class BoundScan {
    /** A tuple that may be good, and the bound that says so. */
    record Promise(Tuple tuple, double boundSeconds, double tailSeconds) {}

    private final Problem problem;
    private final SearchSpace space;
    private final ProgramPricer pricer;
    private final ShapeCost shape;
    private final int shapeIndex;
    private final Recompute recompute;
    private final double layerSeconds;
    private final double totalSeconds;
    private final Framework framework;

    BoundScan(
            Problem problem,
            SearchSpace space,
            ProgramPricer pricer,
            ShapeCost shape,
            int shapeIndex,
            Recompute recompute) {
        this.problem = problem;
        this.space = space;
        this.pricer = pricer;
        this.shape = shape;
        this.shapeIndex = shapeIndex;
        this.recompute = recompute;
        this.framework = problem.framework();
        layerSeconds = recompute.isFull() ? shape.fullLayerSeconds() : shape.layerSeconds(recompute.mode());
        totalSeconds = shape.layers * layerSeconds + shape.embeddingSeconds + shape.headSeconds;
    }

    /** No plan of this shape can be faster: all devices at work without a pause. */
    double prefixBound() {
        return (double) space.globalBatch / shape.microBatch * totalSeconds * shape.tp / space.devices;
    }

    /** No tuple's bound is above this: one rank does all, or all but one idle. */
    double ceiling() {
        double micro = (double) space.globalBatch / shape.microBatch;
        double host = micro * (shape.layers + 2) * framework.host().microBatchSeconds() * pricer.residual();
        double tail = tailBound(1, 1, 0, MeshOrder.PP_DP_TP) + framework.host().stepSeconds();
        double reduce = pricer.data()
                .reduceSeconds(shape.elements(), 0, new GroupPattern(space.devices, 1));
        return micro * 2 * (totalSeconds + layerSeconds) + host + tail + 2 * reduce * pricer.residual() + 1;
    }

    /** Tuples with {@code from < bound <= to}. */
    List<Promise> between(double from, double to) {
        List<Promise> promises = new ArrayList<>();
        if (prefixBound() > to) {
            return promises;
        }
        int[] ranks = space.dataRanks(shape.microBatch);
        for (int pp : space.pipelines(shape.tp)) {
            for (int dp : ranks) {
                if ((long) shape.tp * pp * dp > space.devices) {
                    break;
                }
                int micro = (int) (space.globalBatch / shape.microBatch / dp);
                if (micro * totalSeconds / pp <= to) {
                    schedules(pp, dp, micro, from, to, promises);
                }
            }
        }
        return promises;
    }

    private void schedules(int pp, int dp, int micro, double from, double to, List<Promise> promises) {
        for (int vpp : space.chunks(pp, micro)) {
            double bound = workBound(pp, vpp, micro);
            if (bound > to) {
                continue;
            }
            for (ScheduleKind kind : space.schedules(pp, vpp)) {
                int[] zeros = space.zeros(pp, dp);
                for (int zero : zeros) {
                    for (MeshOrder order : space.orders(pp, dp)) {
                        double tail = tailBound(pp, dp, zero, order);
                        boolean inside = bound + tail > from && bound + tail <= to;
                        if (inside && fitsMemory(pp, vpp, dp, micro, kind, zero)) {
                            int choice = (kind.ordinal() * 4 + zero) * 2 + order.ordinal();
                            long number = space.number(shapeIndex, pp, dp, vpp, choice);
                            Tuple tuple = new Tuple(
                                    shape.tp,
                                    pp,
                                    vpp,
                                    dp,
                                    shape.microBatch,
                                    shape.sequenceParallel,
                                    zero,
                                    recompute,
                                    kind,
                                    order,
                                    micro,
                                    number);
                            promises.add(new Promise(tuple, bound + tail, tail));
                        }
                    }
                }
            }
        }
    }

    private double workBound(int pp, int vpp, int micro) {
        double host = micro * vpp * framework.host().microBatchSeconds() * pricer.residual();
        int q = shape.layers / pp;
        double average = micro * totalSeconds / pp;
        double fuller = micro * (q + 1) * layerSeconds;
        if (shape.layers % pp != 0) {
            return host + Math.max(average, fuller);
        }
        double way = (pp - 1) * (double) (q / vpp) * layerSeconds;
        double even = Math.max(
                micro * (q * layerSeconds + shape.embeddingSeconds),
                micro * (q * layerSeconds + shape.headSeconds) + way);
        return host + Math.max(average, Math.min(even, fuller));
    }

    /** Optimizer, host, and reductions that do not overlap, of a rank with an average share of the parameters. */
    private double tailBound(int pp, int dp, int zero, MeshOrder order) {
        long elements = shape.elements() / pp;
        double seconds = pricer.optimizer().seconds(elements, zero, dp) + framework.host().stepSeconds();
        if (zero < 2 && dp > 1 && !framework.overlap().gradientReduce()) {
            int stride = order == MeshOrder.PP_DP_TP ? shape.tp : shape.tp * pp;
            seconds += pricer.data().reduceSeconds(elements, zero, new GroupPattern(dp, stride));
        }
        return seconds * pricer.residual();
    }

    /** Whether the ranks together have room for all layers, each kept at its smallest. */
    private boolean fitsMemory(int pp, int vpp, int dp, int micro, ScheduleKind kind, int zero) {
        boolean full = recompute.isFull() || space.mayRecomputeMore(recompute) || recompute.fullLayers() > 0;
        long saved = full
                ? Math.min(shape.layer.savedFullBytes(), shape.savedBytes(recompute.mode()))
                : shape.savedBytes(recompute.mode());
        long one = 1L << 20;
        double each = (pricer.memory().parametersBytes(one, zero, dp)
                        + pricer.memory().gradientsBytes(one, zero, dp)
                        + pricer.memory().optimizerBytes(one, zero, dp))
                / (double) one
                * shape.layer.elements();
        double free = problem.capacityBytes() / (1 + framework.memory().fragmentation());
        double slack = vpp > 1 ? 0.9 : 1;
        double room = 0;
        for (int rank = 0; rank < pp && room < shape.layers; rank++) {
            double inFlight = Schedules.inFlight(kind, pp, vpp, micro, rank) / (double) vpp * slack;
            room += Math.floor(free / (each + inFlight * saved));
        }
        return room >= shape.layers;
    }
}
