package org.shardplan.graph;

import java.util.List;

/**
 * A tensor: dimensions indexed by axes, outermost first.
 *
 * @param name unique in its block
 * @param kind parameter, activation or network input
 * @param element what one element is
 * @param extents the axes that index its dimensions
 */
public record Tensor(String name, Kind kind, Element element, List<Extent> extents) {

    public enum Kind {
        /** Token ids, labels: come from the data loader. */
        INPUT,
        /** Trained weights. */
        PARAMETER,
        /** Weights that stay as they are: no gradient, no optimizer state. */
        FROZEN,
        /** What an encoder or a tower made, which layers far behind it read: kept once, where it was made. */
        CARRIED,
        /** The result of an operator. */
        ACTIVATION
    }

    /** Element types by use; the workload's precision says how many bytes {@link #COMPUTE} has. */
    public enum Element {
        COMPUTE,
        FLOAT32,
        INDEX,
        MASK
    }

    public Tensor {
        extents = List.copyOf(extents);
    }

    public static Tensor activation(String name, Extent... extents) {
        return new Tensor(name, Kind.ACTIVATION, Element.COMPUTE, List.of(extents));
    }

    public static Tensor parameter(String name, Extent... extents) {
        return new Tensor(name, Kind.PARAMETER, Element.COMPUTE, List.of(extents));
    }

    public boolean isParameter() {
        return kind == Kind.PARAMETER || kind == Kind.FROZEN;
    }

    public boolean isTrained() {
        return kind == Kind.PARAMETER;
    }

    /** The same weight, not trained. */
    public Tensor frozen() {
        return new Tensor(name, Kind.FROZEN, element, extents);
    }

    public boolean indexedBy(String axis) {
        for (Extent extent : extents) {
            if (extent.name().equals(axis)) {
                return true;
            }
        }
        return false;
    }

    /** Elements when not split. */
    public long elements() {
        long product = 1;
        for (Extent extent : extents) {
            product = Math.multiplyExact(product, extent.size());
        }
        return product;
    }
}
