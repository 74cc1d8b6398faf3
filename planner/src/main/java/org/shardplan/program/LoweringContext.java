package org.shardplan.program;

import java.util.List;
import java.util.Map;
import org.shardplan.graph.DataType;
import org.shardplan.workload.Framework;

/**
 * What lowering a block depends on besides the block and its placements.
 *
 * @param meshSizes degree of each mesh dimension within a stage ({@code tp}, {@code dp}; where experts are shared out over data
 *     ranks {@code edp} and {@code ep} instead of {@code dp})
 * @param microBatch sequences of one micro-batch on one rank
 * @param precision of products and stored activations
 * @param flashAttention whether attention runs as one fused kernel (framework and device allow it)
 * @param framework fusions, overlap, what "selective" recomputes
 */
public record LoweringContext(
        Map<String, Integer> meshSizes,
        long microBatch,
        DataType precision,
        boolean flashAttention,
        Framework framework) {

    /** Mesh dimensions whose layouts lowering derives. */
    public static final List<String> DIMS = List.of("dp", "edp", "ep", "tp");

    public LoweringContext {
        meshSizes = Map.copyOf(meshSizes);
    }

    public int size(String dim) {
        return meshSizes.getOrDefault(dim, 1);
    }

    /**
     * Sequences that a rank has of a tensor in some layout: those of the micro-batch, and of all ranks of the experts' group where the
     * layout does not share them out.
     */
    long sequences(boolean batchOnExpertRanks) {
        return batchOnExpertRanks ? microBatch : Math.multiplyExact(microBatch, size("ep"));
    }

    /** Dimensions that have more than one rank: on the others nothing is sharded. */
    public List<String> activeDims() {
        return DIMS.stream().filter(dim -> size(dim) > 1).toList();
    }
}
