package org.shardplan.graph;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A part of the graph that may repeat: operators in topological order, one activation in, one out.
 *
 * <p>The output of each repeat is the input of the next one. A parameter whose name starts with {@code shared.} is one
 * tensor wherever it occurs (tied embeddings); all others exist once a repeat.
 *
 * @param name for example {@code layer}
 * @param kind what a pipeline stage may do with it
 * @param repeat how often it stands in a row
 * @param operators in topological order
 */
public record Block(String name, Kind kind, int repeat, List<Operator> operators) {

    /** Embedding and head are placeable items of their own. */
    public enum Kind {
        EMBEDDING,
        LAYER,
        HEAD
    }

    public Block {
        operators = List.copyOf(operators);
        if (repeat < 1 || operators.isEmpty()) {
            throw new IllegalArgumentException("block " + name + " repeats " + repeat + " times " + operators.size());
        }
    }

    /** Its parameters by name, each once, of one repeat. */
    public Map<String, Tensor> parameters() {
        Map<String, Tensor> all = new LinkedHashMap<>();
        for (Operator operator : operators) {
            for (Tensor parameter : operator.parameters()) {
                all.put(parameter.name(), parameter);
            }
        }
        return all;
    }

    /** The activation (or network input) that enters. */
    public Tensor input() {
        return operators.getFirst().inputs().getFirst();
    }

    /** The activation that leaves. */
    public Tensor output() {
        return operators.getLast().output();
    }

    /** Parameters of one repeat, in elements, padding included. */
    public long parameterElements() {
        return parameters().values().stream().mapToLong(Tensor::elements).sum();
    }

    /** Whether an operator is part of a layer: in a block of layers, or in a layer within another block. */
    public boolean inLayer(Operator operator) {
        return kind == Kind.LAYER || operator.name().indexOf(LayerCopy.MARK) >= 0;
    }

    /** Layers within one repeat: 1, or of another block as many as stand in it. */
    public long layersWithin() {
        return kind == Kind.LAYER
                ? 1
                : operators.stream()
                        .filter(this::inLayer)
                        .map(operator ->
                                operator.name().substring(0, operator.name().indexOf(LayerCopy.MARK)))
                        .distinct()
                        .count();
    }

    public static boolean isShared(Tensor parameter) {
        return parameter.name().startsWith("shared.");
    }
}
