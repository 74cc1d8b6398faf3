package org.shardplan.plan;

import java.util.List;
import java.util.Map;
import org.shardplan.cluster.DeviceMesh;

/**
 * A plan in full: canonical, self-contained, plain data.
 *
 * @param shorthand the short form it came from; a label, the rest is what counts
 * @param mesh devices, outermost dimension first
 * @param placements by {@code block/operator}
 * @param stages virtual stages in order of execution
 * @param microBatches micro-batches a step on each data rank
 * @param schedule for each rank the order of its slots
 */
public record Plan(
        Shorthand shorthand,
        DeviceMesh mesh,
        Map<String, Placement> placements,
        List<Stage> stages,
        int microBatches,
        Schedule schedule) {
    public Plan {
        placements = Map.copyOf(placements);
        stages = List.copyOf(stages);
    }

    public Placement placement(String block, String operator) {
        return placements.getOrDefault(block + "/" + operator, new Placement(Map.of()));
    }
}
