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
 * rank, or on a part of it with sequence parallelism (Korthikanti et al. 2022, section 4.2.2). {@code ep}, with or without tp, shards the
 * experts of grouped products ({@link ExpertMesh}); an expert's inner width is split only where tp does not. Which collectives follow is not
 * said here: {@code program} derives them.
 */
public final class ExpertRules {
    private static final List<String> TENSOR_AXES = List.of("heads", "ffn", "vocab");

    private ExpertRules() {}

    /** Placements of a block's operators by their names, its experts as those of any MLP. */
    public static Map<String, Placement> placements(Block block, boolean sequenceParallel) {
        return placements(block, sequenceParallel, ExpertMesh.NONE);
    }

    /** Placements of a block's operators by their names. */
    public static Map<String, Placement> placements(Block block, boolean sequenceParallel, ExpertMesh experts) {
        Map<String, Placement> all = new LinkedHashMap<>();
        for (Operator operator : block.operators()) {
            all.put(operator.name(), placement(operator, sequenceParallel, experts));
        }
        return all;
    }

    /** How activations between blocks are split. */
    public static Placement boundary(boolean sequenceParallel) {
        return boundary(sequenceParallel, ExpertMesh.NONE);
    }

    /** How activations between blocks are split. */
    public static Placement boundary(boolean sequenceParallel, ExpertMesh experts) {
        return sequenceParallel
                ? new Placement(Map.of("batch", experts.batchDims(), "seq", List.of("tp")))
                : new Placement(Map.of("batch", experts.batchDims()));
    }

    static Placement placement(Operator operator, boolean sequenceParallel) {
        return placement(operator, sequenceParallel, ExpertMesh.NONE);
    }

    private static Placement placement(Operator operator, boolean sequenceParallel, ExpertMesh experts) {
        Map<String, List<String>> axes = new LinkedHashMap<>();
        boolean expert = worksOnExperts(operator);
        axes.put("batch", expert ? experts.expertBatchDims() : experts.batchDims());
        if (expert) {
            axes.put("expert", experts.expertDims());
        }
        String tensorAxis = "";
        for (Axis axis : operator.axes()) {
            if (TENSOR_AXES.contains(axis.name()) && axis.splittable()) {
                tensorAxis = axis.name();
            }
        }
        if (expert && experts.onTensor()) {
            return new Placement(axes);
        }
        if (!tensorAxis.isEmpty()) {
            axes.put(tensorAxis, List.of("tp"));
        } else if (sequenceParallel) {
            axes.put("seq", List.of("tp"));
        }
        return new Placement(axes);
    }

    /** Reads and writes tokens by expert; dispatch and combine have them by expert on one side only, and work where the sequence is. */
    private static boolean worksOnExperts(Operator operator) {
        return operator.inputs().getFirst().indexedBy("expert")
                && operator.output().indexedBy("expert");
    }
}
