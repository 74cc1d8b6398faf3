package org.shardplan.cost;

import org.shardplan.plan.ExpertMesh;
import org.shardplan.program.GroupPattern;

/**
 * The ranks that hold the same parameters and sum their gradients.
 *
 * @param dense data ranks
 * @param expert ranks that hold the same experts: the data ranks, less those among which experts are shared out
 * @param expertRanks data ranks in one group of ranks that share out the experts, 1 = none
 */
public record DataGroups(GroupPattern dense, GroupPattern expert, int expertRanks) {

    /** Data ranks {@code stride} apart, each with all experts or a part of them. */
    public static DataGroups of(int ranks, int stride, ExpertMesh experts) {
        int inner = experts.dataRanks();
        return new DataGroups(new GroupPattern(ranks, stride), new GroupPattern(ranks / inner, stride * inner), inner);
    }
}
