package org.shardplan.program;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.shardplan.graph.Attention;
import org.shardplan.graph.Block;
import org.shardplan.graph.DataType;
import org.shardplan.plan.ContextParallel;
import org.shardplan.plan.ExpertMesh;
import org.shardplan.plan.ExpertRules;
import org.shardplan.workload.Framework;

/** Lowered blocks by what they depend on: block, tp, cp, sp, micro-batch, and whether data ranks exist. Thread-safe. */
public final class BlockCache {
    private final DataType precision;
    private final boolean flashAttention;
    private final Framework framework;
    private final Map<Key, BlockProgram> programs = new ConcurrentHashMap<>();

    private record Key(
            String block,
            int tp,
            boolean sequenceParallel,
            int microBatch,
            boolean data,
            ContextParallel sequence,
            ExpertMesh experts) {}

    public BlockCache(DataType precision, boolean flashAttention, Framework framework) {
        this.precision = precision;
        this.flashAttention = flashAttention;
        this.framework = framework;
    }

    /** @param dp data ranks, those among which experts are shared out included */
    public LoweringContext context(int tp, int dp, int microBatch, ContextParallel sequence, ExpertMesh experts) {
        Map<String, Integer> sizes = new HashMap<>();
        sizes.put("tp", tp);
        split(sizes, "dp", "ep", dp, experts.dataRanks());
        split(sizes, "cp", "epc", sequence.ranks(), experts.contextRanks());
        boolean ring = sequence.ranks() > 1 && sequence.type() == ContextParallel.Type.RING;
        return new LoweringContext(sizes, microBatch, precision, flashAttention, ring, framework);
    }

    private static void split(Map<String, Integer> sizes, String dim, String innerDim, int ranks, int inner) {
        sizes.put(inner > 1 ? "e" + dim : dim, ranks / inner);
        sizes.put(innerDim, inner);
    }

    /** The block under the expert rules. Its tasks do not depend on how many data ranks there are, only on whether. */
    public BlockProgram get(Block block, int tp, boolean sequenceParallel, int microBatch, boolean data) {
        return get(block, tp, sequenceParallel, microBatch, data, ContextParallel.NONE, ExpertMesh.NONE);
    }

    /** @param data whether there are more data ranks than {@code experts} has */
    public BlockProgram get(
            Block block,
            int tp,
            boolean sequenceParallel,
            int microBatch,
            boolean data,
            ContextParallel sequence,
            ExpertMesh experts) {
        // what has no attention does not care how attention gets its keys
        boolean attends = block.operators().stream().anyMatch(Attention.class::isInstance);
        ContextParallel split = attends ? sequence : new ContextParallel(sequence.ranks(), ContextParallel.Type.RING);
        Key key = new Key(block.name(), tp, sequenceParallel, microBatch, data, split, experts);
        return programs.computeIfAbsent(key, _ -> lower(block, key));
    }

    private BlockProgram lower(Block block, Key key) {
        int data = key.experts.dataRanks() * (key.data ? 2 : 1);
        return BlockLowering.lower(
                        block,
                        ExpertRules.placements(block, key.sequenceParallel, key.sequence, key.experts),
                        ExpertRules.boundary(key.sequenceParallel, key.sequence, key.experts),
                        context(key.tp, data, key.microBatch, key.sequence, key.experts))
                .program();
    }
}
