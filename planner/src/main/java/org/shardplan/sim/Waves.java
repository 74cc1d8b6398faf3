package org.shardplan.sim;

import java.util.Arrays;
import org.shardplan.plan.ScheduleKind;
import org.shardplan.plan.Schedules;

/**
 * Paths of an uneven interleaved schedule between its warm-up and its drain. A wave is a group of pairs (a backward slot and the
 * forward slot after it) in which every rank takes its backward slots from one chunk. Ranks are a few slots apart, so that each wave
 * waits for the rank that is slowest in it, and the longest path moves from rank to rank:
 *
 * <ul>
 *   <li>down, with a gradient, within the same pair;
 *   <li>up, with an activation, two pairs a rank;
 *   <li>with a gradient from the first rank to the last, one group of pairs;
 *   <li>with an activation from the last rank to the first, group - 2(p - 1) pairs, which can be a step back.
 * </ul>
 *
 * A walk over the first waves and the last, and in between one cycle of vpp waves as often as it fits. Every move is an edge of the
 * program, so that what is found is a lower bound. O(pp · vpp), whatever the number of micro-batches.
 */
final class Waves {
    private static final long NOWHERE = Long.MIN_VALUE / 4;

    private Durations durations = new Durations();
    private int pp;
    private int vpp;
    private int group;

    // by rank
    /** Longest path found to the start of the rank's backward slot number wave · group. */
    private long[] at = {};

    private long[] kept = {};
    /** Chunk, and place in it, of the forward slot that follows the backward slot 0. */
    private int[] firstChunk = {};

    private int[] offset = {};

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
     * Walks from the starts of the ranks' first backward slots; leaves in {@link #at(int)} the longest path to the start of backward slot
     * number (waves · group), and returns waves; 0 where the schedule is too short.
     */
    int walk(int pp, int vpp, int microBatches, int group, Durations durations, long[] turned) {
        this.durations = durations;
        this.pp = pp;
        this.vpp = vpp;
        this.group = group;
        if (at.length < pp) {
            at = new long[pp];
            kept = new long[pp];
            firstChunk = new int[pp];
            offset = new int[pp];
        }
        int slots = microBatches / group * group * vpp;
        int waves = slots / group - 2;
        for (int rank = 0; rank < pp; rank++) {
            int inFlight = Schedules.inFlight(ScheduleKind.INTERLEAVED, pp, vpp, microBatches, rank);
            waves = Math.min(waves, (slots - inFlight) / group - 1);
            firstChunk[rank] = inFlight / group % vpp;
            offset[rank] = inFlight % group;
            at[rank] = turned[rank];
        }
        if (waves <= 0) {
            return 0;
        }
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
        return at[rank];
    }

    /** A cycle of vpp waves, so many times, from the rank that is furthest; the others stay where they are. */
    private void repeat(int wave, int cycles) {
        int best = 0;
        for (int rank = 1; rank < pp; rank++) {
            best = at[rank] > at[best] ? rank : best;
        }
        System.arraycopy(at, 0, kept, 0, pp);
        Arrays.fill(at, 0, pp, NOWHERE);
        at[best] = 0;
        step(wave, wave + vpp);
        long gain = at[best];
        for (int rank = 0; rank < pp; rank++) {
            long own = 0;
            for (int chunk = 0; chunk < vpp; chunk++) {
                own += group * (durations.forward[chunk * pp + rank] + durations.backward[chunk * pp + rank]);
            }
            at[rank] = kept[rank] + cycles * own;
        }
        at[best] = Math.max(at[best], kept[best] + cycles * gain);
    }

    private void step(int from, int to) {
        for (int wave = from; wave < to; wave++) {
            int backwardStage = (vpp - 1 - wave % vpp) * pp;
            down(backwardStage);
            wrapForward(wave, backwardStage);
            long wrapped = NOWHERE;
            if (backwardStage > 0) {
                wrapped = at[0] + durations.backward[backwardStage] + durations.sendBackward[backwardStage];
            }
            up(wave, backwardStage);
            for (int rank = 0; rank < pp; rank++) {
                at[rank] += pairs(wave, backwardStage, rank, group);
            }
            at[pp - 1] = Math.max(at[pp - 1], wrapped);
        }
    }

    private void down(int backwardStage) {
        for (int rank = pp - 1; rank > 0; rank--) {
            int stage = backwardStage + rank;
            at[rank - 1] = Math.max(at[rank - 1], at[rank] + durations.backward[stage] + durations.sendBackward[stage]);
        }
    }

    /** From the last rank's forward slot to the first rank's of the next chunk, which may be some pairs back. */
    private void wrapForward(int wave, int backwardStage) {
        int chunk = chunk(wave, pp - 1);
        int steps = group - 2 * (pp - 1) + 1;
        if (chunk == vpp - 1 || steps > 0 || wave == 0 || pp == 1 || -steps > group) {
            return;
        }
        int stage = chunk * pp + pp - 1;
        long arrived = at[pp - 1]
                + durations.backward[backwardStage + pp - 1]
                + durations.forward[stage]
                + durations.sendForward[stage];
        int before = backwardStage == (vpp - 1) * pp ? 0 : backwardStage + pp;
        long caughtUp = pairs(wave - 1, before, 0, group) - pairs(wave - 1, before, 0, group + steps);
        at[0] = Math.max(at[0], arrived + caughtUp);
    }

    /** Upwards, less what the rank that is reached had done by then: right for whoever stays there until the wave ends. */
    private void up(int wave, int backwardStage) {
        int from = 0;
        long carried = at[0] + durations.backward[backwardStage] + durations.forward[chunk(wave, 0) * pp];
        int chunk = chunk(wave, 0);
        for (int rank = 1; rank < pp; rank++) {
            int stage = chunk * pp + rank;
            carried += durations.sendForward[stage - 1] + durations.forward[stage];
            int length = 2 * (rank - from) + 1;
            long own = at[rank];
            long reached = length > group ? NOWHERE : carried - pairs(wave, backwardStage, rank, length);
            at[rank] = Math.max(own, reached);
            if (own >= reached) {
                from = rank;
                chunk = chunk(wave, rank);
                carried = own + durations.backward[backwardStage + rank] + durations.forward[chunk * pp + rank];
            }
        }
    }

    private int chunk(int wave, int rank) {
        return (firstChunk[rank] + wave) % vpp;
    }

    /** Nanoseconds of a rank's first {@code count} pairs of a wave, at most a group. */
    private long pairs(int wave, int backwardStage, int rank, int count) {
        int chunk = chunk(wave, rank);
        long inFirst = Math.min(count, group - offset[rank]);
        int next = chunk + 1 == vpp ? 0 : chunk + 1;
        return count * durations.backward[backwardStage + rank]
                + inFirst * durations.forward[chunk * pp + rank]
                + (count - inFirst) * durations.forward[next * pp + rank];
    }
}
