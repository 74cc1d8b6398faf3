package org.shardplan.program;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.shardplan.graph.AxisRole;
import org.shardplan.graph.Extent;
import org.shardplan.graph.Operator;
import org.shardplan.graph.Tensor;
import org.shardplan.plan.Placement;

/**
 * A tensor's layout: its spread on each mesh dimension. Follows from the placement of the operator that writes or reads it.
 *
 * <p>For a mesh dimension that shards loop a of an operator: a tensor that a indexes is sharded; an output that it does not
 * index is partial; an input that it does not index is replicated. Gradients mirror this: the gradient of an input that a does not
 * index is partial, unless the loop is a reduction of the forward pass, whose output gradient every rank holds whole.
 *
 * @param spreads by mesh dimension; an absent one is replicated
 */
public record TensorLayout(Map<String, Spread> spreads) {
    public TensorLayout {
        spreads = Map.copyOf(spreads);
    }

    public Spread on(String dim) {
        return spreads.getOrDefault(dim, Spread.REPLICATED);
    }

    /** As the operator writes its output. */
    public static TensorLayout written(Operator operator, Placement placement, List<String> dims) {
        return derive(operator.output(), placement, dims, Spread.PARTIAL);
    }

    /** As the operator reads an input or a parameter, and as it needs its output's gradient. */
    public static TensorLayout read(Tensor tensor, Placement placement, List<String> dims) {
        return derive(tensor, placement, dims, Spread.REPLICATED);
    }

    /** As the operator's backward pass writes the gradient of an input or a parameter. */
    public static TensorLayout gradientWritten(
            Operator operator, Tensor tensor, Placement placement, List<String> dims) {
        Map<String, Spread> spreads = new LinkedHashMap<>(
                derive(tensor, placement, dims, Spread.PARTIAL).spreads());
        if (tensor.isParameter()) {
            for (String dim : dims) {
                // a bias of a row-split product: each rank has the whole output gradient, hence the whole bias gradient
                String axis = placement.axisOf(dim);
                boolean reduction = operator.nest()
                        .findAxis(axis)
                        .map(found -> found.role() == AxisRole.REDUCTION)
                        .orElse(false);
                if (reduction && !tensor.indexedBy(axis)) {
                    spreads.put(dim, Spread.REPLICATED);
                }
            }
        }
        return new TensorLayout(spreads);
    }

    private static TensorLayout derive(Tensor tensor, Placement placement, List<String> dims, Spread otherwise) {
        Map<String, Spread> spreads = new LinkedHashMap<>();
        for (String dim : dims) {
            String axis = placement.axisOf(dim);
            if (!axis.isEmpty()) {
                spreads.put(dim, tensor.indexedBy(axis) ? new Spread.Sharded(axis) : otherwise);
            }
        }
        return new TensorLayout(spreads);
    }

    /** Ways that the axis is cut in, on these mesh sizes. */
    public long degreeOf(String axis, Map<String, Integer> meshSizes) {
        long degree = 1;
        for (Map.Entry<String, Spread> entry : spreads.entrySet()) {
            if (entry.getValue() instanceof Spread.Sharded(String sharded) && sharded.equals(axis)) {
                degree *= meshSizes.getOrDefault(entry.getKey(), 1);
            }
        }
        return degree;
    }

    /** Elements of a whole micro-batch that one rank holds; of a parameter, its shard. */
    public long localElements(Tensor tensor, LoweringContext context) {
        boolean samples = tensor.indexedBy("batch");
        boolean shared = on("ep") instanceof Spread.Sharded(String axis) && axis.equals("batch");
        long elements = localElements(tensor, context.meshSizes());
        return samples ? Math.multiplyExact(elements, context.sequences(shared || context.size("ep") == 1)) : elements;
    }

    /** The same layout with another spread on one dimension. */
    public TensorLayout with(String dim, Spread spread) {
        Map<String, Spread> changed = new LinkedHashMap<>(spreads);
        changed.put(dim, spread);
        return new TensorLayout(changed);
    }

    /** Elements that one rank holds for one sample; the batch axis counts 1 however it is sharded. */
    private long localElements(Tensor tensor, Map<String, Integer> meshSizes) {
        long elements = 1;
        for (Extent extent : tensor.extents()) {
            if (!extent.name().equals("batch")) {
                elements = Math.multiplyExact(elements, extent.local(degreeOf(extent.name(), meshSizes)));
            }
        }
        return elements;
    }
}
