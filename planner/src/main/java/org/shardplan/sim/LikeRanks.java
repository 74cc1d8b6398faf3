package org.shardplan.sim;

import java.util.Arrays;
import org.shardplan.cost.PricedProgram;

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

    /** Ranks from the one in the place before; 1 in the first place, where a path comes from the last rank. */
    int[] steps = {};

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

    private long[] lastReady = {};
    private long[] lastNanos = {};
    /** By rank: 0 where it is like the one before. */
    private long[] unlike = {};

    /** Whether some send runs beside the slots. */
    boolean sends;

    /** @param all keeps every rank */
    void load(PricedProgram program, boolean all) {
        int ranks = program.schedule().ranks();
        int stages = program.schedule().stages();
        reserve(ranks, stages);
        chunks = stages / ranks;
        kept = 0;
        if (!all && ranks > 3) {
            compare(program, ranks, stages);
        }
        for (int r = 0; r < ranks; r++) {
            // the first rank and the last have blocks of their own, and a send less
            if (all || r < 2 || r == ranks - 1 || unlike[r] != 0) {
                if (r > 0 && rank[kept - 1] < r - 1) {
                    rank[kept++] = r - 1;
                }
                rank[kept++] = r;
            }
        }
        for (int i = 0; i < kept; i++) {
            int r = rank[i];
            boolean tied = r == program.tiedFirst() || r == program.tiedLast();
            steps[i] = i == 0 ? 1 : r - rank[i - 1];
            head[i] = program.head()[r];
            exit[i] = program.reduceTail()[r] + (tied ? program.tiedReduce() : 0);
        }
        copy(program, ranks, stages);
    }

    private void reserve(int ranks, int stages) {
        if (rank.length < ranks) {
            rank = new int[ranks];
            steps = new int[ranks];
            head = new long[ranks];
            exit = new long[ranks];
        }
        if (forward.length < stages) {
            forward = new long[stages];
            backward = new long[stages];
            lastBackward = new long[stages];
            sendForward = new long[stages];
            sendBackward = new long[stages];
            bucketSum = new long[stages];
            bucketWay = new long[stages];
            unlike = new long[stages];
        }
    }

    /** Leaves in {@link #unlike} whether a rank differs from the one before it. */
    private void compare(PricedProgram program, int ranks, int stages) {
        long[] forwards = program.forward();
        long[] backwards = program.backward();
        long[] lasts = program.lastBackward();
        long[] ups = program.sendForward();
        long[] downs = program.sendBackward();
        long[] bits = unlike;
        for (int q = 1; q < stages; q++) { // without branches, so that the compiler takes several at a time
            bits[q] = (forwards[q] ^ forwards[q - 1])
                    | (backwards[q] ^ backwards[q - 1])
                    | (lasts[q] ^ lasts[q - 1])
                    | (ups[q] ^ ups[q - 1])
                    | (downs[q] ^ downs[q - 1]);
        }
        for (int first = ranks; first < stages; first += ranks) {
            for (int r = 2; r < ranks - 1; r++) {
                bits[r] |= bits[first + r];
            }
        }
        for (int r = 2; r < ranks - 1; r++) {
            bits[r] |= (program.head()[r] ^ program.head()[r - 1])
                    | (program.reduceTail()[r] ^ program.reduceTail()[r - 1]);
            if (bits[r] == 0 && (tied(program, r) != tied(program, r - 1) || bucketsDiffer(program, r, ranks))) {
                bits[r] = 1;
            }
        }
    }

    private static boolean tied(PricedProgram program, int r) {
        return r == program.tiedFirst() || r == program.tiedLast();
    }

    private static boolean bucketsDiffer(PricedProgram program, int r, int ranks) {
        long[][] ready = program.bucketReady();
        long[][] nanos = program.bucketNanos();
        for (int q = r; q < ready.length; q += ranks) {
            if (differ(ready[q], ready[q - 1]) || differ(nanos[q], nanos[q - 1])) {
                return true;
            }
        }
        return false;
    }

    private static boolean differ(long[] left, long[] right) {
        return left != right && !Arrays.equals(left, right);
    }

    private void copy(PricedProgram program, int ranks, int stages) {
        boolean block = program.sendsBlock() && ranks > 1;
        boolean beside = !program.sendsBlock() && ranks > 1;
        int to = 0;
        for (int first = 0; first < stages; first += ranks) {
            for (int i = 0; i < kept; i++, to++) {
                int stage = first + rank[i];
                long up = program.sendForward()[stage];
                long down = program.sendBackward()[stage];
                forward[to] = program.forward()[stage] + (block ? up : 0);
                backward[to] = program.backward()[stage] + (block ? down : 0);
                lastBackward[to] = program.lastBackward()[stage] + (block ? down : 0);
                sendForward[to] = beside ? up : 0;
                sendBackward[to] = beside ? down : 0;
                buckets(program, stage, to);
            }
        }
        // the last stage sends no activation, the first no gradient
        int last = to - 1;
        forward[last] = program.forward()[stages - 1];
        sendForward[last] = 0;
        backward[0] = program.backward()[0];
        lastBackward[0] = program.lastBackward()[0];
        sendBackward[0] = 0;
        long any = 0;
        for (int i = 0; i < to && beside; i++) {
            any |= sendForward[i] | sendBackward[i];
        }
        sends = any != 0;
    }

    private void buckets(PricedProgram program, int stage, int to) {
        long[] ready = program.bucketReady()[stage];
        long[] nanos = program.bucketNanos()[stage];
        if (to > 0 && ready == lastReady && nanos == lastNanos) {
            bucketSum[to] = bucketSum[to - 1];
            bucketWay[to] = bucketWay[to - 1];
            return;
        }
        int before = stage - program.schedule().ranks();
        if (before >= 0 && ready == program.bucketReady()[before] && nanos == program.bucketNanos()[before]) {
            bucketSum[to] = bucketSum[to - kept];
            bucketWay[to] = bucketWay[to - kept];
            return;
        }
        lastReady = ready;
        lastNanos = nanos;
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
