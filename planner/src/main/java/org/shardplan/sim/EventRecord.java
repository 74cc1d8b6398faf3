package org.shardplan.sim;

import org.shardplan.cost.PricedProgram;
import org.shardplan.plan.Schedule;

/** When the tasks of one lane began and ended, for a timeline. */
final class EventRecord {
    /** Records nothing. */
    static final EventRecord NONE = new EventRecord();

    private int lane = -1;
    private int ranks;
    private int[] firstSlot = {};
    // by slot, rank after rank
    private long[] slotStart = {};
    private long[] slotEnd = {};
    private long[] sendStart = {};
    private long[] sendEnd = {};
    // by stage and bucket
    private long[][] bucketStart = {};
    private long[][] bucketEnd = {};
    private long meeting;
    private long makespan;

    void begin(int recordedLane, PricedProgram program) {
        Schedule schedule = program.schedule();
        lane = recordedLane;
        ranks = schedule.ranks();
        firstSlot = new int[ranks];
        int slots = 0;
        for (int rank = 0; rank < ranks; rank++) {
            firstSlot[rank] = slots;
            slots += schedule.slots(rank);
        }
        slotStart = new long[slots];
        slotEnd = new long[slots];
        sendStart = new long[slots];
        sendEnd = new long[slots];
        bucketStart = new long[schedule.stages()][];
        bucketEnd = new long[schedule.stages()][];
        for (int stage = 0; stage < bucketStart.length; stage++) {
            bucketStart[stage] = new long[program.bucketNanos()[stage].length];
            bucketEnd[stage] = new long[program.bucketNanos()[stage].length];
        }
    }

    private boolean wanted(int cell) {
        return lane >= 0 && cell / ranks == lane;
    }

    void slotStart(int cell, int index, long now) {
        if (wanted(cell)) {
            slotStart[firstSlot[cell % ranks] + index] = now;
        }
    }

    void slotEnd(int cell, int index, long now) {
        if (wanted(cell)) {
            slotEnd[firstSlot[cell % ranks] + index] = now;
        }
    }

    void sendStart(int cell, int index, long now) {
        if (wanted(cell)) {
            sendStart[firstSlot[cell % ranks] + index] = now;
        }
    }

    void sendEnd(int cell, int index, long now) {
        if (wanted(cell)) {
            sendEnd[firstSlot[cell % ranks] + index] = now;
        }
    }

    void bucketStart(int stage, int bucket, long now) {
        if (lane >= 0) {
            bucketStart[stage][bucket] = now;
        }
    }

    void bucketEnd(int stage, int bucket, long now) {
        if (lane >= 0) {
            bucketEnd[stage][bucket] = now;
        }
    }

    void end(long met, long ended) {
        if (lane >= 0) {
            meeting = met;
            makespan = ended;
        }
    }

    long meeting() {
        return meeting;
    }

    long makespan() {
        return makespan;
    }

    long slotStart(int rank, int index) {
        return slotStart[firstSlot[rank] + index];
    }

    long slotEnd(int rank, int index) {
        return slotEnd[firstSlot[rank] + index];
    }

    long sendStart(int rank, int index) {
        return sendStart[firstSlot[rank] + index];
    }

    long sendEnd(int rank, int index) {
        return sendEnd[firstSlot[rank] + index];
    }

    long bucketStartOf(int stage, int bucket) {
        return bucketStart[stage][bucket];
    }

    long bucketEndOf(int stage, int bucket) {
        return bucketEnd[stage][bucket];
    }
}
