package org.shardplan.sim;

import java.util.Arrays;
import org.shardplan.cost.PricedProgram;
import org.shardplan.plan.Schedule;
import org.shardplan.plan.ScheduleKind;
import org.shardplan.plan.Schedules;

/**
 * A lower bound on {@link Sweep}: the largest over named paths through the program's tasks, each of which the sweep must run one after
 * another. Nanoseconds; reads no schedule table (free ones, and those with weight gradients apart, at their ends alone); allocates nothing once its arrays are large enough. Of ranks that are alike the first and
 * the last stand for all ({@link LikeRanks}): O(unlike ranks · chunks), and as many comparisons as there are virtual stages.
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
    private final LikeRanks ranks = new LikeRanks();
    private final TableBound table = new TableBound();

    private int pp;
    private int vpp;
    private int microBatches;
    private int group;
    private int lastGroup;
    /** Kept ranks. */
    private int kept;
    /** First virtual stage of the last chunk, counted among the kept ones. */
    private int lastChunk;

    // by virtual stage of kept ranks
    private long[] arrive = {};
    private long[] leave = {};
    private long[] bucketsSoFar = {};
    // by kept rank
    private int[] inFlight = {};
    private long[] firstForwards = {};
    private long[] firstBackwards = {};
    private long[] filled = {};
    private long[] ownDrained = {};
    private long[] turned = {};
    private long[] forwardSum = {};
    private long[] backwardSum = {};

    /** The bound of one step; of schedules other than GPipe, 1F1B and interleaved by {@link TableBound}. */
    public long bound(PricedProgram program) {
        Schedule schedule = program.schedule();
        long tail = 0;
        for (long nanos : program.optimizerTail()) {
            tail = Math.max(tail, nanos);
        }
        ScheduleKind kind = schedule.kind();
        if (kind == null || !kind.isClassic()) {
            return tail + table.nanos(program);
        }
        // round trips are those of neighbours: any two of them
        ranks.load(program, kind == ScheduleKind.ONE_F_ONE_B && !program.sendsBlock());
        prepare(kind, schedule);
        arrivals();
        departures();
        fill();
        return tail + longest(kind);
    }

    private void prepare(ScheduleKind kind, Schedule schedule) {
        pp = schedule.ranks();
        vpp = schedule.stages() / pp;
        microBatches = schedule.microBatches();
        group = Schedules.group(pp, vpp, microBatches);
        lastGroup = microBatches % group == 0 ? group : microBatches % group;
        kept = ranks.kept;
        lastChunk = (vpp - 1) * kept;
        if (arrive.length < schedule.stages()) {
            arrive = new long[schedule.stages()];
            leave = new long[schedule.stages()];
            bucketsSoFar = new long[schedule.stages()];
        }
        if (filled.length < pp) {
            inFlight = new int[pp];
            firstForwards = new long[pp];
            firstBackwards = new long[pp];
            filled = new long[pp];
            ownDrained = new long[pp];
            turned = new long[pp];
            forwardSum = new long[pp];
            backwardSum = new long[pp];
        }
        Arrays.fill(forwardSum, 0, kept, 0);
        Arrays.fill(backwardSum, 0, kept, 0);
        for (int first = 0; first <= lastChunk; first += kept) {
            for (int i = 0; i < kept; i++) {
                forwardSum[i] += ranks.forward[first + i];
                backwardSum[i] += ranks.backward[first + i];
            }
        }
        for (int i = 0; i < kept; i++) {
            int slots = Schedules.inFlight(kind, pp, vpp, microBatches, group, ranks.rank[i]);
            inFlight[i] = slots;
            firstForwards[i] = warmUp(i);
            firstBackwards[i] = beforeCoolDown(i);
        }
    }

    private void arrivals() {
        long[] forward = ranks.forward;
        long[] send = ranks.sendForward;
        int[] steps = ranks.steps;
        long carried = 0;
        for (int first = 0; first <= lastChunk; first += kept) {
            for (int i = 0; i < kept; i++) {
                int stage = first + i;
                long start = ranks.head[i];
                if (stage > 0) {
                    start = Math.max(start, carried + steps[i] * (forward[stage - 1] + send[stage - 1]));
                }
                if (first > 0) {
                    start = Math.max(start, arrive[stage - kept] + group * forward[stage - kept]);
                }
                arrive[stage] = start;
                carried = start;
            }
        }
    }

    private void departures() {
        long[] backward = ranks.backward;
        long carried = 0;
        for (int first = 0; first <= lastChunk; first += kept) {
            for (int i = 0; i < kept; i++) {
                int stage = first + i;
                long exit = ranks.exit[i];
                long slot = ranks.lastBackward[stage];
                long above = slot + ranks.sendBackward[stage];
                long way = above + exit;
                if (stage > 0) {
                    way = Math.max(way, ranks.steps[i] * above + carried);
                }
                long later = 0;
                if (first > 0) {
                    int before = stage - kept;
                    way = Math.max(way, slot + (lastGroup - 1) * backward[before] + leave[before]);
                    later = bucketsSoFar[before];
                }
                way = Math.max(way, ranks.bucketWay[stage] + later + exit);
                bucketsSoFar[stage] = later + ranks.bucketSum[stage];
                leave[stage] = way;
                carried = way;
            }
        }
    }

    /** What needs ranks upstream: walked from the first rank on. */
    private void fill() {
        long[] forward = ranks.forward;
        long[] backward = ranks.backward;
        long forwardWay = 0;
        long backwardWay = 0;
        int slowForward = lastChunk;
        int slowBackward = lastChunk;
        long slowForwardWay = 0;
        long slowBackwardWay = 0;
        for (int i = 0; i < kept; i++) {
            int stage = lastChunk + i;
            if (i > 0) {
                int step = ranks.steps[i];
                forwardWay += step * (forward[stage - 1] + ranks.sendForward[stage - 1]);
                backwardWay += step * (backward[stage] + ranks.sendBackward[stage]);
            } else {
                backwardWay = backward[stage];
            }
            if (forward[stage] >= forward[slowForward]) {
                slowForward = stage;
                slowForwardWay = forwardWay;
            }
            if (backward[stage] >= backward[slowBackward]) {
                slowBackward = stage;
                slowBackwardWay = backwardWay;
            }
            // its first group on the chunks before the last one is part of how the last one's first slot is reached
            long own = arrive[stage] + firstForwards[i] - group * (forwardSum[i] - forward[stage]);
            int inLast = inFlight[i] - 1 - (vpp - 1) * group;
            long more = Math.min(inLast, group - 1);
            long upstream =
                    arrive[slowForward] + more * forward[slowForward] + forwardWay - slowForwardWay + forward[stage];
            filled[i] = Math.max(own, upstream);

            long before = (microBatches - lastGroup) * backwardSum[i] + (lastGroup - 1) * backward[stage];
            ownDrained[i] = before - firstBackwards[i] + leave[stage];
            int left = inFlight[i] - 1 - (vpp - 1) * lastGroup;
            long behind = Math.min(left, lastGroup - 1);
            if (behind > 0) {
                long way = backwardWay - slowBackwardWay + behind * backward[slowBackward] + leave[slowBackward];
                ownDrained[i] = Math.max(ownDrained[i], way);
            }
        }
    }

    /** What needs ranks downstream, and the whole: walked from the last rank on. */
    private long longest(ScheduleKind kind) {
        for (int i = kept - 1; i >= 0; i--) {
            turned[i] = filled[i];
            if (i + 1 < kept) {
                int above = lastChunk + i + 1;
                long way = firstBackward(above) + ranks.sendBackward[above];
                turned[i] = Math.max(turned[i], turned[i + 1] + ranks.steps[i + 1] * way);
            }
        }
        boolean roundTrips = kind == ScheduleKind.ONE_F_ONE_B && ranks.sends;
        if (roundTrips) {
            trips.load(ranks);
        }
        int walked = 0;
        if (kind == ScheduleKind.INTERLEAVED && waves.uneven(ranks)) {
            walked = waves.walk(microBatches, group, inFlight, turned);
        }
        long drained = 0;
        long best = 0;
        for (int i = kept - 1; i >= 0; i--) {
            int stage = lastChunk + i;
            long below = 0; // from the end of the last forward slot of the rank below
            if (i + 1 < kept) {
                long way = ranks.sendForward[stage] + ranks.forward[stage + 1];
                below = (ranks.steps[i + 1] - 1) * way + drained;
                drained = Math.max(ownDrained[i], way + below);
            } else {
                drained = ownDrained[i];
            }
            long pairs = (long) microBatches * vpp - inFlight[i];
            long way;
            if (pairs == 0) {
                way = Math.max(filled[i] + drained, turned[i] + ownDrained[i]);
            } else if (roundTrips) {
                way = turned[i] + trips.steady(i, (int) pairs) + drained;
            } else {
                way = turned[i] + firstBackwards[i] + microBatches * forwardSum[i] - firstForwards[i] + drained;
                if (walked > 0) {
                    way = Math.max(way, waves.at(i) + rest(i, walked) + drained);
                }
            }
            best = Math.max(best, ranks.sends ? Math.max(way, sends(i, below)) : way);
        }
        return best;
    }

    /** Nanoseconds of a rank's pairs, a backward slot and the forward slot after it, behind so many groups of them. */
    private long rest(int i, int groups) {
        long from = (long) groups * group;
        return firstBackwards[i] - backwards(i, from) + microBatches * forwardSum[i] - forwards(i, inFlight[i] + from);
    }

    /** The rank's sends one after another, what leads to the first and what follows the last. */
    private long sends(int i, long below) {
        int stage = lastChunk + i;
        long forwards = 0;
        long backwards = 0;
        for (int chunk = i; chunk < lastChunk + kept; chunk += kept) {
            forwards += ranks.sendForward[chunk];
            backwards += ranks.sendBackward[chunk];
        }
        long best = 0;
        if (forwards > 0 && i + 1 < kept) {
            long start = arrive[i] + ranks.forward[i];
            best = start + microBatches * forwards + ranks.forward[stage + 1] + below;
        }
        if (backwards > 0 && i > 0) {
            long between = (ranks.steps[i] - 1) * (ranks.lastBackward[i] + ranks.sendBackward[i]);
            long exit = between + leave[i - 1];
            best = Math.max(best, turned[i] + firstBackward(stage) + microBatches * backwards + exit);
        }
        return best;
    }

    private long firstBackward(int stage) {
        return microBatches == 1 ? ranks.lastBackward[stage] : ranks.backward[stage];
    }

    /** Nanoseconds of the rank's first {@link #inFlight} forward slots: a group on each chunk but the last, and what follows. */
    private long warmUp(int i) {
        long last = ranks.forward[lastChunk + i];
        int slots = inFlight[i] - (vpp - 1) * group;
        if (slots <= group) {
            return group * (forwardSum[i] - last) + slots * last;
        }
        return inFlight[i] == (long) microBatches * vpp
                ? microBatches * forwardSum[i]
                : group * forwardSum[i] + (slots - group) * ranks.forward[i];
    }

    /** Nanoseconds of its backward slots but the last {@link #inFlight}, were none of them the last of its stage. */
    private long beforeCoolDown(int i) {
        long first = ranks.backward[lastChunk + i];
        int slots = inFlight[i] - (vpp - 1) * group;
        if (lastGroup != group || inFlight[i] == (long) microBatches * vpp) {
            return backwards(i, (long) microBatches * vpp - inFlight[i]);
        }
        long after = slots <= group
                ? group * (backwardSum[i] - first) + slots * first
                : group * backwardSum[i] + (slots - group) * ranks.backward[i];
        return microBatches * backwardSum[i] - after;
    }

    /** Nanoseconds of the rank's first forward slots. */
    private long forwards(int i, long slots) {
        return vpp == 1 ? slots * ranks.forward[i] : first(slots, ranks.forward, i, kept, forwardSum[i]);
    }

    /** Nanoseconds of the rank's first backward slots, were none of them the last of its stage. */
    private long backwards(int i, long slots) {
        return vpp == 1
                ? slots * ranks.backward[i]
                : first(slots, ranks.backward, lastChunk + i, -kept, backwardSum[i]);
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
}
