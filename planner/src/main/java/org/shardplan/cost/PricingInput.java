package org.shardplan.cost;

import java.util.List;
import org.shardplan.plan.Schedule;
import org.shardplan.program.GroupPattern;

/**
 * A program as far as prices go: its schedule, its groups, and the priced blocks of each virtual stage in order. A search that has
 * priced its blocks before builds it without lowering a program anew.
 *
 * @param pipelineStride ranks between neighbours of the pipeline
 * @param zero ZeRO stage
 * @param stages by virtual stage
 */
public record PricingInput(
        Schedule schedule,
        GroupPattern tensor,
        GroupPattern data,
        int pipelineStride,
        int zero,
        List<List<CostRun>> stages) {

    public int ranks() {
        return schedule.ranks();
    }

    /** Trained elements of each rank on one data rank, before ZeRO; a tensor that embedding and head share counts once. */
    long[] elements() {
        long[] elements = new long[ranks()];
        for (int q = 0; q < stages.size(); q++) {
            for (CostRun run : stages.get(q)) {
                elements[schedule.rankOf(q)] += run.cost().elements() * run.repeats();
            }
        }
        if (ranks() == 1) {
            elements[0] -= shared();
        }
        return elements;
    }

    /** Elements that the first and the last block share. */
    long shared() {
        if (stages.getFirst().isEmpty() || stages.getLast().isEmpty()) {
            return 0;
        }
        return Math.min(
                stages.getFirst().getFirst().cost().sharedElements(),
                stages.getLast().getLast().cost().sharedElements());
    }
}
