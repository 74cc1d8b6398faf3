package org.shardplan.cost;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.shardplan.plan.Schedule;
import org.shardplan.plan.Shorthand;
import org.shardplan.program.GroupPattern;
import org.shardplan.program.Program;
import org.shardplan.program.StageProgram;
import org.shardplan.program.StageProgram.Run;

/**
 * A program as far as prices go: its schedule, its groups, and the priced blocks of each virtual stage in order. A search that has
 * priced its blocks before builds it without lowering a program anew.
 *
 * @param contextRanks among which each sequence is split
 * @param pipelineStride ranks between neighbours of the pipeline
 * @param zero ZeRO stage
 * @param stages by virtual stage
 */
public record PricingInput(
        Schedule schedule,
        GroupPattern tensor,
        DataGroups data,
        int contextRanks,
        int pipelineStride,
        int zero,
        List<List<CostRun>> stages) {

    /** Of a lowered program, its blocks priced. Stages that are alike share a list of runs: they are priced once. */
    static PricingInput of(Program program, BlockPricer blocks) {
        GroupPattern tensor = program.group("tp");
        Shorthand plan = program.plan().shorthand();
        RankGroups groups = RankGroups.of(tensor, plan.cp(), plan.experts());
        List<List<CostRun>> stages = new ArrayList<>();
        List<List<Run>> distinct = new ArrayList<>();
        List<List<CostRun>> priced = new ArrayList<>();
        for (StageProgram stage : program.stages()) {
            int like = distinct.size() - 1;
            while (like >= 0 && !alike(stage.runs(), distinct.get(like))) {
                like--;
            }
            if (like < 0) {
                List<CostRun> runs = new ArrayList<>();
                for (Run run : stage.runs()) {
                    runs.add(new CostRun(blocks.price(run.program(), groups), run.repeats(), run.level()));
                }
                like = distinct.size();
                distinct.add(stage.runs());
                priced.add(runs);
            }
            stages.add(priced.get(like));
        }
        return new PricingInput(
                program.plan().schedule(),
                tensor,
                DataGroups.of(
                        plan.parameterRanks(),
                        plan.cp() > 1
                                ? program.group("cp").stride()
                                : program.group("dp").stride(),
                        plan.experts(),
                        plan.replicas()),
                plan.cp(),
                program.group("pp").stride(),
                plan.zero(),
                stages);
    }

    private static boolean alike(List<Run> left, List<Run> right) {
        boolean alike = left.size() == right.size();
        for (int i = 0; alike && i < left.size(); i++) {
            Run run = left.get(i);
            Run other = right.get(i);
            alike = run.program() == other.program()
                    && run.repeats() == other.repeats()
                    && run.level() == other.level();
        }
        return alike;
    }

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

    /** Of {@link #elements}, those of experts that not all data ranks hold. */
    long[] expertElements() {
        long[] elements = new long[ranks()];
        for (int q = 0; q < stages.size(); q++) {
            for (CostRun run : stages.get(q)) {
                elements[schedule.rankOf(q)] += run.cost().expertElements() * run.repeats();
            }
        }
        return elements;
    }

    /** Elements of each rank that are not trained. */
    BlockCost.Frozen[] frozen() {
        BlockCost.Frozen[] frozen = new BlockCost.Frozen[ranks()];
        Arrays.fill(frozen, BlockCost.Frozen.NONE);
        for (int q = 0; q < stages.size(); q++) {
            int rank = schedule.rankOf(q);
            for (CostRun run : stages.get(q)) {
                BlockCost.Frozen more = run.cost().frozen();
                frozen[rank] = new BlockCost.Frozen(
                        frozen[rank].elements() + more.elements() * run.repeats(),
                        0,
                        frozen[rank].expert() + more.expert() * run.repeats());
            }
        }
        if (ranks() == 1 && !stages.getFirst().isEmpty()) {
            long twice = Math.min(
                    stages.getFirst().getFirst().cost().frozen().shared(),
                    stages.getLast().getLast().cost().frozen().shared());
            frozen[0] = new BlockCost.Frozen(frozen[0].elements() - twice, 0, frozen[0].expert());
        }
        return frozen;
    }

    /** Whether the n-th run of a virtual stage is the embedding or the head. */
    boolean isEdge(int q, int n) {
        return (q == 0 && n == 0)
                || (q == stages.size() - 1 && n == stages.get(q).size() - 1);
    }

    /** Elements of embedding and head, as far as a rank has them. */
    long edgeElements(int rank) {
        long embedding = embedding(rank);
        long head = head(rank);
        return embedding > 0 && head > 0 ? embedding + head - shared() : embedding + head;
    }

    /** Elements of the larger of the two, as far as a rank has them. */
    long largestEdge(int rank) {
        return Math.max(embedding(rank), head(rank));
    }

    private long embedding(int rank) {
        boolean first = schedule.rankOf(0) == rank && !stages.getFirst().isEmpty();
        return first ? stages.getFirst().getFirst().cost().weights() : 0;
    }

    private long head(int rank) {
        boolean last =
                schedule.rankOf(stages.size() - 1) == rank && !stages.getLast().isEmpty();
        return last ? stages.getLast().getLast().cost().weights() : 0;
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
