package org.shardplan.search;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.shardplan.cluster.LinkLevel;
import org.shardplan.plan.ContextParallel;
import org.shardplan.plan.FixedChoices;
import org.shardplan.plan.Legality;
import org.shardplan.plan.MeshOrder;
import org.shardplan.plan.Recompute;
import org.shardplan.plan.ScheduleKind;
import org.shardplan.plan.Shorthand;
import org.shardplan.plan.Verdict;
import org.shardplan.workload.Framework;

/**
 * The outer space of plans: a mixed-radix number over (tp, micro-batch, sp, cp and cp-type, ep and etp, recompute, pp, dp, vpp or schedule,
 * zero, order, replicas).
 *
 * <p>Only legal tuples whose programs differ are counted: no sp without tp, no ZeRO and no mesh order without dp, no
 * selective recomputation where attention is fused and nothing else would be recomputed.
 */
final class SearchSpace {
    private static final int[] ONE = {1};

    private final Problem problem;
    private final FixedChoices fixed;
    private final Framework.Limits limits;
    final int layers;
    final int devices;
    final long globalBatch;
    final int[] tps;
    final int[] microBatches;
    final List<Recompute> recomputes;
    private final ScheduleChoices scheduling;
    private final int[][][] zeros = new int[2][2][];
    private final int orderCount;
    /** By tp. */
    private final List<List<Boolean>> sequenceParallel;

    private final ContextChoices contexts;
    /** Ranks of a link level within the outermost one: groups of states that lie in one of its domains are tried. */
    private final int[] domains;
    /** By tp. */
    private final int[][] pipelines;
    /** By micro-batch. */
    private final int[][] dataRanks;

    SearchSpace(Problem problem) {
        this.problem = problem;
        fixed = problem.fixed();
        limits = problem.framework().limits();
        layers = problem.graph().layers();
        devices = problem.cluster().devices();
        globalBatch = problem.workload().globalBatch();
        tps = Arrays.stream(Legality.tensorDegrees(
                        problem.graph(), problem.workload(), problem.cluster(), problem.framework()))
                .filter(tp -> fixed.tp().isEmpty() || fixed.tp().getAsInt() == tp)
                .toArray();
        microBatches = divisors(globalBatch, (int) Math.min(globalBatch, 1 << 16))
                .filter(size ->
                        fixed.microBatch().isEmpty() || fixed.microBatch().getAsInt() == size)
                .toArray();
        recomputes = recomputeModes();
        scheduling = new ScheduleChoices(limits, fixed, layers);
        for (int i = 0; i < 4; i++) {
            zeros[i / 2][i % 2] = zeros(1 + i / 2, 1 + i % 2);
        }
        orderCount = orders(2, 2).size();
        contexts = new ContextChoices(problem);
        domains = problem.cluster().levels().stream()
                .limit(Math.max(0, problem.cluster().levels().size() - 1))
                .mapToInt(LinkLevel::degree)
                .distinct()
                .toArray();
        sequenceParallel = new ArrayList<>();
        pipelines = new int[tps.length][];
        for (int i = 0; i < tps.length; i++) {
            sequenceParallel.add(sequenceParallelOf(tps[i]));
            pipelines[i] = pipelinesOf(tps[i]);
        }
        dataRanks = new int[microBatches.length][];
        for (int i = 0; i < microBatches.length; i++) {
            dataRanks[i] = dataRanksOf(microBatches[i]);
        }
    }

    private static IntStream divisors(long number, int most) {
        return IntStream.rangeClosed(1, most).filter(divisor -> number % divisor == 0);
    }

    /** Checked by the rules themselves, on a plan that nothing else can make illegal. */
    private boolean sequenceParallelLegal(int tp) {
        Shorthand plan = new Shorthand(
                tp,
                1,
                1,
                1,
                1,
                true,
                0,
                Recompute.NONE,
                ScheduleKind.ONE_F_ONE_B,
                MeshOrder.PP_DP_TP,
                List.of(),
                List.of());
        return Legality.check(plan, problem.graph(), problem.workload(), problem.cluster(), problem.framework())
                instanceof Verdict.Fits;
    }

    private List<Recompute> recomputeModes() {
        if (fixed.recompute().isPresent()) {
            return List.of(fixed.recompute().get());
        }
        List<Recompute> modes = new ArrayList<>(List.of(Recompute.NONE));
        Set<String> policy = problem.framework().memory().recomputeSelective();
        boolean fusedCore = problem.flashAttention() && policy.contains("attention-core");
        boolean differs = policy.size() > (fusedCore ? 1 : 0);
        if (limits.selectiveRecompute() && differs) {
            modes.add(Recompute.SELECTIVE);
        }
        modes.add(Recompute.FULL);
        return modes;
    }

    /** Whether layers beyond the mode may be recomputed in full to fit: only where recompute is not fixed. */
    boolean mayRecomputeMore(Recompute recompute) {
        return fixed.recompute().isEmpty() && !recompute.isFull();
    }

    List<Boolean> sequenceParallel(int tp) {
        return sequenceParallel.get(Arrays.binarySearch(tps, tp));
    }

    private List<Boolean> sequenceParallelOf(int tp) {
        List<Boolean> choices = new ArrayList<>();
        for (boolean sp : new boolean[] {false, true}) {
            boolean wanted = fixed.sequenceParallel().isEmpty()
                    || fixed.sequenceParallel().get() == sp;
            if (wanted && (!sp || (tp > 1 && sequenceParallelLegal(tp)))) {
                choices.add(sp);
            }
        }
        return choices;
    }

    /** Ways to split a sequence over context ranks beside so many tensor ranks, none among them. */
    List<ContextParallel> contexts(int tp, boolean sequenceParallel) {
        return contexts.of(tp, sequenceParallel);
    }

    /** Ways to share out the experts: one where there are none; beyond one rank only with sp, or without tp. */
    List<ExpertChoice> experts(int tp, boolean sequenceParallel, ContextParallel context, int microBatch) {
        int count = (int) Legality.experts(problem.graph());
        int most = tp > 1 && !sequenceParallel ? 1 : Math.max(1, Math.min(count, devices));
        List<ExpertChoice> choices = new ArrayList<>();
        for (int ep = 1; ep <= most; ep++) {
            boolean divides = ep == 1 || count % ep == 0;
            if (divides && (fixed.ep().isEmpty() || fixed.ep().getAsInt() == ep)) {
                for (int etp : tp == 1 || ep == 1 ? new int[] {tp} : new int[] {1, tp}) {
                    boolean wanted = fixed.etp().isEmpty() || fixed.etp().getAsInt() == etp;
                    if (wanted && (etp == tp || ep % tp == 0)) {
                        add(choices, ExpertChoice.of(tp, context.ranks(), ep, etp), context, microBatch);
                    }
                }
            }
        }
        return choices;
    }

    private void add(List<ExpertChoice> choices, ExpertChoice choice, ContextParallel context, int microBatch) {
        if (choice.fits(context.ranks()) && !contexts.isSurpassed(context.ranks(), microBatch, choice)) {
            choices.add(choice);
        }
    }

    /** Pipeline degrees that the layers and the devices beside tp allow. */
    int[] pipelines(int tp) {
        return pipelines[Arrays.binarySearch(tps, tp)];
    }

    private int[] pipelinesOf(int tp) {
        int most = Math.min(devices / tp, mostStages());
        return IntStream.rangeClosed(1, most)
                .filter(pp -> fixed.pp().isEmpty() || fixed.pp().getAsInt() == pp)
                .filter(pp -> limits.unevenLayouts() || layers % pp == 0)
                .filter(pp -> pp == 1 || !limits.schedules().kinds().isEmpty())
                .toArray();
    }

    /** Embedding and head may have a stage of their own where layouts may be uneven. */
    private int mostStages() {
        return limits.unevenLayouts() ? layers + 2 : layers;
    }

    /** Data-parallel degrees that share out the batch in micro-batches of this size, ascending; not yet limited by devices. */
    int[] dataRanks(int microBatch) {
        return dataRanks[Arrays.binarySearch(microBatches, microBatch)];
    }

    private int[] dataRanksOf(int microBatch) {
        long batches = globalBatch / microBatch;
        return divisors(batches, (int) Math.min(batches, devices))
                .filter(dp -> fixed.dp().isEmpty() || fixed.dp().getAsInt() == dp)
                .toArray();
    }

    /** Chunks a rank. */
    int[] chunks(int pp, int micro) {
        return scheduling.chunks(pp, micro);
    }

    List<ScheduleKind> schedules(int pp, int vpp, int micro) {
        return scheduling.schedules(pp, vpp, micro);
    }

    /** Whether some schedule keeps weight gradients apart, or runs passes beside each other. */
    boolean splits() {
        return scheduling.splits();
    }

    /** @param ranks that hold the same parameters */
    int[] zeros(int pp, int ranks) {
        int most = pp > 1 ? Math.min(limits.maxZero(), limits.maxZeroWithPipeline()) : limits.maxZero();
        if (fixed.zero().isPresent()) {
            int zero = fixed.zero().getAsInt();
            return zero <= most ? new int[] {zero} : new int[0];
        }
        return IntStream.rangeClosed(0, ranks > 1 ? most : 0).toArray();
    }

    /**
     * Groups that each hold all that ZeRO shards: one; and from ZeRO 2 on, where something moves in each micro-batch, as many as make a group lie
     * within one domain of a link level.
     */
    int[] replicas(int tp, int ranks, int zero, ExpertChoice choice) {
        if (zero < 2 && fixed.replicas().isEmpty()) {
            return ONE; // asked for each of millions of tuples
        }
        boolean exist = zero > 0 && problem.framework().sharding().replicas();
        IntStream counts = fixed.replicas().isPresent()
                ? IntStream.of(fixed.replicas().getAsInt())
                : IntStream.concat(
                        IntStream.of(1),
                        Arrays.stream(domains)
                                .filter(domain -> exist
                                        && zero >= 2
                                        && domain > tp
                                        && domain % tp == 0
                                        && ranks % (domain / tp) == 0)
                                .map(domain -> ranks / (domain / tp))
                                .filter(groups -> groups > 1));
        int same = ranks / choice.mesh().ranks();
        return counts.filter(groups -> groups == 1 || (exist && ranks % groups == 0 && same % groups == 0))
                .toArray();
    }

    List<MeshOrder> orders(int pp, int dp, int cp, ExpertChoice choice) {
        if (choice.ep() > 1 || cp > 1) {
            return fixed.order().orElse(MeshOrder.PP_DP_TP) == MeshOrder.PP_DP_TP
                    ? List.of(MeshOrder.PP_DP_TP)
                    : List.of();
        }
        return orders(pp, dp);
    }

    private List<MeshOrder> orders(int pp, int dp) {
        if (fixed.order().isPresent()) {
            return List.of(fixed.order().get());
        }
        return pp > 1 && dp > 1 ? List.of(MeshOrder.values()) : List.of(MeshOrder.PP_DP_TP);
    }

    /**
     * A tuple's place in the mixed-radix order of the space.
     *
     * @param shape index of (tp, micro-batch, sp, cp, ep, recompute)
     * @param choice schedule, ZeRO stage and mesh order, packed
     */
    long number(int shape, int pp, int dp, int vpp, int choice, int replicas) {
        long number = shape;
        number = number * (mostStages() + 1L) + pp;
        number = number * (devices + 1L) + dp;
        number = number * (mostStages() + 1L) + vpp;
        return (number * 128 + choice) * (devices + 1L) + replicas;
    }

    /** Legal, distinct outer tuples. */
    long count() {
        long tuples = 0;
        for (int tp : tps) {
            for (boolean sp : sequenceParallel(tp)) {
                for (ContextParallel context : contexts(tp, sp)) {
                    for (int microBatch : microBatches) {
                        for (ExpertChoice choice : experts(tp, sp, context, microBatch)) {
                            for (int pp : pipelines(tp)) {
                                tuples += recomputes.size() * count(pp, tp, context.ranks(), microBatch, choice);
                            }
                        }
                    }
                }
            }
        }
        return tuples;
    }

    private long count(int pp, int tp, int cp, int microBatch, ExpertChoice choice) {
        long tuples = 0;
        boolean near = choice.ep() > 1 || cp > 1;
        int orders = near ? orders(2, 2, cp, choice).size() : orderCount;
        for (int dp : dataRanks(microBatch)) {
            if ((long) tp * pp * cp * dp > devices) {
                break;
            }
            if (dp % choice.mesh().dataRanks() != 0) {
                continue;
            }
            int micro = (int) (globalBatch / microBatch / dp);
            long states = 0;
            for (int zero : zeros[pp > 1 ? 1 : 0][dp * cp > 1 ? 1 : 0]) {
                states += zero == 0 && fixed.replicas().isEmpty() ? 1 : replicas(tp, dp * cp, zero, choice).length;
            }
            long perSchedule = states * (pp > 1 && dp > 1 ? orders : Math.min(1, orders));
            tuples += perSchedule * scheduling.count(pp, micro);
        }
        return tuples;
    }
}
