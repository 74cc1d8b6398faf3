package org.shardplan.search;

import java.util.ArrayList;
import java.util.List;
import org.shardplan.cost.BlockCost;
import org.shardplan.cost.ProgramPricer;
import org.shardplan.graph.Block;
import org.shardplan.graph.OperatorGraph;
import org.shardplan.plan.Recompute;
import org.shardplan.program.BlockCache;
import org.shardplan.program.GroupPattern;

/**
 * What one micro-batch costs under one (tp, micro-batch, sp): lowered and swept blocks, as numbers. Where layers differ (windows),
 * the cheapest stands for all, so that sums are lower bounds; scoring is exact.
 */
final class ShapeCost {
    final int tp;
    final int microBatch;
    final boolean sequenceParallel;
    final int layers;
    /** Seconds of the embedding's and the head's forward and backward pass. */
    final double embeddingSeconds;

    final double headSeconds;
    /** Elements that embedding and head share, on one tensor rank. */
    final long sharedElements;

    final BlockCost layer;
    final BlockCost embedding;
    final BlockCost head;
    private final double forwardSeconds;
    private final double backwardSeconds;
    private final double selectiveSeconds;
    private final double fullSeconds;

    ShapeCost(
            OperatorGraph graph,
            BlockCache blocks,
            ProgramPricer pricer,
            int tp,
            int microBatch,
            boolean sequenceParallel,
            boolean data) {
        this.tp = tp;
        this.microBatch = microBatch;
        this.sequenceParallel = sequenceParallel;
        this.layers = graph.layers();
        GroupPattern tensor = new GroupPattern(tp, 1);
        List<BlockCost> kinds = new ArrayList<>();
        BlockCost first = null;
        BlockCost last = null;
        for (Block block : graph.blocks()) {
            BlockCost cost =
                    pricer.blocks().price(blocks.get(block, tp, sequenceParallel, microBatch, data), tensor);
            switch (block.kind()) {
                case EMBEDDING -> first = cost;
                case HEAD -> last = cost;
                case LAYER -> kinds.add(cost);
            }
        }
        if (first == null || last == null || kinds.isEmpty()) {
            throw new IllegalArgumentException(graph.name() + " is not embedding, layers, head");
        }
        embedding = first;
        head = last;
        layer = kinds.getFirst();
        sharedElements = Math.min(first.sharedElements(), last.sharedElements());
        embeddingSeconds = pricer.residual() * (first.forwardSeconds() + first.backwardSeconds());
        headSeconds = pricer.residual() * (last.forwardSeconds() + last.backwardSeconds());
        forwardSeconds = pricer.residual()
                * kinds.stream().mapToDouble(BlockCost::forwardSeconds).min().orElseThrow();
        backwardSeconds = pricer.residual()
                * kinds.stream().mapToDouble(BlockCost::backwardSeconds).min().orElseThrow();
        selectiveSeconds = pricer.residual()
                * kinds.stream().mapToDouble(BlockCost::selectiveSeconds).min().orElseThrow();
        fullSeconds = pricer.residual()
                * kinds.stream().mapToDouble(BlockCost::fullSeconds).min().orElseThrow();
    }

    /** Forward and backward seconds of a layer that is not recomputed in full. */
    double layerSeconds(Recompute.Mode mode) {
        return forwardSeconds + backwardSeconds + (mode == Recompute.Mode.SELECTIVE ? selectiveSeconds : 0);
    }

    /** Forward and backward seconds of a layer that is recomputed in full. */
    double fullLayerSeconds() {
        return forwardSeconds + backwardSeconds + fullSeconds;
    }

    long savedBytes(Recompute.Mode mode) {
        return mode == Recompute.Mode.SELECTIVE ? layer.savedSelectiveBytes() : layer.savedBytes();
    }

    /** Trained elements of the whole model on one tensor rank. */
    long elements() {
        return layer.elements() * layers + embedding.elements() + head.elements();
    }
}
