package org.shardplan.plan;

import java.util.List;

/**
 * The short form of a plan, which expert rules expand ({@link PlanRules}): {@code tp=8,pp=16,vpp=3,mb=1,sp,zero=1}.
 *
 * @param tp tensor-parallel degree
 * @param pp pipeline stages (ranks)
 * @param vpp chunks a rank
 * @param dp data-parallel degree
 * @param microBatch sequences of one micro-batch on one data rank
 * @param sequenceParallel sp
 * @param zero stage 0 to 3
 * @param recompute memory policy
 * @param schedule generator of the schedule table
 * @param order mesh order
 * @param layout layers of each virtual stage in order of execution (chunk-major: stage q runs on rank q mod pp); empty = the
 *     solver chooses, or even
 * @param fullRecomputeByStage layers recomputed in full on each rank; empty = {@code recompute} holds for all
 */
public record Shorthand(
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
        List<Integer> layout,
        List<Integer> fullRecomputeByStage) {

    public Shorthand {
        layout = List.copyOf(layout);
        fullRecomputeByStage = List.copyOf(fullRecomputeByStage);
    }

    public int devices() {
        return Math.multiplyExact(Math.multiplyExact(tp, pp), dp);
    }

    public int virtualStages() {
        return Math.multiplyExact(pp, vpp);
    }
}
