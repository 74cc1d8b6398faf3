package org.shardplan.plan;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Queue;

/**
 * DualPipe: micro-batches enter at both ends of the pipeline, and in the steady part every forward slot runs beside a backward slot of the
 * other direction (DeepSeek-V3 report 2024, section 3.2.1 and figure 5; the order of a rank's rounds as in deepseek-ai/DualPipe). Cut in
 * half, the second direction is the way back through the same ranks.
 *
 * <p>A rank that is h places from its end of a pipeline of H such places, with M micro-batches a direction, runs: 2(H - h - 1) forward
 * slots of the near direction; h + 1 pairs of forward slots; H - h - 1 times a backward, its weights and a forward slot of the far
 * direction; M - 2H + h + 1 times both directions' pairs; the mirror image of the beginning, in which weight gradients fill what would be
 * idle.
 */
final class DualPipe {
    private final int near;
    private final int far;
    private final int h;
    private final int places;
    private final SlotList slots;
    private final Queue<Integer> weights = new ArrayDeque<>();

    private DualPipe(int near, int far, int h, int places, SlotList slots) {
        this.near = near;
        this.far = far;
        this.h = h;
        this.places = places;
        this.slots = slots;
    }

    /** Two copies of the model: p even, m even and at least 2p. */
    static long[][] twoWays(int pp, int microBatches) {
        int half = microBatches / 2;
        int[] first = new int[2 * pp];
        int[] batches = new int[2 * pp];
        Arrays.fill(first, pp, 2 * pp, half);
        Arrays.fill(batches, half);
        long[][] table = new long[pp][];
        for (int rank = 0; rank < pp; rank++) {
            int back = 2 * pp - 1 - rank;
            boolean firstHalf = rank < pp / 2;
            int h = Math.min(rank, pp - 1 - rank);
            SlotList slots = new SlotList(first, batches);
            DualPipe order = new DualPipe(firstHalf ? rank : back, firstHalf ? back : rank, h, pp / 2, slots);
            table[rank] = order.rounds(half);
        }
        return table;
    }

    /** One copy, two chunks a rank: m at least 2p. */
    static long[][] vee(int pp, int microBatches) {
        int[] batches = new int[2 * pp];
        Arrays.fill(batches, microBatches);
        long[][] table = new long[pp][];
        for (int rank = 0; rank < pp; rank++) {
            SlotList slots = new SlotList(new int[2 * pp], batches);
            table[rank] = new DualPipe(rank, 2 * pp - 1 - rank, rank, pp, slots).rounds(microBatches);
        }
        return table;
    }

    private long[] rounds(int batches) {
        int waits = places - h - 1;
        for (int i = 0; i < 2 * waits; i++) {
            slots.add(near, Schedule.F);
        }
        for (int i = 0; i <= h; i++) {
            slots.add(near, Schedule.F);
            slots.add(far, Schedule.F);
        }
        for (int i = 0; i < waits; i++) {
            inputs(far);
            weight();
            slots.add(far, Schedule.F);
        }
        for (int i = 0; i < batches - 2 * places + h + 1; i++) {
            if (i == 0 && h == places - 1) {
                // where both ways meet the first two run one after another: the others need not wait for both
                slots.add(near, Schedule.F);
                slots.add(far, Schedule.B);
            } else {
                slots.addBeside(near, far);
            }
            slots.addBeside(far, near);
        }
        for (int i = 0; i < waits; i++) {
            slots.add(far, Schedule.B);
            slots.addBeside(far, near);
        }
        for (int i = 0; i < 2 * (h + 1); i++) {
            int stage = i % 2 == 0 ? far : near;
            if (i <= h) {
                slots.add(stage, Schedule.B);
            } else {
                inputs(stage);
            }
        }
        for (int i = 0; i < waits; i++) {
            weight();
            inputs(near);
        }
        while (!weights.isEmpty()) {
            weight();
        }
        return slots.done();
    }

    private void inputs(int stage) {
        slots.add(stage, Schedule.INPUT);
        weights.add(stage);
    }

    private void weight() {
        slots.add(weights.remove(), Schedule.W);
    }
}
