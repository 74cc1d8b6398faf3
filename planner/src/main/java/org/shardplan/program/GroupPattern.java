package org.shardplan.program;

import org.shardplan.cluster.DeviceMesh;
import org.shardplan.cluster.Factor;

/**
 * Which ranks form the groups of a mesh dimension: {@code size} ranks, {@code stride} apart.
 *
 * @param size ranks in one group
 * @param stride distance of neighbours, in ranks
 */
public record GroupPattern(int size, int stride) {
    public static GroupPattern of(DeviceMesh mesh, String dim) {
        Factor factor = mesh.get(dim);
        return new GroupPattern(factor.size(), factor.stride());
    }

    /** Ranks from the first to the last of one group. */
    public int span() {
        return (size - 1) * stride + 1;
    }
}
