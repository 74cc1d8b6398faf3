package org.shardplan.sim;

import java.util.Arrays;
import org.shardplan.plan.ScheduleKind;
import org.shardplan.plan.Schedules;

/**
 * Paths of an uneven interleaved schedule between its warm-up and its drain. A pair is a backward slot and the forward slot after it;
 * a wave is a group of pairs in which every rank takes its backward slots from one chunk; the forward slots change chunk somewhere
 * within it, not at the same place on all ranks. Ranks are a few slots apart, so that at any time they wait for the one that is
 * slowest then, and the longest path moves from rank to rank:
 *
 * <ul>
 *   <li>down, with a gradient, within the same pair;
 *   <li>up, with an activation, two pairs a rank;
 *   <li>with a gradient from the first rank to the last, one group of pairs;
 *   <li>with an activation from the last rank to the first, group - 2(p - 1) pairs, which can be a step back.
 * </ul>
 *
 * A walk over the first waves and the last, moves at the start of each, and in between one cycle of vpp waves as often as it fits.
 * Every move is an edge of the program, so that what is found is a lower bound. O(pp · vpp), whatever the number of micro-batches.
 */
final class Waves {
    /** Waves to come: an activation on its way up is two groups of pairs ahead at most. */
    private static final int ROWS = 4;

    private static final long NOWHERE = Long.MIN_VALUE / 4;

    private Durations durations = new Durations();
    private int pp;
    private int vpp;
    private int group;

    /** By wave (modulo rows) and rank: longest path found to the start of the rank's first backward slot in it. */
    private long[] ahead = {};
    // by rank
    private long[] kept = {};
    /** Chunk, and place in it, of the forward slot that follows backward slot 0. */
    private int[] firstChunk = {};

    private int[] offset = {};

    private int row;

    /** Whether some chunk isn't the same on all ranks. */
    static boolean uneven(int pp, int stages, Durations durations) {
        for (int stage = 1; stage < stages; stage++) {
            if (stage % pp != 0
                    && (durations.forward[stage] != durations.forward[stage - 1]
                            || durations.backward[stage] != durations.backward[stage - 1])) {
                return true;
            }
        }
        return false;
    }

    /**
     * Walks from the starts of the ranks' first backward slots; leaves in {@link #at} the longest path to the start of backward slot
     * number waves · group, and returns waves; 0 where the schedule is too short.
     */
    int walk(int pp, int vpp, int microBatches, int group, Durations durations, long[] turned) {
        int waves = prepare(pp, vpp, microBatches, group, durations);
        if (waves <= 0) {
            return 0;
        }
        start(0);
        System.arraycopy(turned, 0, ahead, row, pp);
        int first = Math.min(waves, vpp + waves % vpp);
        step(0, first);
        int cycles = (waves - first) / vpp;
        if (cycles > 1) {
            repeat(first, cycles - 1);
        }
        if (cycles > 0) {
            step(waves - vpp, waves);
        }
        return waves;
    }

    long at(int rank) {
        return ahead[row + rank];
    }

    private int prepare(int pp, int vpp, int microBatches, int group, Durations durations) {
        this.durations = durations;
        this.pp = pp;
        this.vpp = vpp;
        this.group = group;
        if (kept.length < pp) {
            ahead = new long[ROWS * pp];
            kept = new long[pp];
            firstChunk = new int[pp];
            offset = new int[pp];
        }
        int slots = microBatches / group * group * vpp;
        int waves = slots / group - 2;
        for (int rank = 0; rank < pp; rank++) {
            int inFlight = Schedules.inFlight(ScheduleKind.INTERLEAVED, pp, vpp, microBatches, group, rank);
            waves = Math.min(waves, (slots - inFlight) / group - 1);
            firstChunk[rank] = inFlight / group % vpp;
            offset[rank] = inFlight % group;
        }
        return waves;
    }

    private void start(int wave) {
        Arrays.fill(ahead, 0, ROWS * pp, NOWHERE);
        row = wave % ROWS * pp;
    }

    /** A cycle of vpp waves, so many times, from the rank that is furthest; the others do their own work. */
    private void repeat(int wave, int cycles) {
        int best = 0;
        for (int rank = 1; rank < pp; rank++) {
            best = at(rank) > at(best) ? rank : best;
        }
        System.arraycopy(ahead, row, kept, 0, pp);
        start(wave);
        ahead[row + best] = 0;
        step(wave, wave + vpp);
        long gain = at(best);
        start(wave + vpp * cycles);
        for (int rank = 0; rank < pp; rank++) {
            ahead[row + rank] = kept[rank] + cycles * pairs(rank, 0, 0, group * vpp);
        }
        ahead[row + best] = Math.max(at(best), kept[best] + cycles * gain);
    }

    private void step(int fromWave, int toWave) {
        for (int wave = fromWave; wave < toWave; wave++) {
            int backwardStage = (vpp - 1 - wave % vpp) * pp;
            if (pp > 1) {
                wrapForward(wave, backwardStage);
                wrapBackward(wave, backwardStage);
                down(backwardStage);
                up(wave, backwardStage);
            }
            for (int rank = 0; rank < pp; rank++) {
                reach(rank, 1, at(rank) + pairs(rank, wave, 0, group));
            }
            Arrays.fill(ahead, row, row + pp, NOWHERE);
            row = rowAfter(1);
        }
    }

    private int rowAfter(int waves) {
        int after = row + waves * pp;
        return after >= ROWS * pp ? after - ROWS * pp : after;
    }

    private void reach(int rank, int waves, long start) {
        int index = rowAfter(waves) + rank;
        ahead[index] = Math.max(ahead[index], start);
    }

    private void down(int backwardStage) {
        for (int rank = pp - 1; rank > 0; rank--) {
            int stage = backwardStage + rank;
            long start = ahead[row + rank] + durations.backward[stage] + durations.sendBackward[stage];
            ahead[row + rank - 1] = Math.max(ahead[row + rank - 1], start);
        }
    }

    /** From the last rank's forward slot to the first rank's of the next chunk, some pairs back, and on to the present. */
    private void wrapForward(int wave, int backwardStage) {
        int last = pp - 1;
        int chunk = chunk(wave, last);
        int back = 2 * last - 1 - group;
        int from = wave * group - back;
        if (chunk == vpp - 1 || back < 1 || from < 0) {
            return;
        }
        int stage = chunk * pp + last;
        long start = at(last)
                + durations.backward[backwardStage + last]
                + durations.forward[stage]
                + durations.sendForward[stage];
        reach(0, 0, start + pairs(0, from / group, from % group, back));
    }

    /** From the first rank to the last, a wave on: from its first backward slot, and from its last of the wave before. */
    private void wrapBackward(int wave, int backwardStage) {
        int last = pp - 1;
        int stageBefore = backwardStage == (vpp - 1) * pp ? 0 : backwardStage + pp;
        if (wave > 0 && stageBefore > 0) {
            int forwardStage = chunk(wave - 1, 0) * pp + (offset[0] == 0 ? 0 : pp);
            forwardStage = forwardStage == vpp * pp ? 0 : forwardStage;
            long start = at(0) - durations.forward[forwardStage] + durations.sendBackward[stageBefore];
            reach(last, 1, start + pairs(last, wave, group - 1, 1));
        }
        if (backwardStage > 0) {
            reach(last, 1, at(0) + durations.backward[backwardStage] + durations.sendBackward[backwardStage]);
        }
    }

    /** Upwards from each rank, or on from a rank below where that is further. */
    private void up(int wave, int backwardStage) {
        int from = 0;
        int chunk = chunk(wave, 0);
        long carried = at(0) + durations.backward[backwardStage] + durations.forward[chunk * pp];
        for (int rank = 1; rank < pp; rank++) {
            int stage = chunk * pp + rank;
            carried += durations.sendForward[stage - 1] + durations.forward[stage];
            int length = 2 * (rank - from) + 1;
            long own = at(rank);
            if (own < carried - pairs(rank, wave, 0, length)) {
                int waves = (length + group - 1) / group;
                reach(rank, waves, carried + pairs(rank, wave, length, waves * group - length));
            } else {
                from = rank;
                chunk = chunk(wave, rank);
                carried = own + durations.backward[backwardStage + rank] + durations.forward[chunk * pp + rank];
            }
        }
    }

    private int chunk(int wave, int rank) {
        return (firstChunk[rank] + wave) % vpp;
    }

    /** Nanoseconds of so many of a rank's pairs, from the one at this place of a wave on. */
    private long pairs(int rank, int wave, int first, int count) {
        long nanos = 0;
        int at = first % group;
        int left = count;
        int stage = (vpp - 1 - (wave + first / group) % vpp) * pp + rank;
        while (left > 0) {
            int run = Math.min(left, group - at);
            nanos += run * durations.backward[stage];
            left -= run;
            at = 0;
            stage = stage < pp ? stage + (vpp - 1) * pp : stage - pp;
        }
        left = count;
        at = first + offset[rank];
        stage = (firstChunk[rank] + wave + at / group) % vpp * pp + rank;
        at %= group;
        while (left > 0) {
            int run = Math.min(left, group - at);
            nanos += run * durations.forward[stage];
            left -= run;
            at = 0;
            stage = stage + pp >= vpp * pp ? rank : stage + pp;
        }
        return nanos;
    }
}
