package org.shardplan.sim;

import org.shardplan.plan.ScheduleKind;
import org.shardplan.plan.Schedules;

/**
 * Virtual stages that are all alike but for what the first and the last have on top (embedding, head); nanoseconds. Its
 * {@link #bound} takes O(1), for pruning before anything is lowered: it holds for every program whose stages, sends and tails are at
 * least as long as these.
 *
 * @param forward forward slot of each virtual stage
 * @param backward backward slot
 * @param firstForward more in the forward slots of the first virtual stage
 * @param firstBackward more in its backward slots
 * @param lastForward more in the forward slots of the last virtual stage
 * @param lastBackward more in its backward slots
 * @param sendForward send between ranks
 * @param sendBackward send between ranks
 * @param sendsBlock whether a send occupies the sender's compute stream
 * @param tail after the last slot of any rank, and head before its first
 */
public record UniformStages(
        long forward,
        long backward,
        long firstForward,
        long firstBackward,
        long lastForward,
        long lastBackward,
        long sendForward,
        long sendBackward,
        boolean sendsBlock,
        long tail) {

    /** Lower bound on the step under this schedule. */
    public long bound(ScheduleKind kind, int pp, int vpp, int microBatches) {
        if (pp == 1) {
            return tail
                    + microBatches
                            * (vpp * (forward + backward) + firstForward + firstBackward + lastForward + lastBackward);
        }
        int group = Schedules.group(pp, vpp, microBatches);
        if (kind == ScheduleKind.GPIPE) {
            return tail + gpipe(pp, microBatches);
        }
        return tail + Math.max(lastRank(pp, vpp, microBatches, group), firstRank(pp, vpp, microBatches, group));
    }

    // Slots and sends beside them: a send that blocks is part of its slot; the last stage sends no activation, the
    // first no gradient.
    // f and b are of a stage in the middle, f0 and b0 of the first, f1 and b1 of the last.

    private long f() {
        return forward + (sendsBlock ? sendForward : 0);
    }

    private long b() {
        return backward + (sendsBlock ? sendBackward : 0);
    }

    private long f0() {
        return f() + firstForward;
    }

    private long b0() {
        return backward + firstBackward;
    }

    private long f1() {
        return forward + lastForward;
    }

    private long b1() {
        return b() + lastBackward;
    }

    private long freeSendForward() {
        return sendsBlock ? 0 : sendForward;
    }

    private long freeSendBackward() {
        return sendsBlock ? 0 : sendBackward;
    }

    /** From the first rank to the last, without either. */
    private long up(int pp) {
        return (pp - 2) * f() + (pp - 1) * freeSendForward();
    }

    /** From the last rank to the first, without either. */
    private long down(int pp) {
        return (pp - 2) * b() + (pp - 1) * freeSendBackward();
    }

    /** From one chunk of a rank to its next, forwards and backwards: a whole group, or the first once around all ranks. */
    private long laps(int pp, int vpp, int m, int group) {
        int lastGroup = m % group == 0 ? group : m % group;
        return (vpp - 1)
                * (Math.max(group * f(), pp * (f() + freeSendForward()))
                        + Math.max(lastGroup * b(), pp * (b() + freeSendBackward())));
    }

    private long gpipe(int pp, int m) {
        long slowestForward = Math.max(Math.max(f0(), f1()), pp > 2 ? f() : 0);
        long slowestBackward = Math.max(Math.max(b0(), b1()), pp > 2 ? b() : 0);
        return f0() + up(pp) + f1() + b1() + down(pp) + b0() + (m - 1) * (slowestForward + slowestBackward);
    }

    /** Start-up, all that the last rank does, drain. */
    private long lastRank(int pp, int vpp, int m, int group) {
        int lastGroup = m % group == 0 ? group : m % group;
        long chunks = (vpp - 1) * ((m - group) * f() + (m - lastGroup) * b());
        return f0() + up(pp) + laps(pp, vpp, m, group) + chunks + m * (f1() + b1()) + down(pp) + b0();
    }

    /** The first micro-batch up and down, what the first rank does in steady state, the last micro-batch up and down. */
    private long firstRank(int pp, int vpp, int m, int group) {
        int inFlight = Schedules.inFlight(ScheduleKind.INTERLEAVED, pp, vpp, m, group, 0);
        int pairs = m * vpp - inFlight;
        long turn = up(pp) + f1() + b1() + down(pp);
        if (pairs <= 0) {
            return f0() + turn + laps(pp, vpp, m, group) + (vpp == 1 ? m * b0() : b0());
        }
        if (vpp > 1) {
            // slots of chunk 0 among those counted: no fewer than all less those of three groups
            long more = Math.max(0, m - 3 * group) * (f0() - f() + Math.max(0, b0() - b()));
            return f0() + turn + laps(pp, vpp, m, group) + pairs * (f() + Math.min(b(), b0())) + more + turn + b0();
        }
        int trips = (pairs - 1) / pp;
        long steady = trips * (f0() + turn + b0()) + (pairs - trips * pp) * (f0() + b0());
        return f0() + turn + Math.max(steady, pairs * (f0() + b0())) + turn + b0();
    }
}
