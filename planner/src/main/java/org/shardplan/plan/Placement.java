package org.shardplan.plan;

import java.util.List;
import java.util.Map;

/**
 * How one operator is split: for each axis the mesh dimensions that shard it; its devices are the stage's. An axis that is
 * absent is not split.
 */
public record Placement(Map<String, List<String>> axisToDims) {
    public Placement {
        axisToDims = Map.copyOf(axisToDims);
    }

    /** The axis that the mesh dimension shards, or an empty string. */
    public String axisOf(String dim) {
        for (Map.Entry<String, List<String>> entry : axisToDims.entrySet()) {
            if (entry.getValue().contains(dim)) {
                return entry.getKey();
            }
        }
        return "";
    }
}
