package org.shardplan.graph;

/**
 * One named loop of an operator.
 *
 * @param extent its name and size, shared by all operators of the block that loop over it
 * @param role what splitting this loop of this operator means
 * @param splittable whether shards of the loop can run apart (a norm can't be cut along the dimension that it normalises)
 */
public record Axis(Extent extent, AxisRole role, boolean splittable) {

    public Axis(Extent extent, AxisRole role) {
        this(extent, role, true);
    }

    public String name() {
        return extent.name();
    }
}
