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
 * @param context how ranks share out each sequence
 * @param replicas groups of data and context ranks, each of which holds all that ZeRO shards (HSDP); 1 = all of them are one group
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
        int etp,
        ContextParallel context,
        int replicas) {

    public Shorthand {
        etp = ep == 1 ? tp : etp;
        layout = List.copyOf(layout);
        fullRecomputeByStage = List.copyOf(fullRecomputeByStage);
    }

    /** Without expert and context parallelism. */
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
                tp,
                ContextParallel.NONE,
                1);
    }

    /** The same plan with its experts on so many ranks. */
    public Shorthand withExperts(int ranks, int tensorRanks) {
        return with(ranks, tensorRanks, context, replicas);
    }

    /** The same plan with each sequence on so many ranks. */
    public Shorthand withContext(ContextParallel other) {
        return with(ep, etp, other, replicas);
    }

    /** The same plan whose states are held by so many groups of ranks. */
    public Shorthand withReplicas(int groups) {
        return with(ep, etp, context, groups);
    }

    private Shorthand with(int experts, int expertTensor, ContextParallel sequence, int groups) {
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
                experts,
                expertTensor,
                sequence,
                groups);
    }

    /** How the experts lie. */
    public ExpertMesh experts() {
        return ExpertMesh.of(tp, cp(), ep, etp);
    }

    /** Context ranks. */
    public int cp() {
        return context.ranks();
    }

    /** Ranks that hold the same parameters, before ZeRO: data and context ranks. */
    public int parameterRanks() {
        return Math.multiplyExact(dp, cp());
    }

    public int devices() {
        return Math.multiplyExact(Math.multiplyExact(tp, pp), parameterRanks());
    }

    public int virtualStages() {
        return Math.multiplyExact(pp, vpp);
    }
}
