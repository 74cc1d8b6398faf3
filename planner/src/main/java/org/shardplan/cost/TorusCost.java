package org.shardplan.cost;

import org.shardplan.cluster.Torus;
import org.shardplan.program.GroupPattern;
import org.shardplan.program.Task.CollectiveKind;

/**
 * Collectives on a torus: rings in both directions along every dimension that the group spans, all at work at once
 * (the multi-dimensional ring of TPU pods). Ranks fill the torus's first dimension first.
 */
final class TorusCost {
    private TorusCost() {}

    /** Seconds of a group of {@code members}, {@code stride} chips apart (as {@link GroupPattern} counts). */
    static double seconds(CollectiveKind kind, long bytes, int members, int stride, Torus torus, double efficiency) {
        double end = (double) stride * members;
        double below = 1;
        int rings = 0;
        double hops = 0;
        for (int size : torus.shape()) {
            double above = below * size;
            // chips of the group along this dimension
            double along = Math.min(above, end) / Math.max(below, stride);
            if (along > 1) {
                rings++;
                hops += Math.ceil(along / 2);
            }
            below = above;
        }
        double rate = 2 * Math.max(1, rings) * torus.linkBytesPerSecond() * efficiency;
        double wire = CollectiveModel.wireShare(kind, members, false) * bytes;
        if (kind == CollectiveKind.ALL_TO_ALL) {
            // each byte travels a quarter of a ring on average instead of one hop
            wire *= Math.max(1, hops / 2);
        }
        double passes = kind == CollectiveKind.ALL_REDUCE ? 2 : 1;
        return passes * Math.max(1, hops) * torus.latencySeconds() + wire / rate;
    }

    /** Adds {@code times} the seconds for which it keeps each dimension's links of a chip busy. */
    static void addBusy(
            double[] busy,
            double times,
            CollectiveKind kind,
            long bytes,
            int members,
            int stride,
            Torus torus,
            double efficiency) {
        double onTheWire = seconds(kind, bytes, members, stride, torus, efficiency)
                - seconds(kind, 0, members, stride, torus, efficiency);
        double end = (double) stride * members;
        double below = 1;
        for (int dim = 0; dim < torus.shape().size(); dim++) {
            double above = below * torus.shape().get(dim);
            if (Math.min(above, end) / Math.max(below, stride) > 1) {
                busy[dim] += times * onTheWire;
            }
            below = above;
        }
    }
}
