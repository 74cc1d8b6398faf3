package org.shardplan.search;

import org.shardplan.plan.ContextParallel;
import org.shardplan.plan.MeshOrder;
import org.shardplan.plan.Recompute;
import org.shardplan.plan.ScheduleKind;

/**
 * One point of the outer space, decoded. Layers by stage and layers recomputed in full are solved inside.
 *
 * @param recompute the mode; {@link Recompute#FULL} recomputes all layers
 * @param number its place in the space: ties are broken by it
 */
record Tuple(
        int tp,
        int pp,
        int vpp,
        int dp,
        int microBatch,
        boolean sequenceParallel,
        int zero,
        Recompute recompute,
        ScheduleKind schedule,
        MeshOrder order,
        int microBatches,
        int ep,
        int etp,
        ContextParallel context,
        int replicas,
        long number) {
    int cp() {
        return context.ranks();
    }

    /** Ranks that hold the same parameters. */
    int parameterRanks() {
        return dp * cp();
    }

    /** Of these, those over which ZeRO shards. */
    int shards() {
        return parameterRanks() / replicas;
    }
}
