package org.shardplan.plan;

import java.util.Arrays;

/** Tables whose weight gradients stand apart and fill what would be bubbles. */
final class ZeroBubble {
    private ZeroBubble() {}

    /**
     * One chunk a rank (Qi et al. 2023, section 2): as 1F1B, but a weight gradient is put off until the rank holds as many micro-batches as
     * the limit allows; what is left follows the last backward slots.
     *
     * <p>ZB-H1: p - r forward slots first, p micro-batches at most on every rank. ZB-H2: 2(p - r) - 1 and 2p - 1.
     */
    static long[][] onOneChunk(int pp, int microBatches, boolean twice) {
        long[][] table = new long[pp][];
        for (int rank = 0; rank < pp; rank++) {
            int first = twice ? 2 * (pp - rank) - 1 : pp - rank;
            table[rank] = onOneChunk(pp, rank, microBatches, first, twice ? 2 * pp - 1 : pp);
        }
        return table;
    }

    private static long[] onOneChunk(int pp, int rank, int microBatches, int first, int most) {
        SlotList slots = list(pp, microBatches);
        int forward = 0;
        int weights = 0;
        for (int backward = 0; backward < microBatches; backward++) {
            while (forward < Math.min(microBatches, backward + first)) {
                if (forward - weights == most) {
                    slots.add(rank, Schedule.W);
                    weights++;
                }
                slots.add(rank, Schedule.F);
                forward++;
            }
            slots.add(rank, Schedule.INPUT);
            if (forward == microBatches) {
                slots.add(rank, Schedule.W);
                weights++;
            }
        }
        while (weights++ < microBatches) {
            slots.add(rank, Schedule.W);
        }
        return slots.done();
    }

    /**
     * Two chunks a rank, down and up again (Qi et al. 2024, figure 4, ZB-V): of one kind of slot there is always one to run, were F, B and
     * W as long as each other. With fewer than 2p - 1 micro-batches the table is that of 2p - 1 less those that are missing.
     */
    static long[][] onVee(int pp, int microBatches) {
        long[][] table = new long[pp][];
        for (int rank = 0; rank < pp; rank++) {
            table[rank] = onVee(pp, rank, microBatches);
        }
        return table;
    }

    private static long[] onVee(int pp, int rank, int microBatches) {
        SlotList slots = list(2 * pp, microBatches);
        int down = rank;
        int up = 2 * pp - 1 - rank;
        int whole = Math.max(microBatches, 2 * pp - 1);
        for (int i = 0; i < 2 * (pp - rank) - 1; i++) {
            slots.add(down, Schedule.F);
        }
        for (int i = 0; i < rank; i++) {
            slots.add(up, Schedule.F);
            slots.add(down, Schedule.F);
        }
        for (int i = 0; i < pp - rank; i++) {
            turn(slots, up);
        }
        int forwards = 2 * pp - rank - 1;
        for (int i = pp; i < whole; i++) {
            if (forwards++ < whole) {
                slots.add(down, Schedule.F);
            }
            slots.add(down, Schedule.INPUT);
            slots.add(down, Schedule.W);
            turn(slots, up);
        }
        for (int i = 0; i < rank; i++) {
            slots.add(down, Schedule.INPUT);
            slots.add(up, Schedule.INPUT);
        }
        for (int i = 0; i < pp - rank; i++) {
            slots.add(down, Schedule.INPUT);
            slots.add(down, Schedule.W);
        }
        for (int stage : new int[] {up, down}) {
            for (int i = 0; i < rank; i++) {
                slots.add(stage, Schedule.W);
            }
        }
        return slots.done();
    }

    private static void turn(SlotList slots, int stage) {
        slots.add(stage, Schedule.F);
        slots.add(stage, Schedule.INPUT);
        slots.add(stage, Schedule.W);
    }

    private static SlotList list(int stages, int microBatches) {
        int[] batches = new int[stages];
        Arrays.fill(batches, microBatches);
        return new SlotList(new int[stages], batches);
    }
}
