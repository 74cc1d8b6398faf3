package org.shardplan.plan;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.shardplan.graph.Attention;
import org.shardplan.graph.Axis;
import org.shardplan.graph.Block;
import org.shardplan.graph.Operator;

/**
 * Megatron's placement of dense transformers: which loop of each operator a mesh dimension shards.
 *
 * <p>{@code dp} shards the samples of every operator, {@code cp} the sequence ({@link ContextParallel}): of attention that of the queries, or
 * instead of it the heads. {@code tp} shards heads, the MLP's inner width and the vocabulary where
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
        return placements(block, sequenceParallel, ContextParallel.NONE, ExpertMesh.NONE);
    }

    /** Placements of a block's operators by their names. */
    public static Map<String, Placement> placements(
            Block block, boolean sequenceParallel, ContextParallel context, ExpertMesh experts) {
        Map<String, Placement> all = new LinkedHashMap<>();
        for (Operator operator : block.operators()) {
            all.put(operator.name(), placement(operator, sequenceParallel, context, experts));
        }
        return all;
    }

    /** How activations between blocks are split. */
    public static Placement boundary(boolean sequenceParallel) {
        return boundary(sequenceParallel, ContextParallel.NONE, ExpertMesh.NONE);
    }

    /** How activations between blocks are split. */
    public static Placement boundary(boolean sequenceParallel, ContextParallel context, ExpertMesh experts) {
        List<String> sequence = sequenceDims(context, experts, sequenceParallel);
        return sequence.isEmpty()
                ? new Placement(Map.of("batch", experts.batchDims()))
                : new Placement(Map.of("batch", experts.batchDims(), "seq", sequence));
    }

    private static List<String> sequenceDims(ContextParallel context, ExpertMesh experts, boolean tensor) {
        List<String> dims = new ArrayList<>(context.ranks() > 1 ? ContextParallel.dims(experts) : List.of());
        if (tensor) {
            dims.add("tp");
        }
        return dims;
    }

    static Placement placement(Operator operator, boolean sequenceParallel) {
        return placement(operator, sequenceParallel, ContextParallel.NONE, ExpertMesh.NONE);
    }

    private static Placement placement(
            Operator operator, boolean sequenceParallel, ContextParallel context, ExpertMesh experts) {
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
        if (expert) {
            if (context.ranks() > 1) {
                axes.put("seq", experts.expertSequenceDims());
            }
            if (!experts.onTensor() && !tensorAxis.isEmpty()) {
                axes.put(tensorAxis, List.of("tp"));
            }
            return new Placement(axes);
        }
        // a state runs through the whole sequence: its heads are shared out instead (Megatron's MambaContextParallel)
        boolean byHeads = operator instanceof Attention
                ? context.type() == ContextParallel.Type.ULYSSES
                : runsAlong(operator) && context.ranks() > 1;
        List<String> sequence = sequenceDims(context, experts, sequenceParallel && tensorAxis.isEmpty());
        if (!tensorAxis.isEmpty()) {
            List<String> dims = new ArrayList<>(byHeads ? sequence : List.of());
            dims.add("tp");
            axes.put(tensorAxis, dims);
        }
        if (!sequence.isEmpty() && !byHeads) {
            axes.put("seq", sequence);
        }
        return new Placement(axes);
    }

    /** Whether a token's result needs the tokens before it. */
    private static boolean runsAlong(Operator operator) {
        return operator.nest().findAxis("seq").filter(seq -> !seq.splittable()).isPresent();
    }

    /** Reads and writes tokens by expert; dispatch and combine have them by expert on one side only, and work where the sequence is. */
    private static boolean worksOnExperts(Operator operator) {
        return operator.inputs().getFirst().indexedBy("expert")
                && operator.output().indexedBy("expert");
    }
}
