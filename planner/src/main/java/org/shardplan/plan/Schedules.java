package org.shardplan.plan;

/** Generators of schedule tables. Virtual stage q = chunk · pp + rank; every index counts from 0. */
public final class Schedules {
    private Schedules() {}

    /**
     * The schedule of {@code microBatches} micro-batches over {@code pp} ranks of {@code vpp} chunks. Interleaving over one chunk
     * is 1F1B.
     *
     * @throws IllegalArgumentException where a count isn't positive, or GPipe or 1F1B are asked for more than one chunk
     */
    public static Schedule of(ScheduleKind kind, int pp, int vpp, int microBatches) {
        if (pp < 1 || vpp < 1 || microBatches < 1 || microBatches >= 1 << 30) {
            throw new IllegalArgumentException("a schedule needs pp, vpp and micro-batches of at least 1: " + pp + ", "
                    + vpp + ", " + microBatches);
        }
        if (kind != ScheduleKind.INTERLEAVED && vpp > 1) {
            throw new IllegalArgumentException(kind.text() + " has one chunk a rank, not vpp=" + vpp);
        }
        return new Schedule(
                vpp == 1 && kind == ScheduleKind.INTERLEAVED ? ScheduleKind.ONE_F_ONE_B : kind, pp, vpp, microBatches);
    }

    /**
     * Forward slots that a rank runs before its first backward slot: the most micro-batches (of one chunk) in flight. GPipe m;
     * 1F1B min(m, p - r); interleaved 2(p - r - 1) + (v - 1)·group + 1, at most m·v (Narayanan et al., SC'21, section 2.2).
     */
    public static int inFlight(ScheduleKind kind, int pp, int vpp, int microBatches, int rank) {
        return inFlight(kind, pp, vpp, microBatches, group(pp, vpp, microBatches), rank);
    }

    /** The same where the {@link #group} is known already. */
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
