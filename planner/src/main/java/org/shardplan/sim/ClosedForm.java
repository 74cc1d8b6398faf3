package org.shardplan.sim;

import org.shardplan.cost.PricedProgram;
import org.shardplan.plan.Schedule;
import org.shardplan.plan.ScheduleKind;
import org.shardplan.plan.Schedules;

/**
 * A lower bound on {@link Sweep}: the largest over named paths through the program's tasks, each of which the sweep must run one after
 * another. Nanoseconds; O(virtual stages + buckets); reads no schedule table; allocates nothing once its arrays are large enough.
 *
 * <p>The paths, for each rank r (K = {@link Schedules#inFlight}; group = micro-batches that one chunk takes before the next, all of
 * them for one chunk):
 *
 * <ul>
 *   <li><b>arrive</b>(q): start of virtual stage q's first forward slot: head, the first micro-batch through the stages before, or a
 *       whole group on the rank's chunk before;
 *   <li><b>leave</b>(q): from the start of q's last backward slot to the meeting of the ranks: down to the first stage, the rank's
 *       later chunks, buckets, tails;
 *   <li><b>filled</b>(r): end of the K-th forward slot: the rank's own forward slots, or those of the slowest rank upstream;
 *   <li><b>turned</b>(r): start of the first backward slot: filled, or the first gradient on its way down;
 *   <li><b>drained</b>(r): from the end of the last forward slot: the mirror image of turned;
 *   <li><b>steady</b>(r): between the two, the rank's own slots one after another; or, for 1F1B, {@link RoundTrips} to its
 *       neighbours; or, for uneven interleaved stages, {@link Waves} from rank to rank.
 * </ul>
 *
 * The bound is the largest turned(r) + steady(r) + drained(r), or a rank's sends one after another, and the longest optimizer tail.
 */
public final class ClosedForm {
    private final RoundTrips trips = new RoundTrips();
    private final Waves waves = new Waves();
    private final Durations durations = new Durations();

    private int pp;
    private int vpp;
    private int microBatches;
    private int group;
    private int lastGroup;
    /** First virtual stage of the last chunk. */
    private int lastChunk;

    // by virtual stage
    private long[] arrive = {};
    private long[] leave = {};
    private long[] bucketsSoFar = {};
    // by rank
    private long[] filled = {};
    private long[] ownDrained = {};
    private long[] turned = {};
    private long[] forwardSum = {};
    private long[] backwardSum = {};

    /** The bound of one step; for a free schedule the busiest rank. */
    public long bound(PricedProgram program) {
        Schedule schedule = program.schedule();
        durations.load(program);
        long tail = 0;
        for (int rank = 0; rank < schedule.ranks(); rank++) {
            tail = Math.max(tail, program.optimizerTail()[rank]);
        }
        ScheduleKind kind = schedule.kind();
        if (kind == null) {
            return tail + busiestRank(program);
        }
        prepare(schedule);
        sums();
        arrivals(program);
        departures(program);
        fill(kind);
        return tail + longest(kind, schedule.stages());
    }

    private void prepare(Schedule schedule) {
        pp = schedule.ranks();
        vpp = schedule.stages() / pp;
        microBatches = schedule.microBatches();
        group = Schedules.group(pp, vpp, microBatches);
        lastGroup = microBatches % group == 0 ? group : microBatches % group;
        lastChunk = (vpp - 1) * pp;
        if (arrive.length < schedule.stages()) {
            arrive = new long[schedule.stages()];
            leave = new long[schedule.stages()];
            bucketsSoFar = new long[schedule.stages()];
        }
        if (filled.length < pp) {
            filled = new long[pp];
            ownDrained = new long[pp];
            turned = new long[pp];
            forwardSum = new long[pp];
            backwardSum = new long[pp];
        }
    }

    private void sums() {
        for (int rank = 0; rank < pp; rank++) {
            long forwards = 0;
            long backwards = 0;
            for (int stage = rank; stage < lastChunk + pp; stage += pp) {
                forwards += durations.forward[stage];
                backwards += durations.backward[stage];
            }
            forwardSum[rank] = forwards;
            backwardSum[rank] = backwards;
        }
    }

    private void arrivals(PricedProgram program) {
        for (int stage = 0, rank = 0; stage < lastChunk + pp; stage++, rank = rank + 1 == pp ? 0 : rank + 1) {
            long start = program.head()[rank];
            if (stage > 0) {
                start = Math.max(
                        start, arrive[stage - 1] + durations.forward[stage - 1] + durations.sendForward[stage - 1]);
            }
            if (stage >= pp) {
                start = Math.max(start, arrive[stage - pp] + group * durations.forward[stage - pp]);
            }
            arrive[stage] = start;
        }
    }

    private void departures(PricedProgram program) {
        for (int stage = 0, rank = 0; stage < lastChunk + pp; stage++, rank = rank + 1 == pp ? 0 : rank + 1) {
            long exit = program.reduceTail()[rank];
            if (rank == program.tiedFirst() || rank == program.tiedLast()) {
                exit += program.tiedReduce();
            }
            long after = durations.sendBackward[stage] + exit;
            if (stage > 0) {
                after = Math.max(after, durations.sendBackward[stage] + leave[stage - 1]);
            }
            long later = 0;
            if (stage >= pp) {
                after = Math.max(after, (lastGroup - 1) * durations.backward[stage - pp] + leave[stage - pp]);
                later = bucketsSoFar[stage - pp];
            }
            long[] ready = program.bucketReady()[stage];
            long[] nanos = program.bucketNanos()[stage];
            long way = durations.lastBackward[stage] + after;
            for (int bucket = nanos.length - 1; bucket >= 0; bucket--) {
                later += nanos[bucket];
                way = Math.max(way, ready[bucket] + later + exit);
            }
            bucketsSoFar[stage] = later;
            leave[stage] = way;
        }
    }

    /** What needs ranks upstream: walked from the first rank on. */
    private void fill(ScheduleKind kind) {
        long[] forward = durations.forward;
        long[] backward = durations.backward;
        long forwardWay = 0;
        long backwardWay = 0;
        int slowForward = lastChunk;
        int slowBackward = lastChunk;
        long slowForwardWay = 0;
        long slowBackwardWay = 0;
        long lastBackwardIndex = (long) (microBatches - lastGroup) * vpp + lastGroup - 1;
        for (int rank = 0; rank < pp; rank++) {
            int stage = lastChunk + rank;
            backwardWay += backward[stage] + (rank == 0 ? 0 : durations.sendBackward[stage]);
            if (forward[stage] >= forward[slowForward]) {
                slowForward = stage;
                slowForwardWay = forwardWay;
            }
            if (backward[stage] >= backward[slowBackward]) {
                slowBackward = stage;
                slowBackwardWay = backwardWay;
            }
            int inFlight = Schedules.inFlight(kind, pp, vpp, microBatches, group, rank);
            long own = arrive[stage] + forwards(rank, inFlight) - forwards(rank, (long) (vpp - 1) * group);
            long more = Math.min(inFlight - 1 - (long) (vpp - 1) * group, group - 1);
            long upstream =
                    arrive[slowForward] + more * forward[slowForward] + forwardWay - slowForwardWay + forward[stage];
            filled[rank] = Math.max(own, upstream);

            long done = (long) microBatches * vpp - inFlight;
            ownDrained[rank] = backwards(rank, lastBackwardIndex) - backwards(rank, done) + leave[stage];
            long behind = Math.min(lastBackwardIndex - done, lastGroup - 1);
            if (behind > 0) {
                long way = backwardWay - slowBackwardWay + behind * backward[slowBackward] + leave[slowBackward];
                ownDrained[rank] = Math.max(ownDrained[rank], way);
            }
            forwardWay += forward[stage] + durations.sendForward[stage];
        }
    }

    /** What needs ranks downstream, and the whole: walked from the last rank on. */
    private long longest(ScheduleKind kind, int stages) {
        for (int rank = pp - 1; rank >= 0; rank--) {
            turned[rank] = filled[rank];
            if (rank + 1 < pp) {
                int above = lastChunk + rank + 1;
                long gradient = turned[rank + 1] + firstBackward(above) + durations.sendBackward[above];
                turned[rank] = Math.max(turned[rank], gradient);
            }
        }
        boolean roundTrips = kind == ScheduleKind.ONE_F_ONE_B;
        if (roundTrips) {
            trips.load(pp, durations);
        }
        int walked = 0;
        if (kind == ScheduleKind.INTERLEAVED && Waves.uneven(pp, stages, durations)) {
            walked = waves.walk(pp, vpp, microBatches, group, durations, turned);
        }
        long drained = 0;
        long best = 0;
        for (int rank = pp - 1; rank >= 0; rank--) {
            long drainedBelow = drained;
            drained = ownDrained[rank];
            if (rank + 1 < pp) {
                int stage = lastChunk + rank;
                drained = Math.max(drained, durations.sendForward[stage] + durations.forward[stage + 1] + drainedBelow);
            }
            int inFlight = Schedules.inFlight(kind, pp, vpp, microBatches, group, rank);
            long pairs = (long) microBatches * vpp - inFlight;
            long way;
            if (pairs == 0) {
                way = Math.max(filled[rank] + drained, turned[rank] + ownDrained[rank]);
            } else if (roundTrips) {
                way = turned[rank] + trips.steady(rank, (int) pairs) + drained;
            } else {
                way = turned[rank] + ownPairs(rank, inFlight, 0, pairs) + drained;
                if (walked > 0) {
                    long rest = ownPairs(rank, inFlight, (long) walked * group, pairs);
                    way = Math.max(way, waves.at(rank) + rest + drained);
                }
            }
            best = Math.max(best, Math.max(way, sends(rank, drainedBelow)));
        }
        return best;
    }

    /** Nanoseconds of a rank's pairs, a backward slot and the forward slot after it, from one on and before another. */
    private long ownPairs(int rank, int inFlight, long from, long to) {
        return backwards(rank, to)
                - backwards(rank, from)
                + forwards(rank, inFlight + to)
                - forwards(rank, inFlight + from);
    }

    /** The rank's sends one after another, what leads to the first and what follows the last. */
    private long sends(int rank, long drainedBelow) {
        int stage = lastChunk + rank;
        long forwards = 0;
        long backwards = 0;
        for (int chunk = rank; chunk < lastChunk + pp; chunk += pp) {
            forwards += durations.sendForward[chunk];
            backwards += durations.sendBackward[chunk];
        }
        long best = 0;
        if (forwards > 0 && rank + 1 < pp) {
            long start = arrive[rank] + durations.forward[rank];
            best = start + microBatches * forwards + durations.forward[stage + 1] + drainedBelow;
        }
        if (backwards > 0 && rank > 0) {
            best = Math.max(best, turned[rank] + firstBackward(stage) + microBatches * backwards + leave[rank - 1]);
        }
        return best;
    }

    private long firstBackward(int stage) {
        return microBatches == 1 ? durations.lastBackward[stage] : durations.backward[stage];
    }

    /** Nanoseconds of the rank's first forward slots. */
    private long forwards(int rank, long slots) {
        return vpp == 1 ? slots * durations.forward[rank] : first(slots, durations.forward, rank, pp, forwardSum[rank]);
    }

    /** Nanoseconds of the rank's first backward slots, were none of them the last of its stage. */
    private long backwards(int rank, long slots) {
        return vpp == 1
                ? slots * durations.backward[rank]
                : first(slots, durations.backward, lastChunk + rank, -pp, backwardSum[rank]);
    }

    /** The first slots in groups of micro-batches, chunk after chunk in each group. */
    private long first(long slots, long[] nanos, int firstStage, int nextStage, long chunkSum) {
        int whole = Math.min((int) slots / (group * vpp), microBatches / group);
        long left = slots - (long) whole * group * vpp;
        int size = slots > (long) (microBatches - lastGroup) * vpp ? lastGroup : group;
        long sum = whole * group * chunkSum;
        for (int stage = firstStage; left > 0; stage += nextStage) {
            sum += Math.min(left, size) * nanos[stage];
            left -= size;
        }
        return sum;
    }

    private long busiestRank(PricedProgram program) {
        Schedule schedule = program.schedule();
        long best = 0;
        for (int rank = 0; rank < schedule.ranks(); rank++) {
            long busy = program.head()[rank] + program.reduceTail()[rank];
            for (long slot : schedule.slotsOf(rank)) {
                int stage = Schedule.stage(slot);
                busy += switch (Schedule.phase(slot)) {
                    case Schedule.F -> durations.forward[stage];
                    case Schedule.B -> durations.backward[stage];
                    default -> program.weight()[stage];
                };
            }
            for (int stage = 0; stage < schedule.stages(); stage++) {
                busy += schedule.rankOf(stage) == rank ? durations.lastBackward[stage] - durations.backward[stage] : 0;
            }
            best = Math.max(best, busy);
        }
        return best;
    }
}
