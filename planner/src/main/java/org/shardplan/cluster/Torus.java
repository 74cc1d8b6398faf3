package org.shardplan.cluster;

import java.util.List;

/**
 * A torus of chips (TPU inter-chip interconnect).
 *
 * @param shape chips along each dimension of one slice at most
 * @param linkBytesPerSecond of one link, one way; a chip has two a dimension
 * @param latencySeconds of one hop
 * @param wrap a dimension closes to a ring where its chips are a multiple of this; else it is a line
 */
public record Torus(List<Integer> shape, double linkBytesPerSecond, double latencySeconds, int wrap) {
    public Torus {
        shape = List.copyOf(shape);
    }

    /** A torus that closes along every dimension. */
    public Torus(List<Integer> shape, double linkBytesPerSecond, double latencySeconds) {
        this(shape, linkBytesPerSecond, latencySeconds, 1);
    }

    /** The same links in another shape. */
    public Torus withShape(List<Integer> other) {
        return new Torus(other, linkBytesPerSecond, latencySeconds, wrap);
    }

    /** Whether the last chip along a dimension of so many is linked to the first. */
    public boolean closes(int chips) {
        return chips > 2 && chips % wrap == 0;
    }
}
