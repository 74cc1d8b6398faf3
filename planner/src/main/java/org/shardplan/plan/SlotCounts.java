package org.shardplan.plan;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * What a schedule's table comes to, whatever its slots take: how many slots of each kind there are, and what a rank holds at its fullest
 * moments. Made once from the table, so that bounds and peaks of many programs need not walk it.
 */
public final class SlotCounts {
    private final Schedule schedule;
    /** By stage and phase: slots that run by themselves or beside another. */
    private final int[][] slots;
    /** By stage: whether a slot of phase W makes the last weight gradients. */
    private final boolean[] lastIsWeight;

    private final List<Pairs> pairs = new ArrayList<>();
    private final List<List<Moment>> moments = new ArrayList<>();
    private final int[][] stagesOfRank;

    /** So many forward slots of a stage run beside backward slots of a stage. */
    public record Pairs(int rank, int forwardStage, int backwardStage, int count) {}

    /**
     * A moment of a rank that no other one exceeds in all it holds.
     *
     * @param saved by chunk of the rank: micro-batches whose activations are held
     * @param kept by chunk: micro-batches that wait for their weight gradients
     * @param forwardStage that runs, -1 where none does
     * @param backwardStage likewise
     */
    public record Moment(int[] saved, int[] kept, int forwardStage, int backwardStage) {
        private boolean covers(Moment other) {
            if (forwardStage != other.forwardStage || backwardStage != other.backwardStage) {
                return false;
            }
            for (int chunk = 0; chunk < saved.length; chunk++) {
                if (saved[chunk] < other.saved[chunk] || kept[chunk] < other.kept[chunk]) {
                    return false;
                }
            }
            return true;
        }
    }

    SlotCounts(Schedule schedule) {
        this.schedule = schedule;
        slots = new int[schedule.stages()][4];
        lastIsWeight = new boolean[schedule.stages()];
        stagesOfRank = new int[schedule.ranks()][];
        for (int rank = 0; rank < schedule.ranks(); rank++) {
            int own = rank;
            stagesOfRank[rank] = IntStream.range(0, schedule.stages())
                    .filter(stage -> schedule.rankOf(stage) == own)
                    .toArray();
            count(rank);
            moments.add(fullest(rank));
        }
    }

    private void count(int rank) {
        Map<Long, Integer> beside = new HashMap<>();
        long[] order = schedule.slotsOf(rank);
        for (int i = 0; i < order.length; i++) {
            int stage = Schedule.stage(order[i]);
            int phase = Schedule.phase(order[i]);
            slots[stage][phase]++;
            lastIsWeight[stage] = Schedule.givesWeights(phase) ? phase == Schedule.W : lastIsWeight[stage];
            if (Schedule.isBeside(order[i])) {
                long key = (long) stage * schedule.stages() + Schedule.stage(order[i + 1]);
                beside.merge(key, 1, Integer::sum);
            }
        }
        beside.forEach((key, count) ->
                pairs.add(new Pairs(rank, (int) (key / schedule.stages()), (int) (key % schedule.stages()), count)));
    }

    private List<Moment> fullest(int rank) {
        int[] own = stagesOfRank[rank];
        int[] saved = new int[own.length];
        int[] kept = new int[own.length];
        List<Moment> most = new ArrayList<>();
        int besideStage = -1;
        for (long slot : schedule.slotsOf(rank)) {
            int stage = Schedule.stage(slot);
            int phase = Schedule.phase(slot);
            int chunk = Arrays.binarySearch(own, stage);
            saved[chunk] += phase == Schedule.F ? 1 : 0;
            int forward = phase == Schedule.F ? stage : besideStage;
            int backward = Schedule.isBackward(phase) ? stage : -1;
            besideStage = Schedule.isBeside(slot) ? stage : -1;
            add(most, new Moment(saved.clone(), kept.clone(), forward, backward));
            saved[chunk] -= Schedule.isBackward(phase) ? 1 : 0;
            kept[chunk] += phase == Schedule.INPUT ? 1 : phase == Schedule.W ? -1 : 0;
        }
        return List.copyOf(most);
    }

    private static void add(List<Moment> most, Moment moment) {
        for (Moment other : most) {
            if (other.covers(moment)) {
                return;
            }
        }
        most.removeIf(moment::covers);
        most.add(moment);
    }

    /** Slots of a stage and phase. */
    public int slots(int stage, int phase) {
        return slots[stage][phase];
    }

    /** Whether a slot of phase W makes a stage's last weight gradients. */
    public boolean lastIsWeight(int stage) {
        return lastIsWeight[stage];
    }

    /** All pairs of slots beside each other. */
    public List<Pairs> pairs() {
        return pairs;
    }

    /** The fullest moments of a rank: of those it is one, whatever a chunk's activations take. */
    public List<Moment> moments(int rank) {
        return moments.get(rank);
    }

    /** Micro-batches of one chunk whose activations a rank holds at once, at the most. */
    public int mostSaved(int rank) {
        int most = 0;
        for (Moment moment : moments.get(rank)) {
            most = Math.max(most, Arrays.stream(moment.saved()).max().orElse(0));
        }
        return most;
    }

    /** Virtual stages of a rank, ascending: the chunks of {@link Moment}. */
    public int[] stagesOf(int rank) {
        return stagesOfRank[rank];
    }
}
