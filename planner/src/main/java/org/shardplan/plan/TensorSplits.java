package org.shardplan.plan;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.shardplan.graph.Attention;
import org.shardplan.graph.Axis;
import org.shardplan.graph.Block;
import org.shardplan.graph.Extent;
import org.shardplan.graph.Operator;
import org.shardplan.graph.OperatorGraph;
import org.shardplan.graph.Scan;
import org.shardplan.graph.Tensor;

/**
 * What tensor parallelism splits in a graph: the extents of the axes {@code heads}, {@code ffn} and {@code vocab}.
 *
 * @param heads query heads, with key-value heads as further parts where an extent fuses them
 * @param ffn inner width of the MLP, two parts where it is gated
 * @param vocab tokens
 * @param experts routed experts of a layer, 0 = none
 * @param carries whether layers read what was made far before them
 * @param windows whether some attention sees a part of the sequence only
 * @param whole whether some attention reads all of another sequence, or sees all of its own: encoders, towers, indexers
 * @param scans whether a state runs along the sequence
 */
record TensorSplits(
        Set<Extent> heads,
        Set<Extent> ffn,
        Set<Extent> vocab,
        long experts,
        boolean carries,
        boolean windows,
        boolean whole,
        boolean scans) {
    /** Axes that tensor ranks share out; an operator has one of them at most. */
    static final List<String> AXES = List.of("heads", "ffn", "vocab");

    static TensorSplits of(OperatorGraph graph) {
        Set<Extent> heads = new LinkedHashSet<>();
        Set<Extent> ffn = new LinkedHashSet<>();
        Set<Extent> vocab = new LinkedHashSet<>();
        long experts = 0;
        boolean carries = false;
        boolean windows = false;
        boolean whole = false;
        boolean scans = false;
        for (Block block : graph.blocks()) {
            for (Operator operator : block.operators()) {
                carries |= operator.output().kind() == Tensor.Kind.CARRIED;
                windows |= operator instanceof Attention attention && isWindowed(attention);
                whole |= operator instanceof Attention attention
                        && (!attention.causal() || attention.inputs().size() > 1);
                scans |= operator instanceof Scan;
                for (Axis axis : operator.axes()) {
                    switch (axis.name()) {
                        case "heads" -> heads.add(axis.extent());
                        case "ffn" -> ffn.add(axis.extent());
                        case "vocab" -> vocab.add(axis.extent());
                        case "expert" -> experts = axis.extent().size();
                        default -> {}
                    }
                }
            }
        }
        return new TensorSplits(heads, ffn, vocab, experts, carries, windows, whole, scans);
    }

    private static boolean isWindowed(Attention attention) {
        return attention.window() > 0
                && attention.window() < attention.output().extents().get(1).size();
    }

    /** Query heads, 0 where the graph has none. */
    long queryHeads() {
        return heads.stream()
                .mapToLong(extent -> extent.parts().getFirst().count())
                .max()
                .orElse(0);
    }

    /** Key-value heads: the fewest units of any part. */
    long keyValueHeads() {
        return heads.stream()
                .flatMap(extent -> extent.parts().stream())
                .mapToLong(Extent.Part::count)
                .min()
                .orElse(0);
    }

    /** Units of the MLP that can be shared out, 0 where the graph has none. */
    long ffnUnits() {
        return ffn.stream()
                .mapToLong(extent -> extent.parts().getFirst().count())
                .max()
                .orElse(0);
    }

    /** Tokens, padding not counted, 0 where the graph has none. */
    long vocabUnits() {
        return vocab.stream()
                .mapToLong(extent -> extent.parts().getFirst().count())
                .max()
                .orElse(0);
    }

    boolean headsDivide(int tp) {
        for (Extent extent : heads) {
            if (extent.parts().getFirst().count() % tp != 0) {
                return false;
            }
        }
        return true;
    }

    boolean keyValueHeadsAllow(int tp, boolean replication) {
        for (Extent extent : heads) {
            for (Extent.Part part : extent.parts()) {
                if (part.count() % tp != 0 && !(replication && tp % part.count() == 0)) {
                    return false;
                }
            }
        }
        return true;
    }

    boolean ffnDivides(int tp) {
        return ffn.stream().allMatch(extent -> extent.splitsInto(tp));
    }

    boolean vocabAllows(int tp, boolean padded) {
        return padded || vocab.stream().allMatch(extent -> extent.splitsInto(tp));
    }
}
