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
 * A walk over all waves where they are few; else over the first ones and the last, and in between one cycle of vpp waves as often as it
 * fits. Moves are made at the start of each wave.
 * Every move is an edge of the program, or several in a row along like ranks, so that what is found is a lower bound.
 * O(unlike ranks · vpp), whatever the number of micro-batches.
 */
final class Waves {
    /** Waves to come: an activation on its way up is two groups of pairs ahead at most. */
    private static final int ROWS = 4;

    private static final long UNLIKE = -1;

    /** So many cycles are walked wave by wave. */
    private static final int WALKED = 4;

    private LikeRanks ranks = new LikeRanks();
    private int kept;
    private int vpp;
    private int group;
    /** All stages of kept ranks. */
    private int stages;

    /** By wave (modulo rows) and place: longest path found to the start of the rank's first backward slot in it. */
    private long[] ahead = {};
    /** By chunk: the forward slots of all ranks, {@link #UNLIKE} where they differ; likewise the backward slots. */
    private long[] forwardOf = {};

    private long[] backwardOf = {};
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

    /** Takes the ranks; whether some chunk isn't the same on all of them. */
    boolean uneven(LikeRanks ranks) {
        this.ranks = ranks;
        kept = ranks.kept;
        vpp = ranks.chunks;
        stages = kept * vpp;
        if (forwardOf.length < vpp) {
            forwardOf = new long[vpp];
            backwardOf = new long[vpp];
        }
        long uneven = 0;
        for (int chunk = 0; chunk < vpp; chunk++) {
            long differs = 0;
            int first = chunk * kept;
            for (int stage = first + 1; stage < first + kept; stage++) {
                differs |=
                        (ranks.forward[stage] ^ ranks.forward[first]) | (ranks.backward[stage] ^ ranks.backward[first]);
            }
            uneven |= differs;
            forwardOf[chunk] = differs == 0 ? ranks.forward[first] : UNLIKE;
            backwardOf[chunk] = differs == 0 ? ranks.backward[first] : UNLIKE;
        }
        return uneven != 0;
    }

    /**
     * Walks from the starts of the ranks' first backward slots; leaves in {@link #at} the longest path to the start of backward slot
     * number waves · group, and returns waves; 0 where the schedule is too short.
     *
     * @param inFlight forward slots before a rank's first backward slot
     */
    int walk(int microBatches, int group, int[] inFlight, long[] turned) {
        int waves = prepare(microBatches, group, inFlight);
        if (waves <= 0) {
            return 0;
        }
        start(0);
        System.arraycopy(turned, 0, ahead, row, kept);
        int first = waves <= WALKED * vpp ? waves : waves % vpp;
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

    private int prepare(int microBatches, int group, int[] inFlight) {
        this.group = group;
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
        int phase = fromWave % vpp;
        for (int wave = fromWave; wave < toWave; wave++) {
            long pair = evenPair(phase);
            if (pair != UNLIKE) {
                own(group * pair);
            } else {
                wrapForward(wave);
                wrapBackward(wave);
                down();
                up();
            }
            row = rowAfter(1);
            backwardChunk = chunkAfter(backwardChunk);
            phase = phase + 1 == vpp ? 0 : phase + 1;
        }
    }

    /**
     * Nanoseconds of each pair of a wave in which all ranks' pairs take as long, so that a move could as well be made in the next one:
     * {@link #UNLIKE} in others. Ranks are at most two groups apart, hence at three chunks forward.
     */
    private long evenPair(int phase) {
        int first = phase == 0 ? vpp - 1 : phase - 1; // of the last rank, which has least in flight
        int third = phase + 1 == vpp ? 0 : phase + 1;
        long forward = forwardOf[first];
        long backward = backwardOf[vpp - 1 - phase];
        boolean even = forward == forwardOf[phase] && forward == forwardOf[third] && forward != UNLIKE;
        return even && backward != UNLIKE ? forward + backward : UNLIKE;
    }

    /** Each rank through its own pairs to the next wave. */
    private void own(long nanos) {
        int nextRow = rowAfter(1);
        for (int i = 0; i < kept; i++) {
            ahead[nextRow + i] = Math.max(ahead[nextRow + i], ahead[row + i] + nanos);
            ahead[row + i] = LikeRanks.NOWHERE;
            forwardStage[i] = next(forwardStage[i]);
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

    /** The chunk of the backward slots that come next. */
    private int chunkAfter(int chunk) {
        return chunk == 0 ? stages - kept : chunk - kept;
    }

    /** The chunk of the backward slots before. */
    private int chunkBefore(int chunk) {
        return chunk == stages - kept ? 0 : chunk + kept;
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
        long carried = at(kept - 1);
        for (int i = kept - 1; i > 0; i--) {
            int stage = backwardChunk + i;
            carried += ranks.steps[i] * (ranks.backward[stage] + ranks.sendBackward[stage]);
            carried = Math.max(carried, ahead[row + i - 1]);
            ahead[row + i - 1] = carried;
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
        long pair = ranks.backward[chunkBefore(backwardChunk)] + ranks.forward[previous(forwardStage[0])];
        long change = ranks.forward[forwardStage[0]] - ranks.forward[previous(forwardStage[0])];
        reach(0, 0, start + pairs(0, group, pair, change) - pairs(0, group - back, pair, change));
    }

    /** From the first rank to the last, a wave on: from its first backward slot, and from its last of the wave before. */
    private void wrapBackward(int wave) {
        int last = kept - 1;
        int stageBefore = chunkBefore(backwardChunk);
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

    /** Upwards from each rank, or on from a rank below where that is further; and on each rank through its own pairs to the next wave. */
    private void up() {
        long[] forward = ranks.forward;
        int nextRow = rowAfter(1);
        int chunk = forwardStage[0];
        int length = 1;
        long carried = LikeRanks.NOWHERE;
        for (int i = 0; i < kept; i++) {
            int stage = forwardStage[i];
            int after = next(stage);
            long own = ahead[row + i];
            long pair = ranks.backward[backwardChunk + i] + forward[stage];
            long change = forward[after] - forward[stage];
            long reached = own + group * pair + offset[i] * change;
            if (i > 0) {
                carried += ranks.steps[i] * (ranks.sendForward[chunk + i - 1] + forward[chunk + i]);
                length += 2 * ranks.steps[i];
            }
            long start = carried - (length > group ? pairs(i, length) : pairs(i, length, pair, change));
            if (i > 0 && own < start) {
                // at the first wave that comes after it
                if (length > group) {
                    reach(
                            i,
                            2,
                            start
                                    + wavePairs(i, backwardChunk, stage)
                                    + wavePairs(i, chunkAfter(backwardChunk), after));
                } else {
                    reached += start - own;
                }
            } else {
                chunk = stage - i;
                length = 1;
                carried = own + pair;
            }
            ahead[nextRow + i] = Math.max(ahead[nextRow + i], reached);
            ahead[row + i] = LikeRanks.NOWHERE;
            forwardStage[i] = after;
        }
    }

    private long wavePairs(int i, int backward, int forward) {
        return group * (ranks.backward[backward + i] + ranks.forward[forward])
                + offset[i] * (ranks.forward[next(forward)] - ranks.forward[forward]);
    }

    /** Nanoseconds of a rank's first pairs from the start of the present wave on, which reach into the next one. */
    private long pairs(int i, int count) {
        int after = next(forwardStage[i]);
        long pair = ranks.backward[chunkAfter(backwardChunk) + i] + ranks.forward[after];
        long change = ranks.forward[next(after)] - ranks.forward[after];
        return wavePairs(i, backwardChunk, forwardStage[i]) + pairs(i, count - group, pair, change);
    }

    /** Nanoseconds of a rank's first pairs in a wave, the first one's, and by how much those after the change of chunk are longer. */
    private long pairs(int i, int count, long pair, long change) {
        int over = count + offset[i] - group;
        return over > 0 ? count * pair + over * change : count * pair;
    }
}
