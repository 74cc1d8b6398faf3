package org.shardplan.plan;

import java.util.Optional;

/**
 * Generators of schedule tables. Virtual stage q = chunk · pp + rank, or, where {@link ScheduleKind#rankOf} goes down and up again, the
 * second p stages lie on the ranks in reverse; every index counts from 0.
 *
 * <p>Bubbles as published, on even stages, with F and B of a forward pass and of the input gradients, W of the weight gradients: 1F1B
 * (p - 1)(F + B + W), ZB-H1 (p - 1)(F + B - W), ZB-H2 (p - 1)(F + B - 2W) (Qi et al. 2023, table 2), DualPipe
 * (p/2 - 1)(F&amp;B + B - 3W) with B the whole backward pass there (DeepSeek-V3 report 2024, table 2).
 */
public final class Schedules {
    private Schedules() {}

    /**
     * The schedule of {@code microBatches} micro-batches over {@code pp} ranks of {@code vpp} chunks. Interleaving over one chunk
     * is 1F1B.
     *
     * @throws IllegalArgumentException where the kind has no such schedule: see {@link #refusal}
     */
    public static Schedule of(ScheduleKind kind, int pp, int vpp, int microBatches) {
        if (pp < 1 || vpp < 1 || microBatches < 1 || microBatches >= 1 << 30) {
            throw new IllegalArgumentException("a schedule needs pp, vpp and micro-batches of at least 1: " + pp + ", "
                    + vpp + ", " + microBatches);
        }
        Optional<String> refusal = refusal(kind, pp, vpp, microBatches);
        if (refusal.isPresent()) {
            throw new IllegalArgumentException(refusal.get());
        }
        if (kind.table().isPresent()) {
            return new Schedule(kind, kind.table().get());
        }
        return new Schedule(
                vpp == 1 && kind == ScheduleKind.INTERLEAVED ? ScheduleKind.ONE_F_ONE_B : kind, pp, vpp, microBatches);
    }

    /** Why there is no schedule of this kind with so many ranks, chunks and micro-batches; empty where there is one. */
    public static Optional<String> refusal(ScheduleKind kind, int pp, int vpp, long microBatches) {
        String name = "schedule=" + kind.text();
        if (kind.table().isPresent()) {
            Schedule table = kind.table().get();
            boolean same = table.ranks() == pp && kind.chunks() == vpp && table.microBatches() == microBatches;
            return same
                    ? Optional.empty()
                    : Optional.of(name + " is a table of " + table.ranks() + " ranks with " + kind.chunks()
                            + " chunks each and " + table.microBatches() + " micro-batches, and the plan has pp=" + pp
                            + ", vpp=" + vpp + " and " + microBatches + " micro-batches");
        }
        if (kind.chunks() > 0 && kind.chunks() != vpp) {
            return Optional.of(name + " runs "
                    + (kind.chunks() == 1 ? "one chunk a rank" : kind.chunks() + " chunks a rank") + ", and vpp is "
                    + vpp);
        }
        if (kind == ScheduleKind.DUALPIPE && pp % 2 == 1) {
            return Optional.of(name + " goes through the ranks both ways and needs an even pp, and pp is " + pp);
        }
        if (kind == ScheduleKind.DUALPIPE && (microBatches % 2 == 1 || microBatches < 2L * pp)) {
            return Optional.of(name + " needs an even number of micro-batches, at least 2·pp = " + 2 * pp
                    + ", and there are " + microBatches);
        }
        if (kind == ScheduleKind.DUALPIPE_V && microBatches < 2L * pp) {
            return Optional.of(
                    name + " needs at least 2·pp = " + 2 * pp + " micro-batches, and there are " + microBatches);
        }
        return Optional.empty();
    }

    /**
     * Forward slots that a rank runs before its first backward slot: the most micro-batches (of one chunk) in flight. GPipe m;
     * 1F1B min(m, p - r); interleaved 2(p - r - 1) + (v - 1)·group + 1, at most m·v (Narayanan et al., SC'21, section 2.2).
     */
    public static int inFlight(ScheduleKind kind, int pp, int vpp, int microBatches, int rank) {
        return inFlight(kind, pp, vpp, microBatches, group(pp, vpp, microBatches), rank);
    }

    /** The same where the {@link #group} is known already; of GPipe, 1F1B and interleaved alone. */
    public static int inFlight(ScheduleKind kind, int pp, int vpp, int microBatches, int group, int rank) {
        if (kind == ScheduleKind.GPIPE) {
            return microBatches;
        }
        if (vpp == 1) {
            return Math.min(microBatches, pp - rank);
        }
        long slots = 2L * (pp - rank - 1) + (long) (vpp - 1) * group + 1;
        return (int) Math.min(slots, (long) microBatches * vpp);
    }

    /**
     * Micro-batches that an interleaved schedule takes through one chunk before the next (Megatron-core's
     * {@code microbatch_group_size_per_vp_stage}): p where m is a multiple of p; else the smallest larger group that leaves no rest
     * or a rest of at least p, as Megatron-core demands (a smaller rest deadlocks); at most m. One chunk: m.
     */
    public static int group(int pp, int vpp, int microBatches) {
        if (vpp == 1 || microBatches <= pp) {
            return microBatches;
        }
        int group = pp;
        while (microBatches % group != 0 && microBatches % group < pp) {
            group++;
        }
        return group;
    }

    static long[][] table(ScheduleKind kind, int pp, int vpp, int microBatches) {
        if (kind == ScheduleKind.ZB_H1 || kind == ScheduleKind.ZB_H2) {
            return ZeroBubble.onOneChunk(pp, microBatches, kind == ScheduleKind.ZB_H2);
        }
        if (kind == ScheduleKind.ZB_V) {
            return ZeroBubble.onVee(pp, microBatches);
        }
        if (kind == ScheduleKind.DUALPIPE) {
            return DualPipe.twoWays(pp, microBatches);
        }
        if (kind == ScheduleKind.DUALPIPE_V) {
            return DualPipe.vee(pp, microBatches);
        }
        int slots = Math.multiplyExact(microBatches, vpp);
        int group = group(pp, vpp, microBatches);
        int[] chunks = new int[slots];
        int[] batches = new int[slots];
        int filled = 0;
        for (int first = 0; first < microBatches; first += group) {
            int end = Math.min(microBatches, first + group);
            for (int chunk = 0; chunk < vpp; chunk++) {
                for (int batch = first; batch < end; batch++) {
                    chunks[filled] = chunk;
                    batches[filled++] = batch;
                }
            }
        }
        long[][] table = new long[pp][];
        for (int rank = 0; rank < pp; rank++) {
            table[rank] = order(pp, vpp, rank, inFlight(kind, pp, vpp, microBatches, rank), chunks, batches);
        }
        return table;
    }

    /** The first {@code inFlight} forward slots, then one backward, one forward, as long as there are any. */
    private static long[] order(int pp, int vpp, int rank, int inFlight, int[] chunks, int[] batches) {
        int slots = chunks.length;
        long[] order = new long[2 * slots];
        int forward = 0;
        int filled = 0;
        for (int backward = 0; backward < slots; backward++) {
            while (forward < Math.min(slots, backward + inFlight)) {
                order[filled++] = Schedule.slot(chunks[forward] * pp + rank, batches[forward], Schedule.F);
                forward++;
            }
            int chunk = vpp - 1 - chunks[backward];
            order[filled++] = Schedule.slot(chunk * pp + rank, batches[backward], Schedule.B);
        }
        return order;
    }
}
