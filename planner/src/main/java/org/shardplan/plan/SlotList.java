package org.shardplan.plan;

import java.util.Arrays;

/** Builds one rank's order of slots: micro-batches of a stage pass each phase one after another. */
final class SlotList {
    private long[] slots = new long[64];
    private int count;
    /** By stage: micro-batches that have passed each phase. */
    private final int[][] passed;

    private final int[] firstBatch;
    private final int[] batches;

    /**
     * @param firstBatch by stage: the first micro-batch that passes it
     * @param batches by stage: how many do; slots beyond are left out
     */
    SlotList(int[] firstBatch, int[] batches) {
        this.firstBatch = firstBatch;
        this.batches = batches;
        passed = new int[batches.length][4];
    }

    /** The next micro-batch of a stage passes a phase. */
    void add(int stage, int phase) {
        int batch = next(stage, phase);
        if (batch < batches[stage]) {
            put(Schedule.slot(stage, firstBatch[stage] + batch, phase));
        }
    }

    /** Forward of one stage beside the whole backward of another. */
    void addBeside(int forwardStage, int backwardStage) {
        put(Schedule.beside(
                Schedule.slot(forwardStage, firstBatch[forwardStage] + next(forwardStage, Schedule.F), Schedule.F)));
        put(Schedule.slot(backwardStage, firstBatch[backwardStage] + next(backwardStage, Schedule.B), Schedule.B));
    }

    /** Phases B and INPUT share a count: each micro-batch passes one of them. */
    private int next(int stage, int phase) {
        int counter = phase == Schedule.INPUT ? Schedule.B : phase;
        if (phase == Schedule.B) {
            passed[stage][Schedule.W]++;
        }
        return passed[stage][counter]++;
    }

    private void put(long slot) {
        if (count == slots.length) {
            slots = Arrays.copyOf(slots, 2 * count);
        }
        slots[count++] = slot;
    }

    long[] done() {
        return Arrays.copyOf(slots, count);
    }
}
