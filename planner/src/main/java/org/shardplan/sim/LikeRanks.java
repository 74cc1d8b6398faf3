package org.shardplan.sim;

import java.util.Arrays;
import org.shardplan.cost.PricedProgram;
import org.shardplan.plan.Schedule;

/**
 * A generated schedule's program by runs of like ranks, of each run its first rank and its last: along a run, paths grow by the same
 * step from rank to rank, so that the longest of them start and end at its ends. Lengths have one form for both ways of sending: a send
 * that blocks becomes part of its slot, what is left of sends runs beside the slots. Reused from program to program.
 *
 * <p>Arrays by chunk and kept rank: index = chunk · {@link #kept} + place, with places counted from 0.
 */
final class LikeRanks {
    /** No path leads here. */
    static final long NOWHERE = Long.MIN_VALUE / 4;

    /** Kept ranks. */
    int kept;

    int chunks;
    /** The rank in each place, ascending. */
    int[] rank = {};

    long[] head = {};
    /** After a rank's last bucket: its reduce tail, and the tied reduction where it takes part in that. */
    long[] exit = {};

    long[] forward = {};
    long[] backward = {};
    long[] lastBackward = {};
    long[] sendForward = {};
    long[] sendBackward = {};
    /** All buckets of a stage one after another. */
    long[] bucketSum = {};
    /** From the start of the last backward slot to the end of its buckets, were the data stream idle before; NOWHERE without buckets. */
    long[] bucketWay = {};

    /** Whether some send runs beside the slots. */
    boolean sends;

    /** @param all keeps every rank */
    void load(PricedProgram program, boolean all) {
        int ranks = program.schedule().ranks();
        if (rank.length < ranks) {
            rank = new int[ranks];
            head = new long[ranks];
            exit = new long[ranks];
        }
        chunks = program.schedule().stages() / ranks;
        kept = 0;
        for (int r = 0; r < ranks; r++) {
            // the first rank and the last have blocks of their own, and a send less
            if (all || r < 2 || r == ranks - 1 || !alike(program, r)) {
                if (r > 0 && rank[kept - 1] < r - 1) {
                    rank[kept++] = r - 1;
                }
                rank[kept++] = r;
            }
        }
        for (int i = 0; i < kept; i++) {
            head[i] = program.head()[rank[i]];
            exit[i] = exit(program, rank[i]);
        }
        stages(program, ranks);
    }

    /** Whether a rank is like the one before it. */
    private static boolean alike(PricedProgram program, int r) {
        int ranks = program.schedule().ranks();
        if (program.head()[r] != program.head()[r - 1] || exit(program, r) != exit(program, r - 1)) {
            return false;
        }
        long[] forward = program.forward();
        long[] backward = program.backward();
        for (int stage = r; stage < forward.length; stage += ranks) {
            if (forward[stage] != forward[stage - 1]
                    || backward[stage] != backward[stage - 1]
                    || program.lastBackward()[stage] != program.lastBackward()[stage - 1]
                    || program.sendForward()[stage] != program.sendForward()[stage - 1]
                    || program.sendBackward()[stage] != program.sendBackward()[stage - 1]
                    || differ(program.bucketReady()[stage], program.bucketReady()[stage - 1])
                    || differ(program.bucketNanos()[stage], program.bucketNanos()[stage - 1])) {
                return false;
            }
        }
        return true;
    }

    private static boolean differ(long[] left, long[] right) {
        return left != right && !Arrays.equals(left, right);
    }

    private static long exit(PricedProgram program, int r) {
        boolean tied = r == program.tiedFirst() || r == program.tiedLast();
        return program.reduceTail()[r] + (tied ? program.tiedReduce() : 0);
    }

    private void stages(PricedProgram program, int ranks) {
        int all = program.schedule().stages();
        int size = chunks * kept;
        if (forward.length < size) {
            forward = new long[all];
            backward = new long[all];
            lastBackward = new long[all];
            sendForward = new long[all];
            sendBackward = new long[all];
            bucketSum = new long[all];
            bucketWay = new long[all];
        }
        boolean block = program.sendsBlock();
        long beside = 0;
        for (int to = 0, first = 0; to < size; first += ranks) {
            for (int i = 0; i < kept; i++, to++) {
                int stage = first + rank[i];
                long up = stage + 1 == all || ranks == 1 ? 0 : program.sendForward()[stage];
                long down = stage == 0 || ranks == 1 ? 0 : program.sendBackward()[stage];
                forward[to] = program.forward()[stage] + (block ? up : 0);
                backward[to] = program.backward()[stage] + (block ? down : 0);
                lastBackward[to] = program.lastBackward()[stage] + (block ? down : 0);
                sendForward[to] = block ? 0 : up;
                sendBackward[to] = block ? 0 : down;
                beside |= sendForward[to] | sendBackward[to];
                buckets(program.bucketReady()[stage], program.bucketNanos()[stage], to);
            }
        }
        sends = beside != 0;
    }

    private void buckets(long[] ready, long[] nanos, int to) {
        long sum = 0;
        long way = NOWHERE;
        for (int bucket = nanos.length - 1; bucket >= 0; bucket--) {
            sum += nanos[bucket];
            way = Math.max(way, ready[bucket] + sum);
        }
        bucketSum[to] = sum;
        bucketWay[to] = way;
    }
}
