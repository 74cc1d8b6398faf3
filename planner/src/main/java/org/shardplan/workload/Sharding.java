package org.shardplan.workload;

import java.util.List;

/**
 * How a framework splits sequences over context ranks, and over which ranks it shards states.
 *
 * @param contextTypes ways in which attention gets keys of other ranks (cp-type), the usual one first; empty = no cp
 * @param balancedContext whether each rank has a chunk from either end of a causal sequence, so that all have the same to do
 * @param replicas whether ZeRO can shard over a part of the ranks and keep a copy on the others (HSDP)
 */
public record Sharding(List<String> contextTypes, boolean balancedContext, boolean replicas) {
    /** No sequence is split, and states are sharded over all ranks. */
    public static final Sharding NONE = new Sharding(List.of(), true, false);

    public Sharding {
        contextTypes = List.copyOf(contextTypes);
    }
}
