package org.shardplan.program;

import java.util.List;
import java.util.Map;
import org.shardplan.plan.Plan;

/**
 * A plan lowered onto a graph and a framework: sizes, never seconds. What is simulated, and what an engine runs.
 *
 * @param plan mesh, schedule and memory policy
 * @param context what blocks were lowered under
 * @param stages by virtual stage
 * @param classes by pipeline rank
 * @param groups which ranks form the groups of each mesh dimension
 * @param sharedOnTwoRanks elements of a shared tensor that the first and the last rank both hold and keep equal, 0 = none
 */
public record Program(
        Plan plan,
        LoweringContext context,
        List<StageProgram> stages,
        List<RankClass> classes,
        Map<String, GroupPattern> groups,
        long sharedOnTwoRanks) {
    public Program {
        stages = List.copyOf(stages);
        classes = List.copyOf(classes);
        groups = Map.copyOf(groups);
    }

    /** The group of a mesh dimension; one rank where the plan has no such dimension. */
    public GroupPattern group(String dim) {
        return groups.getOrDefault(dim, new GroupPattern(1, 1));
    }

    /** Device numbers of the group that {@code rank} belongs to along a dimension: the lazy expansion to ranks. */
    public int[] members(String dim, int rank) {
        GroupPattern group = group(dim);
        int coordinate = rank / group.stride() % group.size();
        int first = rank - coordinate * group.stride();
        int[] members = new int[group.size()];
        for (int i = 0; i < members.length; i++) {
            members[i] = first + i * group.stride();
        }
        return members;
    }
}
