package org.shardplan.program;

import java.util.List;

/**
 * Ranks that do the same: one pipeline coordinate, all others free.
 *
 * @param pipelineRank coordinate
 * @param multiplicity devices in the class
 * @param stages virtual stages that it runs
 */
public record RankClass(int pipelineRank, int multiplicity, List<Integer> stages) {
    public RankClass {
        stages = List.copyOf(stages);
    }
}
