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
 * @param ep ranks that share out the experts, taken from tensor and data ranks; 1 = each has all of them
 * @param etp ranks that split an expert: 1, or tp; tp where ep is 1
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
        List<Integer> fullRecomputeByStage,
        int ep,
        int etp) {

    public Shorthand {
        etp = ep == 1 ? tp : etp;
        layout = List.copyOf(layout);
        fullRecomputeByStage = List.copyOf(fullRecomputeByStage);
    }

    /** Without expert parallelism. */
    public Shorthand(
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
        this(
                tp,
                pp,
                vpp,
                dp,
                microBatch,
                sequenceParallel,
                zero,
                recompute,
                schedule,
                order,
                layout,
                fullRecomputeByStage,
                1,
                tp);
    }

    /** The same plan with its experts on so many ranks. */
    public Shorthand withExperts(int ranks, int tensorRanks) {
        return new Shorthand(
                tp,
                pp,
                vpp,
                dp,
                microBatch,
                sequenceParallel,
                zero,
                recompute,
                schedule,
                order,
                layout,
                fullRecomputeByStage,
                ranks,
                tensorRanks);
    }

    /** How the experts lie. */
    public ExpertMesh experts() {
        return ExpertMesh.of(tp, ep, etp);
    }

    public int devices() {
        return Math.multiplyExact(Math.multiplyExact(tp, pp), dp);
    }

    public int virtualStages() {
        return Math.multiplyExact(pp, vpp);
    }
}
