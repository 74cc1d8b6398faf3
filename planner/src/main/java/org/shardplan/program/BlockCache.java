package org.shardplan.program;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.shardplan.graph.Block;
import org.shardplan.graph.DataType;
import org.shardplan.plan.ExpertRules;
import org.shardplan.workload.Framework;

/** Lowered blocks by what they depend on: block, tp, sp, micro-batch, and whether data ranks exist. Thread-safe. */
public final class BlockCache {
    private final DataType precision;
    private final boolean flashAttention;
    private final Framework framework;
    private final Map<Key, BlockProgram> programs = new ConcurrentHashMap<>();

    private record Key(String block, int tp, boolean sequenceParallel, int microBatch, boolean data) {}

    public BlockCache(DataType precision, boolean flashAttention, Framework framework) {
        this.precision = precision;
        this.flashAttention = flashAttention;
        this.framework = framework;
    }

    public LoweringContext context(int tp, int dp, int microBatch) {
        return new LoweringContext(Map.of("tp", tp, "dp", dp), microBatch, precision, flashAttention, framework);
    }

    /** The block under the expert rules. Its tasks do not depend on how many data ranks there are, only on whether. */
    public BlockProgram get(Block block, int tp, boolean sequenceParallel, int microBatch, boolean data) {
        Key key = new Key(block.name(), tp, sequenceParallel, microBatch, data);
        return programs.computeIfAbsent(key, _ -> lower(block, key));
    }

    private BlockProgram lower(Block block, Key key) {
        return BlockLowering.lower(
                        block,
                        ExpertRules.placements(block, key.sequenceParallel),
                        ExpertRules.boundary(key.sequenceParallel),
                        context(key.tp, key.data ? 2 : 1, key.microBatch))
                .program();
    }
}
