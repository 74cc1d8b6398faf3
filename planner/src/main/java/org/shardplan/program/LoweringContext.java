package org.shardplan.program;

import java.util.List;
import java.util.Map;
import org.shardplan.graph.DataType;
import org.shardplan.workload.Framework;

/**
 * What lowering a block depends on besides the block and its placements.
 *
 * @param meshSizes degree of each mesh dimension within a stage ({@code tp}, {@code dp})
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
    public static final List<String> DIMS = List.of("dp", "tp");

    public LoweringContext {
        meshSizes = Map.copyOf(meshSizes);
    }

    public int size(String dim) {
        return meshSizes.getOrDefault(dim, 1);
    }

    /** Dimensions that have more than one rank: on the others nothing is sharded. */
    public List<String> activeDims() {
        boolean data = size("dp") > 1;
        boolean tensor = size("tp") > 1;
        return data && tensor ? DIMS : data ? List.of("dp") : tensor ? List.of("tp") : List.of();
    }
}
