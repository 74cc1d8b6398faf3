package org.shardplan.program;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.shardplan.graph.DataType;
import org.shardplan.workload.Framework;

/**
 * What lowering a block depends on besides the block and its placements.
 *
 * @param meshSizes degree of each mesh dimension within a stage ({@code tp}, {@code cp}, {@code dp}; where experts are shared out over data
 *     ranks {@code edp} and {@code ep} instead of {@code dp}, over context ranks {@code ecp} and {@code epc} instead of {@code cp})
 * @param microBatch sequences of one micro-batch on one rank
 * @param precision of products and stored activations
 * @param flashAttention whether attention runs as one fused kernel (framework and device allow it)
 * @param ring whether keys and values of other context ranks come part by part beside attention, instead of all before it
 * @param framework fusions, overlap, what "selective" recomputes
 */
public record LoweringContext(
        Map<String, Integer> meshSizes,
        long microBatch,
        DataType precision,
        boolean flashAttention,
        boolean ring,
        Framework framework) {

    /** Mesh dimensions whose layouts lowering derives. */
    public static final List<String> DIMS = List.of("dp", "edp", "ep", "cp", "ecp", "epc", "tp");

    /** Of these, those among whose ranks a sequence is split as a whole, outermost first. */
    public static final List<String> CONTEXT_DIMS = List.of("cp", "ecp", "epc");

    public LoweringContext {
        meshSizes = Map.copyOf(meshSizes);
    }

    /** Without context parallelism. */
    public LoweringContext(
            Map<String, Integer> meshSizes,
            long microBatch,
            DataType precision,
            boolean flashAttention,
            Framework framework) {
        this(meshSizes, microBatch, precision, flashAttention, false, framework);
    }

    /** The same for products in another precision. */
    LoweringContext with(DataType other) {
        return new LoweringContext(meshSizes, microBatch, other, flashAttention, ring, framework);
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
        List<String> active = new ArrayList<>(2);
        for (String dim : DIMS) {
            if (size(dim) > 1) {
                active.add(dim);
            }
        }
        return active;
    }
}
