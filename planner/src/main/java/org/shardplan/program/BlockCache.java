package org.shardplan.program;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.shardplan.graph.Block;
import org.shardplan.graph.DataType;
import org.shardplan.plan.ExpertMesh;
import org.shardplan.plan.ExpertRules;
import org.shardplan.workload.Framework;

/** Lowered blocks by what they depend on: block, tp, sp, micro-batch, and whether data ranks exist. Thread-safe. */
public final class BlockCache {
    private final DataType precision;
    private final boolean flashAttention;
    private final Framework framework;
    private final Map<Key, BlockProgram> programs = new ConcurrentHashMap<>();

    private record Key(
            String block, int tp, boolean sequenceParallel, int microBatch, boolean data, ExpertMesh experts) {}

    public BlockCache(DataType precision, boolean flashAttention, Framework framework) {
        this.precision = precision;
        this.flashAttention = flashAttention;
        this.framework = framework;
    }

    /** @param dp data ranks, those among which experts are shared out included */
    public LoweringContext context(int tp, int dp, int microBatch, ExpertMesh experts) {
        int inner = experts.dataRanks();
        Map<String, Integer> sizes =
                inner > 1 ? Map.of("tp", tp, "edp", dp / inner, "ep", inner) : Map.of("tp", tp, "dp", dp);
        return new LoweringContext(sizes, microBatch, precision, flashAttention, framework);
    }

    /** The block under the expert rules. Its tasks do not depend on how many data ranks there are, only on whether. */
    public BlockProgram get(Block block, int tp, boolean sequenceParallel, int microBatch, boolean data) {
        return get(block, tp, sequenceParallel, microBatch, data, ExpertMesh.NONE);
    }

    /** @param data whether there are more data ranks than {@code experts} has */
    public BlockProgram get(
            Block block, int tp, boolean sequenceParallel, int microBatch, boolean data, ExpertMesh experts) {
        Key key = new Key(block.name(), tp, sequenceParallel, microBatch, data, experts);
        return programs.computeIfAbsent(key, _ -> lower(block, key));
    }

    private BlockProgram lower(Block block, Key key) {
        int data = key.experts.dataRanks() * (key.data ? 2 : 1);
        return BlockLowering.lower(
                        block,
                        ExpertRules.placements(block, key.sequenceParallel, key.experts),
                        ExpertRules.boundary(key.sequenceParallel, key.experts),
                        context(key.tp, data, key.microBatch, key.experts))
                .program();
    }
}
