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

    /** Of the first {@code count} distinct stages one with the same list of runs as stage q, -1 where there is none. */
    int like(int q, int[] distinct, int count) {
        for (int i = count - 1; i >= 0; i--) {
            if (stages.get(distinct[i]) == stages.get(q)) {
                return distinct[i];
            }
        }
        return -1;
    }

    /** Trained elements of each rank on one data rank, before ZeRO; a tensor that embedding and head share counts once. */
    long[] elements() {
        long[] elements = new long[ranks()];
        for (int q = 0; q < stages.size(); q++) {
            for (CostRun run : stages.get(q)) {
                elements[schedule.rankOf(q)] += run.cost().elements() * run.repeats();
            }
        }
        for (int first = 0; first < stages.size(); first += schedule.stagesOfCopy()) {
            int last = first + schedule.stagesOfCopy() - 1;
            elements[schedule.rankOf(first)] -= schedule.rankOf(first) == schedule.rankOf(last) ? shared() : 0;
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
        for (int first = 0; first < stages.size(); first += schedule.stagesOfCopy()) {
            List<CostRun> head = stages.get(first + schedule.stagesOfCopy() - 1);
            int rank = schedule.rankOf(first);
            if (rank == schedule.rankOf(first + schedule.stagesOfCopy() - 1)
                    && !stages.get(first).isEmpty()
                    && !head.isEmpty()) {
                long twice = Math.min(
                        stages.get(first).getFirst().cost().frozen().shared(),
                        head.getLast().cost().frozen().shared());
                frozen[rank] = new BlockCost.Frozen(frozen[rank].elements() - twice, 0, frozen[rank].expert());
            }
        }
        return frozen;
    }

    /** Whether the n-th run of a virtual stage is the embedding or the head. */
    boolean isEdge(int q, int n) {
        return (schedule.isFirst(q) && n == 0)
                || (schedule.isLast(q) && n == stages.get(q).size() - 1);
    }

    /** Elements of embedding and head, as far as a rank has them. */
    long edgeElements(int rank) {
        long elements = 0;
        for (int copy = 0; copy < schedule.copies(); copy++) {
            long embedding = embedding(rank, copy);
            long head = head(rank, copy);
            elements += embedding > 0 && head > 0 ? embedding + head - shared() : embedding + head;
        }
        return elements;
    }

    /** Elements of the larger of the two, as far as a rank has them. */
    long largestEdge(int rank) {
        long largest = 0;
        for (int copy = 0; copy < schedule.copies(); copy++) {
            largest = Math.max(largest, Math.max(embedding(rank, copy), head(rank, copy)));
        }
        return largest;
    }

    private long embedding(int rank, int copy) {
        int first = copy * schedule.stagesOfCopy();
        boolean here = schedule.rankOf(first) == rank && !stages.get(first).isEmpty();
        return here ? stages.get(first).getFirst().cost().weights() : 0;
    }

    private long head(int rank, int copy) {
        int last = (copy + 1) * schedule.stagesOfCopy() - 1;
        boolean here = schedule.rankOf(last) == rank && !stages.get(last).isEmpty();
        return here ? stages.get(last).getLast().cost().weights() : 0;
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

    /** Elements of the first block that the last one shares from another rank. */
    long sharedOnTwoRanks() {
        return schedule.rankOf(0) == schedule.rankOf(schedule.stagesOfCopy() - 1) ? 0 : shared();
    }
}
