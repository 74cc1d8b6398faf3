package org.shardplan.sim;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.shardplan.cluster.Cluster;
import org.shardplan.cluster.Disturbances;
import org.shardplan.cluster.Disturbances.Straggler;
import org.shardplan.cluster.Factor;
import org.shardplan.cost.LinkUse;
import org.shardplan.cost.PricedProgram;
import org.shardplan.cost.SplitSlots;
import org.shardplan.plan.Plan;

/**
 * Splits the rank classes of a program by what each device meets: lanes without a straggler stay one class, those with like stragglers at
 * like places are one. With jitter no two lanes are alike, and each is its own.
 */
public final class LaneRefinement {
    /** ZeRO stage from which data ranks wait for each other in every slot. */
    private static final int LOCKSTEP_ZERO = 2;

    private final Plan plan;
    private final PricedProgram priced;
    private final LinkUse use;
    private final Disturbances disturbances;
    private final int ranks;
    private final Map<Integer, Slowness> slow = new HashMap<>();
    /** By pipeline rank and link: of the slowest link of all lanes, which a reduction over them waits for. */
    private final double[][] slowest;

    private LaneRefinement(Plan plan, PricedProgram priced, LinkUse use, Disturbances disturbances) {
        this.plan = plan;
        this.priced = priced;
        this.use = use;
        this.disturbances = disturbances;
        ranks = priced.schedule().ranks();
        slowest = Slowness.none(ranks, use.count()).links();
    }

    /**
     * Lanes of a program on a cluster.
     *
     * @param seed of jitter
     */
    public static Lanes of(Plan plan, PricedProgram priced, LinkUse use, Cluster cluster, long seed) {
        return new LaneRefinement(plan, priced, use, cluster.disturbances()).refine(seed, false);
    }

    /** The same with each lane on its own, however alike they are. */
    public static Lanes expanded(Plan plan, PricedProgram priced, LinkUse use, Cluster cluster, long seed) {
        return new LaneRefinement(plan, priced, use, cluster.disturbances()).refine(seed, true);
    }

    /** Lanes of a plan under jitter, or without any straggler; each takes memory and time of its own. */
    public static int count(Plan plan) {
        return plan.mesh().factors().stream()
                .filter(factor -> free(plan, factor))
                .mapToInt(Factor::size)
                .reduce(1, Math::multiplyExact);
    }

    private Lanes refine(long seed, boolean each) {
        for (Straggler straggler : disturbances.stragglers()) {
            int end = (int) Math.min((long) straggler.firstDevice() + straggler.devices(), devices());
            for (int device = straggler.firstDevice(); device < end; device++) {
                meet(device, straggler);
            }
        }
        int count = count(plan);
        int width = devices() / (ranks * count);
        Map<Slowness, int[]> classes = new LinkedHashMap<>();
        List<Lane> lanes = new ArrayList<>();
        Slowness none = Slowness.none(ranks, use.count());
        for (int number = 0; number < count; number++) {
            Slowness own = slow.getOrDefault(number, none);
            if (each || disturbances.jitter() > 0) {
                lanes.add(lane(own, 1, number));
            } else {
                int first = number;
                classes.computeIfAbsent(own, _ -> new int[] {first, 0})[1]++;
            }
        }
        classes.forEach((own, lane) -> lanes.add(lane(own, lane[1], lane[0])));
        long mixed = seed ^ (disturbances.jitterSeed() << 32);
        return new Lanes(lanes, width, disturbances.jitter(), mixed, disturbances.contention());
    }

    private int devices() {
        return plan.shorthand().devices();
    }

    /** Whether coordinates of a mesh factor tell lanes apart: data ranks that meet once a step. */
    private static boolean free(Plan plan, Factor factor) {
        boolean data = factor.name().equals("dp") || factor.name().equals("edp");
        return data && plan.shorthand().zero() < LOCKSTEP_ZERO;
    }

    private void meet(int device, Straggler straggler) {
        int lane = 0;
        int rank = 0;
        for (Factor factor : plan.mesh().factors()) {
            int coordinate = device / factor.stride() % factor.size();
            if (factor.name().equals("pp")) {
                rank = coordinate;
            } else if (free(plan, factor)) {
                lane = lane * factor.size() + coordinate;
            }
        }
        Slowness own = slow.computeIfAbsent(lane, _ -> Slowness.none(ranks, use.count()));
        if (straggler.level().isEmpty()) {
            own.devices()[rank] = Math.max(own.devices()[rank], straggler.factor());
            return;
        }
        for (int link = 0; link < use.count(); link++) {
            if (use.links().get(link).equals(straggler.level())) {
                own.links()[rank][link] = Math.max(own.links()[rank][link], straggler.factor());
                slowest[rank][link] = Math.max(slowest[rank][link], straggler.factor());
            }
        }
    }

    private Lane lane(Slowness own, int multiplicity, int number) {
        double[][] capacity = new double[ranks][use.count()];
        for (int rank = 0; rank < ranks; rank++) {
            for (int link = 0; link < use.count(); link++) {
                capacity[rank][link] = 1 / own.links()[rank][link];
            }
        }
        boolean quiet = slow.isEmpty();
        return new Lane(quiet ? priced : slowed(own), use, capacity, multiplicity, number);
    }

    /** The program as this lane's devices run it. */
    private PricedProgram slowed(Slowness own) {
        int stages = priced.schedule().stages();
        long[] forward = new long[stages];
        long[] backward = new long[stages];
        long[] lastBackward = new long[stages];
        SplitSlots split = split(own);
        long[] sendForward = new long[stages];
        long[] sendBackward = new long[stages];
        long[][] ready = new long[stages][];
        long[][] buckets = new long[stages][];
        for (int q = 0; q < stages; q++) {
            int rank = priced.schedule().rankOf(q);
            forward[q] =
                    priced.forward()[q] + slot(own, rank, priced.forward()[q], exposed(q, false), use.forward()[q]);
            long longer = slot(own, rank, priced.backward()[q], exposed(q, true), use.backward()[q]);
            backward[q] = priced.backward()[q] + longer;
            lastBackward[q] = priced.lastBackward()[q] + longer;
            sendForward[q] = priced.sendForward()[q] + send(own, q, q + 1, use.sendForward()[q]);
            sendBackward[q] = priced.sendBackward()[q] + send(own, q, q - 1, use.sendBackward()[q]);
            ready[q] = priced.bucketReady()[q].clone();
            buckets[q] = priced.bucketNanos()[q].clone();
            for (int bucket = 0; bucket < buckets[q].length; bucket++) {
                double share = (double) lastBackward[q] / Math.max(1, priced.lastBackward()[q]);
                ready[q][bucket] = Math.min(lastBackward[q], (long) Math.ceil(ready[q][bucket] * share));
                buckets[q][bucket] += longest(slowest[rank], use.buckets()[q][bucket]);
            }
        }
        long[] head = priced.head().clone();
        long[] reduceTail = priced.reduceTail().clone();
        long[] optimizerTail = priced.optimizerTail().clone();
        for (int rank = 0; rank < ranks; rank++) {
            head[rank] += longest(slowest[rank], use.head()[rank]);
            reduceTail[rank] += longest(slowest[rank], use.reduceTail()[rank]);
            long update = Math.max(0, optimizerTail[rank] - priced.optimizerData() - priced.hostShare());
            optimizerTail[rank] +=
                    longer(own.devices()[rank], update) + longest(slowest[rank], use.optimizerTail()[rank]);
        }
        long tied = priced.tiedReduce() == 0
                ? 0
                : priced.tiedReduce()
                        + Math.max(
                                longest(own.links()[priced.tiedFirst()], use.tied()),
                                longest(own.links()[priced.tiedLast()], use.tied()));
        return Programs.withTimes(
                priced,
                new long[][] {forward, backward, lastBackward, sendForward, sendBackward},
                split,
                ready,
                buckets,
                new long[][] {head, reduceTail, optimizerTail},
                tied);
    }

    /** Slots of weight gradients, and of backward passes without them, as this lane's devices run them. */
    private SplitSlots split(Slowness own) {
        SplitSlots calm = priced.split();
        if (!calm.exist()) {
            return calm;
        }
        SplitSlots slowed = calm.copy();
        for (int q = 0; q < priced.schedule().stages(); q++) {
            int rank = priced.schedule().rankOf(q);
            long exposed = calm.inputTensor()[q] + calm.inputData()[q];
            slowed.input()[q] += slot(own, rank, calm.input()[q], exposed, use.backward()[q]);
            long more = longer(own.devices()[rank], calm.weight()[q]);
            slowed.weight()[q] += more;
            slowed.lastWeight()[q] += more;
            double share = (double) slowed.lastWeight()[q] / Math.max(1, calm.lastWeight()[q]);
            for (int bucket = 0; bucket < calm.weightReady()[q].length; bucket++) {
                slowed.weightReady()[q][bucket] =
                        Math.min(slowed.lastWeight()[q], (long) Math.ceil(calm.weightReady()[q][bucket] * share));
            }
        }
        return slowed;
    }

    /** Communication that nothing hides within a slot. */
    private long exposed(int q, boolean backward) {
        return backward
                ? priced.backwardTensor()[q] + priced.backwardContext()[q] + priced.backwardData()[q]
                : priced.forwardTensor()[q] + priced.forwardContext()[q] + priced.forwardData()[q];
    }

    /**
     * What a slot lasts longer: its kernels are slower by the device's factor; the exposed part of its messages by the link's, and hidden
     * ones as soon as they no longer fit beside the kernels.
     */
    private static long slot(Slowness own, int rank, long nanos, long exposed, long[] busy) {
        long kernels = longer(own.devices()[rank], Math.max(0, nanos - exposed));
        double all = Arrays.stream(busy).sum();
        double share = all == 0 ? 0 : Math.min(1, exposed / all);
        double links = 0;
        for (int link = 0; link < busy.length; link++) {
            double factor = own.links()[rank][link];
            double least = share * busy[link] * (factor - 1);
            links = Math.max(links, factor == 1 ? 0 : Math.max(least, busy[link] * factor - nanos - kernels));
        }
        return kernels + (long) Math.ceil(links);
    }

    private long send(Slowness own, int from, int to, long[] busy) {
        int sender = priced.schedule().rankOf(from);
        boolean ends = to < 0 || to == priced.schedule().stages();
        int receiver = ends ? sender : priced.schedule().rankOf(to);
        return Math.max(longest(own.links()[sender], busy), longest(own.links()[receiver], busy));
    }

    private static long longest(double[] factors, long[] busy) {
        long longest = 0;
        for (int link = 0; link < busy.length; link++) {
            longest = Math.max(longest, longer(factors[link], busy[link]));
        }
        return longest;
    }

    private static long longer(double factor, long nanos) {
        return (long) Math.ceil((factor - 1) * nanos);
    }
}
