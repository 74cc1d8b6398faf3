package org.shardplan.cluster;

import java.util.List;

/**
 * A torus of chips (TPU inter-chip interconnect).
 *
 * @param shape chips along each dimension of one slice at most
 * @param linkBytesPerSecond of one link, one way; a chip has two a dimension
 * @param latencySeconds of one hop
 */
public record Torus(List<Integer> shape, double linkBytesPerSecond, double latencySeconds) {
    public Torus {
        shape = List.copyOf(shape);
    }
}
