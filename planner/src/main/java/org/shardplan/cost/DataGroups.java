package org.shardplan.cost;

import org.shardplan.plan.ExpertMesh;
import org.shardplan.program.GroupPattern;

/**
 * The ranks that hold the same parameters and sum their gradients: data and context ranks. ZeRO shards over all of them, or over the inner
 * ones, of which there are {@code replicas} groups (HSDP).
 *
 * @param dense ranks of one group that hold the same parameters
 * @param expert ranks of one group that hold the same experts: fewer where experts are shared out
 * @param denseReplicas like ranks of the groups, 1 = one group; {@code expertReplicas} likewise
 */
public record DataGroups(
        GroupPattern dense, GroupPattern expert, GroupPattern denseReplicas, GroupPattern expertReplicas) {

    /** Ranks {@code stride} apart, data and context ranks together, each with all experts or a part of them. */
    public static DataGroups of(int ranks, int stride, ExpertMesh experts, int replicas) {
        int shards = ranks / replicas;
        int beside = stride * experts.ranks();
        int expertShards = ranks / experts.ranks() / replicas;
        return new DataGroups(
                new GroupPattern(shards, stride),
                new GroupPattern(expertShards, beside),
                new GroupPattern(replicas, stride * shards),
                new GroupPattern(replicas, beside * expertShards));
    }

    /** All ranks that hold the same dense parameters. */
    public int ranks() {
        return dense.size() * denseReplicas.size();
    }
}
