package org.shardplan.program;

import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.shardplan.graph.Attention;
import org.shardplan.graph.Block;
import org.shardplan.graph.Contraction;
import org.shardplan.graph.CrossEntropy;
import org.shardplan.graph.Embedding;
import org.shardplan.graph.Extent;
import org.shardplan.graph.Normalization;
import org.shardplan.graph.Operator;
import org.shardplan.graph.Pointwise;
import org.shardplan.graph.Reshape;
import org.shardplan.graph.Rotary;
import org.shardplan.graph.Scan;
import org.shardplan.graph.Tensor;

/**
 * Which operators of a layer "selective" runs again in the backward pass, and what share of each: those that the framework names
 * ({@link org.shardplan.workload.Framework.Memory#RECOMPUTED}), as far as their result is needed there and not kept.
 */
final class SelectiveRecompute {
    private final LoweringContext context;
    private final Set<String> policy;
    /** By operator; only those that are run again. */
    private final Map<String, Double> shares = new LinkedHashMap<>();

    private final Map<String, Operator> producers = new HashMap<>();

    SelectiveRecompute(Block block, LoweringContext context) {
        this.context = context;
        this.policy =
                block.kind() == Block.Kind.LAYER ? context.framework().memory().recomputeSelective() : Set.of();
        Set<String> needed = new HashSet<>();
        for (Operator operator : block.operators()) {
            producers.put(operator.output().name(), operator);
            operator.saved().forEach(tensor -> needed.add(tensor.name()));
        }
        for (Operator operator : block.operators().reversed()) {
            double share = named(operator);
            if (share > 0 && needed.contains(operator.output().name())) {
                shares.put(operator.name(), share);
                operator.inputs().forEach(input -> needed.add(input.name()));
            }
        }
    }

    /** Whether the attention core's scores are made again; a fused kernel keeps none. */
    boolean attentionCore() {
        return policy.contains("attention-core") && !context.flashAttention();
    }

    /** Share of an operator that is run again. */
    double share(Operator operator) {
        return shares.getOrDefault(operator.name(), 0.0);
    }

    /** Share of a tensor that is kept. */
    double kept(Tensor tensor) {
        Operator producer = producers.get(tensor.name());
        return producer == null ? 1 : 1 - share(producer);
    }

    private double named(Operator operator) {
        return switch (operator) {
            case Contraction product -> product(product);
            case Normalization _ -> share("norm");
            case Rotary _ -> share("rotary");
            case Pointwise pointwise ->
                switch (pointwise.function()) {
                    case ADD -> share("residual");
                    case TOP_K, DISPATCH, COMBINE -> 0; // tokens are not sent again
                    case CONVOLUTION -> 0;
                    case ACTIVATION, GATED_ACTIVATION, GATE, SCALE, SOFT_CAP ->
                        Math.max(
                                share("activation"),
                                pointwise.name().equals("experts.activation") ? share("experts-activation") : 0);
                };
            case Attention _ -> share("attention");
            case Embedding _, CrossEntropy _, Reshape _, Scan _ -> 0;
        };
    }

    private double product(Contraction product) {
        return switch (product.name()) {
            case "qkv" -> policy.contains("keys") ? keyShare(product.output()) : share("qkv");
            case "q.up", "kv.up" -> share("latent-up");
            case "attention.out" -> share("attention-out");
            case "mlp.in" -> policy.contains("up") && gated(product.output()) ? 0.5 : share("mlp-in");
            case "mlp.out" -> share("mlp-out");
            default -> 0;
        };
    }

    private double share(String word) {
        return policy.contains(word) ? 1 : 0;
    }

    private static boolean gated(Tensor output) {
        return output.extents().getLast().parts().getFirst().width() == 2;
    }

    /** Keys are half of what the key-value heads make. */
    static double keyShare(Tensor qkv) {
        Extent heads = qkv.extents().getLast();
        Extent.Part keysAndValues = heads.parts().getLast();
        return keysAndValues.count() * keysAndValues.width() / 2.0 / heads.size();
    }
}
