package org.shardplan.sim;

import java.util.Arrays;

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
 * Every move is an edge of the program, or several in a row along like ranks, so that what is found is a lower bound.
 * O(unlike ranks · vpp), whatever the number of micro-batches.
 */
final class Waves {
    /** Waves to come: an activation on its way up is two groups of pairs ahead at most. */
    private static final int ROWS = 4;

    private LikeRanks ranks = new LikeRanks();
    private int kept;
    private int vpp;
    private int group;
    /** All stages of kept ranks. */
    private int stages;

    /** By wave (modulo rows) and place: longest path found to the start of the rank's first backward slot in it. */
    private long[] ahead = {};
    // by place
    private long[] before = {};
    /** Stage, and place in its group, of the forward slot that follows backward slot 0. */
    private int[] firstForward = {};

    private int[] offset = {};
    /** The present wave's: stage of the forward slot that follows the wave's first backward slot. */
    private int[] forwardStage = {};
    /** The present wave's: first stage of the chunk of all backward slots. */
    private int backwardChunk;

    private int row;

    /** Whether some chunk isn't the same on all ranks. */
    static boolean uneven(LikeRanks ranks) {
        int kept = ranks.kept;
        for (int first = 0; first < kept * ranks.chunks; first += kept) {
            for (int stage = first + 1; stage < first + kept; stage++) {
                if (ranks.forward[stage] != ranks.forward[stage - 1]
                        || ranks.backward[stage] != ranks.backward[stage - 1]) {
                    return true;
                }
            }
        }
        return false;
    }

    /**
     * Walks from the starts of the ranks' first backward slots; leaves in {@link #at} the longest path to the start of backward slot
     * number waves · group, and returns waves; 0 where the schedule is too short.
     *
     * @param inFlight forward slots before a rank's first backward slot
     */
    int walk(int microBatches, int group, LikeRanks ranks, int[] inFlight, long[] turned) {
        int waves = prepare(microBatches, group, ranks, inFlight);
        if (waves <= 0) {
            return 0;
        }
        start(0);
        System.arraycopy(turned, 0, ahead, row, kept);
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

    long at(int place) {
        return ahead[row + place];
    }

    private int prepare(int microBatches, int group, LikeRanks ranks, int[] inFlight) {
        this.ranks = ranks;
        this.group = group;
        kept = ranks.kept;
        vpp = ranks.chunks;
        stages = kept * vpp;
        if (before.length < kept) {
            ahead = new long[ROWS * kept];
            before = new long[kept];
            firstForward = new int[kept];
            offset = new int[kept];
            forwardStage = new int[kept];
        }
        int slots = microBatches / group * group * vpp;
        int waves = slots / group - 2;
        for (int i = 0; i < kept; i++) {
            waves = Math.min(waves, (slots - inFlight[i]) / group - 1);
            int groups = inFlight[i] / group;
            offset[i] = inFlight[i] - groups * group;
            firstForward[i] = groups % vpp * kept + i;
        }
        return waves;
    }

    private void start(int wave) {
        Arrays.fill(ahead, 0, ROWS * kept, LikeRanks.NOWHERE);
        row = wave % ROWS * kept;
    }

    /** A cycle of vpp waves, so many times, from the rank that is furthest; the others do their own work. */
    private void repeat(int wave, int cycles) {
        int best = 0;
        for (int i = 1; i < kept; i++) {
            best = at(i) > at(best) ? i : best;
        }
        System.arraycopy(ahead, row, before, 0, kept);
        start(wave);
        ahead[row + best] = 0;
        step(wave, wave + vpp);
        long gain = at(best);
        start(wave + vpp * cycles);
        for (int i = 0; i < kept; i++) {
            long cycle = 0;
            for (int stage = i; stage < stages; stage += kept) {
                cycle += ranks.forward[stage] + ranks.backward[stage];
            }
            ahead[row + i] = before[i] + cycles * group * cycle;
        }
        ahead[row + best] = Math.max(at(best), before[best] + cycles * gain);
    }

    private void step(int fromWave, int toWave) {
        enter(fromWave);
        for (int wave = fromWave; wave < toWave; wave++) {
            if (kept > 1) {
                wrapForward(wave);
                wrapBackward(wave);
                down();
                up();
            }
            for (int i = 0; i < kept; i++) {
                reach(i, 1, at(i) + wavePairs(i));
            }
            Arrays.fill(ahead, row, row + kept, LikeRanks.NOWHERE);
            row = rowAfter(1);
            backwardChunk = backwardChunk == 0 ? stages - kept : backwardChunk - kept;
            for (int i = 0; i < kept; i++) {
                forwardStage[i] = next(forwardStage[i]);
            }
        }
    }

    private void enter(int wave) {
        int chunk = wave % vpp;
        backwardChunk = (vpp - 1 - chunk) * kept;
        for (int i = 0; i < kept; i++) {
            int stage = firstForward[i] + chunk * kept;
            forwardStage[i] = stage < stages ? stage : stage - stages;
        }
    }

    /** The same rank's next chunk, after the last one the first. */
    private int next(int stage) {
        return stage + kept < stages ? stage + kept : stage + kept - stages;
    }

    private int previous(int stage) {
        return stage < kept ? stage + stages - kept : stage - kept;
    }

    private int rowAfter(int waves) {
        int after = row + waves * kept;
        return after >= ROWS * kept ? after - ROWS * kept : after;
    }

    private void reach(int place, int waves, long start) {
        int index = rowAfter(waves) + place;
        ahead[index] = Math.max(ahead[index], start);
    }

    private void down() {
        for (int i = kept - 1; i > 0; i--) {
            int stage = backwardChunk + i;
            long way = (ranks.rank[i] - ranks.rank[i - 1]) * (ranks.backward[stage] + ranks.sendBackward[stage]);
            ahead[row + i - 1] = Math.max(ahead[row + i - 1], ahead[row + i] + way);
        }
    }

    /** From the last rank's forward slot to the first rank's of the next chunk, some pairs back, and on to the present. */
    private void wrapForward(int wave) {
        int last = kept - 1;
        int stage = forwardStage[last];
        int back = 2 * ranks.rank[last] - 1 - group;
        if (stage + kept >= stages || back < 1 || wave == 0) {
            return;
        }
        long start = at(last) + ranks.backward[backwardChunk + last] + ranks.forward[stage] + ranks.sendForward[stage];
        // the last pairs of the wave before
        int backward = backwardChunk == stages - kept ? 0 : backwardChunk + kept;
        int forward = previous(forwardStage[0]);
        reach(0, 0, start + pairs(0, backward, forward, group) - pairs(0, backward, forward, group - back));
    }

    /** From the first rank to the last, a wave on: from its first backward slot, and from its last of the wave before. */
    private void wrapBackward(int wave) {
        int last = kept - 1;
        int stageBefore = backwardChunk == stages - kept ? 0 : backwardChunk + kept;
        if (wave > 0 && stageBefore > 0) {
            int forward = offset[0] == 0 ? previous(forwardStage[0]) : forwardStage[0];
            long start = at(0) - ranks.forward[forward] + ranks.sendBackward[stageBefore];
            int lastForward = offset[last] == 0 ? forwardStage[last] : next(forwardStage[last]);
            reach(last, 1, start + ranks.backward[backwardChunk + last] + ranks.forward[lastForward]);
        }
        if (backwardChunk > 0) {
            reach(last, 1, at(0) + ranks.backward[backwardChunk] + ranks.sendBackward[backwardChunk]);
        }
    }

    /** Upwards from each rank, or on from a rank below where that is further. */
    private void up() {
        int from = 0;
        int chunk = forwardStage[0];
        long carried = at(0) + ranks.backward[backwardChunk] + ranks.forward[chunk];
        for (int i = 1; i < kept; i++) {
            int stage = chunk + i;
            carried += (ranks.rank[i] - ranks.rank[i - 1]) * (ranks.sendForward[stage - 1] + ranks.forward[stage]);
            int length = 2 * (ranks.rank[i] - ranks.rank[from]) + 1;
            long own = at(i);
            long start = carried - pairs(i, backwardChunk, forwardStage[i], length);
            if (own < start) {
                // the first backward slot that comes after it
                boolean second = length > group;
                reach(i, second ? 2 : 1, start + wavePairs(i) + (second ? nextWavePairs(i) : 0));
            } else {
                from = i;
                chunk = forwardStage[i] - i;
                carried = own + ranks.backward[backwardChunk + i] + ranks.forward[forwardStage[i]];
            }
        }
    }

    private long wavePairs(int i) {
        int forward = forwardStage[i];
        return wavePairs(i, backwardChunk, forward);
    }

    private long nextWavePairs(int i) {
        return wavePairs(i, backwardChunk == 0 ? stages - kept : backwardChunk - kept, next(forwardStage[i]));
    }

    private long wavePairs(int i, int backward, int forward) {
        return group * (ranks.backward[backward + i] + ranks.forward[forward])
                + offset[i] * (ranks.forward[next(forward)] - ranks.forward[forward]);
    }

    /** Nanoseconds of a rank's first pairs in a wave and the one after it. */
    private long pairs(int i, int backward, int forward, int count) {
        if (count > group) {
            int after = backward == 0 ? stages - kept : backward - kept;
            return wavePairs(i, backward, forward) + pairs(i, after, next(forward), count - group);
        }
        long nanos = count * (ranks.backward[backward + i] + ranks.forward[forward]);
        int over = count + offset[i] - group;
        return over <= 0 ? nanos : nanos + over * (ranks.forward[next(forward)] - ranks.forward[forward]);
    }
}
