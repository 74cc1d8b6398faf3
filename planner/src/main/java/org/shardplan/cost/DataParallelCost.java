package org.shardplan.cost;

import org.shardplan.cluster.Cluster;
import org.shardplan.program.GroupPattern;
import org.shardplan.program.Task.CollectiveKind;
import org.shardplan.workload.Framework;

/**
 * What data parallelism moves for parameters, by ZeRO stage (Rajbhandari et al. 2020, section 7): stages 0 to 2 move 2Ψ elements a
 * step (an all-reduce, or a reduce-scatter and a gather), stage 3 moves 3Ψ a pass (two gathers, one reduce-scatter).
 */
public final class DataParallelCost {
    private final CollectiveModel collectives;
    private final Cluster cluster;
    private final Framework framework;
    private final int weightBytes;

    DataParallelCost(CollectiveModel collectives, Cluster cluster, Framework framework, int weightBytes) {
        this.collectives = collectives;
        this.cluster = cluster;
        this.framework = framework;
        this.weightBytes = weightBytes;
    }

    /** Seconds to sum the gradients of so many elements over data ranks: once a step, or each micro-batch from ZeRO 2 on. */
    public double reduceSeconds(long elements, int zero, GroupPattern data) {
        if (data.size() <= 1 || elements == 0) {
            return 0;
        }
        CollectiveKind kind = zero == 0 ? CollectiveKind.ALL_REDUCE : CollectiveKind.REDUCE_SCATTER;
        return collectives.seconds(kind, elements * framework.memory().reduceBytes(), data, cluster);
    }

    /** Seconds to sum the gradients of dense parameters and of experts, each over the ranks that hold them. */
    public double reduceSeconds(long dense, long expert, int zero, DataGroups groups) {
        return reduceSeconds(dense, zero, groups.dense(), groups.denseReplicas())
                + reduceSeconds(expert, zero, groups.expert(), groups.expertReplicas());
    }

    /** Within each group, then what a rank is left with over the groups (HSDP: PyTorch's HYBRID_SHARD, Megatron's optimizer instances). */
    public double reduceSeconds(long elements, int zero, GroupPattern shards, GroupPattern replicas) {
        return reduceSeconds(elements, zero, shards)
                + reduceSeconds(Math.ceilDiv(elements, shards.size()), 0, replicas);
    }

    /** Seconds to gather dense parameters and experts. */
    public double gatherSeconds(long dense, long expert, DataGroups groups) {
        return gatherSeconds(dense, groups.dense()) + gatherSeconds(expert, groups.expert());
    }

    /** Seconds to gather so many parameters. */
    public double gatherSeconds(long elements, GroupPattern data) {
        if (data.size() == 1 || elements == 0) {
            return 0;
        }
        return collectives.seconds(CollectiveKind.ALL_GATHER, elements * weightBytes, data, cluster);
    }

    /** Seconds to gather the parameters of one layer, in as many messages as the framework sends. */
    double layerGatherSeconds(BlockCost layer, DataGroups groups) {
        int messages = framework.overlap().messages();
        long dense = Math.ceilDiv(layer.denseElements() + layer.frozen().dense(), messages);
        long expert = Math.ceilDiv(layer.expertElements() + layer.frozen().expert(), messages);
        return messages * gatherSeconds(dense, expert, groups);
    }

    /** Seconds to sum the gradients of one layer, likewise. */
    double layerReduceSeconds(BlockCost layer, int zero, DataGroups groups) {
        int messages = framework.overlap().messages();
        long dense = Math.ceilDiv(layer.denseElements(), messages);
        return messages * reduceSeconds(dense, Math.ceilDiv(layer.expertElements(), messages), zero, groups);
    }

    /**
     * Seconds of {@code repeats} equal layers whose communication may run beside compute: two machines in a row, each layer
     * takes {@code communication} on one and {@code compute} on the other, so the slower one sets the pace.
     *
     * @param ends whether the first gather and the last reduction, which nothing hides, are counted here; not where like layers
     *     follow, which are recomputed otherwise
     */
    double pipelined(int repeats, double compute, double communication, boolean overlaps, boolean ends) {
        if (communication == 0 || !overlaps) {
            return repeats * (compute + communication);
        }
        double paced = repeats * Math.max(compute, communication) + (ends ? Math.min(compute, communication) : 0);
        double hidden = repeats * (compute + communication) - paced;
        return paced + framework.overlap().interference() * Math.max(0, hidden);
    }
}
