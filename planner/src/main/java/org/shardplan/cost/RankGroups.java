package org.shardplan.cost;

import java.util.List;
import org.shardplan.plan.ExpertMesh;
import org.shardplan.program.GroupPattern;

/**
 * The ranks of a block's collectives, neighbours of each other: tensor ranks innermost, then context ranks, then the data ranks among which
 * experts are shared out.
 *
 * @param tensor ranks of tensor parallelism
 * @param contextRanks among which a sequence is split
 * @param expertContextRanks of these, those among which experts are shared out
 * @param expertRanks data ranks among which they are
 */
public record RankGroups(GroupPattern tensor, int contextRanks, int expertContextRanks, int expertRanks) {

    public static RankGroups of(GroupPattern tensor, int contextRanks, ExpertMesh experts) {
        return new RankGroups(tensor, contextRanks, experts.contextRanks(), experts.dataRanks());
    }

    /** The group of a collective's mesh dimensions, {@code ep+cp+tp}: as many ranks as all of them have, as near as the innermost one's. */
    public GroupPattern of(String dims) {
        List<String> all = List.of(dims.split("\\+"));
        int size = 1;
        for (String dim : all) {
            size *= size(dim);
        }
        return new GroupPattern(size, stride(all.getLast()));
    }

    private int size(String dim) {
        return switch (dim) {
            case "ep" -> expertRanks;
            case "cp" -> contextRanks;
            case "ecp" -> contextRanks / expertContextRanks;
            case "epc" -> expertContextRanks;
            default -> tensor.size();
        };
    }

    private int stride(String dim) {
        int beside = tensor.size() * tensor.stride();
        return switch (dim) {
            case "ep" -> beside * contextRanks;
            case "cp", "epc" -> beside;
            case "ecp" -> beside * expertContextRanks;
            default -> tensor.stride();
        };
    }
}
