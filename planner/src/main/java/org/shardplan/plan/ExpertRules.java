package org.shardplan.plan;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.shardplan.graph.Axis;
import org.shardplan.graph.Block;
import org.shardplan.graph.Operator;

/**
 * Megatron's placement of dense transformers: which loop of each operator a mesh dimension shards.
 *
 * <p>{@code dp} shards the samples of every operator. {@code tp} shards heads, the MLP's inner width and the vocabulary where
 * an operator loops over one of them (Shoeybi et al. 2020, section 3); all others work on the whole sequence on each tensor
 * rank, or on a part of it with sequence parallelism (Korthikanti et al. 2022, section 4.2.2). Which collectives follow is not
 * said here: {@code program} derives them.
 */
public final class ExpertRules {
    private static final List<String> TENSOR_AXES = List.of("heads", "ffn", "vocab");

    private ExpertRules() {}

    /** Placements of a block's operators by their names. */
    public static Map<String, Placement> placements(Block block, boolean sequenceParallel) {
        Map<String, Placement> all = new LinkedHashMap<>();
        for (Operator operator : block.operators()) {
            all.put(operator.name(), placement(operator, sequenceParallel));
        }
        return all;
    }

    /** How activations between blocks are split. */
    public static Placement boundary(boolean sequenceParallel) {
        return sequenceParallel
                ? new Placement(Map.of("batch", List.of("dp"), "seq", List.of("tp")))
                : new Placement(Map.of("batch", List.of("dp")));
    }

    static Placement placement(Operator operator, boolean sequenceParallel) {
        Map<String, List<String>> axes = new LinkedHashMap<>();
        axes.put("batch", List.of("dp"));
        String tensorAxis = "";
        for (Axis axis : operator.axes()) {
            if (TENSOR_AXES.contains(axis.name()) && axis.splittable()) {
                tensorAxis = axis.name();
            }
        }
        if (!tensorAxis.isEmpty()) {
            axes.put(tensorAxis, List.of("tp"));
        } else if (sequenceParallel) {
            axes.put("seq", List.of("tp"));
        }
        return new Placement(axes);
    }
}
