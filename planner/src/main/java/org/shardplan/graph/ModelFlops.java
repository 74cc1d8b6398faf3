package org.shardplan.graph;

import java.util.List;

/**
 * Floating-point operations of matrix products that a model needs, whatever computes it: 2 for each multiply-add.
 *
 * <p>Convention: {@code full} counts every attention score within a window (Megatron: 72 B s l h² (1 + s/6h + V/12lh) a step, forward and
 * backward), {@code causal} only those that the mask leaves.
 */
public final class ModelFlops {
    private ModelFlops() {}

    /** Forward FLOPs of one sample; forward and backward together are three times that. */
    public static double forwardPerSample(OperatorGraph graph, boolean causal) {
        double flops = 0;
        for (Block block : graph.blocks()) {
            flops += block.repeat() * forwardPerSample(block, causal);
        }
        return flops;
    }

    /**
     * FLOPs of one sample, forward and backward: a product counts three times (its result, its input's gradient, its weight's),
     * one whose weight is frozen twice.
     */
    public static double trainedPerSample(OperatorGraph graph, boolean causal) {
        double flops = 0;
        for (Block block : graph.blocks()) {
            for (Operator operator : block.operators()) {
                boolean frozen =
                        operator instanceof Contraction product && product.isLinear() && !product.hasTrainedWeight();
                flops += (frozen ? 2 : 3) * block.repeat() * forwardPerSample(operator, causal);
            }
        }
        return flops;
    }

    /** Of these, those of attention alone. */
    public static double attentionPerSample(OperatorGraph graph, boolean causal) {
        double flops = 0;
        for (Block block : graph.blocks()) {
            for (Operator operator : block.operators()) {
                if (operator instanceof Attention) {
                    flops += block.repeat() * forwardPerSample(operator, causal);
                }
            }
        }
        return flops;
    }

    /** Forward FLOPs of one repeat of a block for one sample. */
    public static double forwardPerSample(Block block, boolean causal) {
        return block.operators().stream()
                .mapToDouble(operator -> forwardPerSample(operator, causal))
                .sum();
    }

    /**
     * Forward FLOPs of an operator for one sample; 0 for all but products. Of a scan those of the recurrence token by token, whatever
     * chunks a kernel makes: 4 a token and element of the state, 6 with the delta rule (Megatron counts 7, decays included).
     */
    public static double forwardPerSample(Operator operator, boolean causal) {
        return switch (operator) {
            case Contraction product -> 2 * points(product.axes());
            case Attention attention -> {
                Extent heads = attention.output().extents().getLast();
                double keys = causal ? attention.averageKeys() : attention.reach();
                // a head's width is headDim, the mean of key and value where these differ
                yield 4 * keys * attention.queries() * (heads.parts().getFirst().count() * attention.headDim());
            }
            case Scan scan ->
                2.0 * scan.form().products * scan.keyDim() * scan.valueDim() * scan.heads() * scan.tokens();
            case Embedding _, Normalization _, Pointwise _, Rotary _, CrossEntropy _, Reshape _ -> 0;
        };
    }

    private static double points(List<Axis> axes) {
        double points = 1;
        for (Axis axis : axes) {
            points *= axis.extent().size();
        }
        return points;
    }
}
