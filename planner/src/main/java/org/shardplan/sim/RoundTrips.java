package org.shardplan.sim;

/**
 * Cycles of 1F1B between its warm-up and its drain. On rank s a pair is a backward slot and the forward slot after it. The round trip
 * F(s)..F(t) B(t)..B(s), sends included, takes t - s + 1 pairs of rank s's order, since that many micro-batches more are in flight on
 * s than on t + 1; its nanoseconds are the pairs of ranks s..t and the sends between them, both ways. Hence the period of a
 * micro-batch is at least the largest mean over all s..t.
 */
final class RoundTrips {
    private static final int REFINEMENTS = 3;

    private int ranks;
    private boolean sends;
    /** Sums of pairs of ranks below r. */
    private long[] pairs = {};
    /** Sums of sends, both ways, between ranks r' and r' + 1 for r' below r. */
    private long[] hops = {};

    private int bestFirst;
    private int bestLast;

    /** @param all every rank, one chunk each */
    void load(LikeRanks all) {
        int ranks = all.kept;
        if (pairs.length <= ranks) {
            pairs = new long[ranks + 1];
            hops = new long[ranks + 1];
        }
        this.ranks = ranks;
        pairs[0] = 0;
        hops[0] = 0;
        for (int rank = 0; rank < ranks; rank++) {
            pairs[rank + 1] = pairs[rank] + all.forward[rank] + all.backward[rank];
            hops[rank + 1] = hops[rank] + (rank + 1 < ranks ? all.sendForward[rank] + all.sendBackward[rank + 1] : 0);
        }
        sends = hops[ranks] > 0;
        if (sends) {
            findBest();
        }
    }

    /** Longest way found through so many pairs from rank {@code first} back to it. */
    long steady(int first, int pairsLeft) {
        long pair = pairs[first + 1] - pairs[first];
        long best = pairsLeft * pair;
        if (!sends || pairsLeft < 2 || first + 1 == ranks) {
            return best;
        }
        int left = pairsLeft - 1;
        long way = Math.max(trips(first, first + 1, left), trips(first, ranks - 1, left));
        if (first == bestFirst && bestLast > first) {
            way = Math.max(way, trips(first, bestLast, left));
        }
        return Math.max(best, pair + way);
    }

    /** Round trips as long as they fit, then one shorter one. */
    private long trips(int first, int last, int left) {
        int length = last - first + 1;
        int whole = left / length;
        int rest = left - whole * length;
        long way = whole * trip(first, last);
        return rest == 0 ? way : way + Math.max(trip(first, first + rest - 1), rest * trip(first, first));
    }

    private long trip(int first, int last) {
        return pairs[last + 1] - pairs[first] + hops[last] - hops[first];
    }

    /** The interval of the largest mean: Dinkelbach's iteration over the largest sum of pairs less their mean so far. */
    private void findBest() {
        int slowest = 0;
        for (int rank = 1; rank < ranks; rank++) {
            slowest = trip(rank, rank) > trip(slowest, slowest) ? rank : slowest;
        }
        boolean all = trip(0, ranks - 1) > ranks * trip(slowest, slowest);
        bestFirst = all ? 0 : slowest;
        bestLast = all ? ranks - 1 : slowest;
        for (int refinement = 0; refinement < REFINEMENTS; refinement++) {
            double mean = (double) trip(bestFirst, bestLast) / (bestLast - bestFirst + 1);
            double sum = 0;
            double bestSum = 0;
            int first = 0;
            boolean better = false;
            int foundFirst = bestFirst;
            int foundLast = bestLast;
            for (int rank = 0; rank < ranks; rank++) {
                double carried = rank == 0 ? 0 : sum + hops[rank] - hops[rank - 1];
                if (carried <= 0) {
                    carried = 0;
                    first = rank;
                }
                sum = carried + (pairs[rank + 1] - pairs[rank]) - mean;
                if (sum > bestSum + 1e-6 * mean) {
                    bestSum = sum;
                    foundFirst = first;
                    foundLast = rank;
                    better = true;
                }
            }
            if (!better) {
                return;
            }
            bestFirst = foundFirst;
            bestLast = foundLast;
        }
    }
}
