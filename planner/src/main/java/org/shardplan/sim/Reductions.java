package org.shardplan.sim;

import org.shardplan.cost.PricedProgram;
import org.shardplan.plan.Schedule;

/** Queues of gradient buckets, one a pipeline rank: stages join in the order of their last backward slots. */
final class Reductions {
    // by rank
    private int[] first = {};
    private int[] joined = {};
    private int[] turn = {};
    private int[] bucket = {};
    private boolean[] waiting = {};
    private long[] end = {};
    /** Stages in order of joining, rank after rank. */
    private int[] order = {};

    void reset(Schedule schedule) {
        int ranks = schedule.ranks();
        if (first.length < ranks) {
            first = new int[ranks];
            joined = new int[ranks];
            turn = new int[ranks];
            bucket = new int[ranks];
            waiting = new boolean[ranks];
            end = new long[ranks];
        }
        if (order.length < schedule.stages()) {
            order = new int[schedule.stages()];
        }
        int filled = 0;
        for (int rank = 0; rank < ranks; rank++) {
            first[rank] = filled;
            for (int stage = 0; stage < schedule.stages(); stage++) {
                filled += schedule.rankOf(stage) == rank ? 1 : 0;
            }
            joined[rank] = 0;
            turn[rank] = 0;
            bucket[rank] = 0;
            waiting[rank] = false;
            end[rank] = 0;
        }
    }

    void join(int rank, int stage) {
        order[first[rank] + joined[rank]++] = stage;
    }

    /** Goes on to the next bucket that has joined; whether there is one. */
    boolean next(int rank, PricedProgram program) {
        while (turn[rank] < joined[rank] && bucket[rank] == program.bucketNanos()[stage(rank)].length) {
            turn[rank]++;
            bucket[rank] = 0;
        }
        return turn[rank] < joined[rank];
    }

    int stage(int rank) {
        return order[first[rank] + turn[rank]];
    }

    int bucket(int rank) {
        return bucket[rank];
    }

    void waits(int rank) {
        waiting[rank] = true;
    }

    /** Whether the stream has waited for the bucket, and does so no longer. */
    boolean waited(int rank) {
        boolean was = waiting[rank];
        waiting[rank] = false;
        return was;
    }

    void ended(int rank, long now) {
        bucket[rank]++;
        end[rank] = now;
    }

    /** End of the last bucket so far. */
    long end(int rank) {
        return end[rank];
    }
}
