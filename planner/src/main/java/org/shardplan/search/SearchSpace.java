package org.shardplan.search;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.shardplan.plan.FixedChoices;
import org.shardplan.plan.Legality;
import org.shardplan.plan.MeshOrder;
import org.shardplan.plan.Recompute;
import org.shardplan.plan.ScheduleKind;
import org.shardplan.plan.Schedules;
import org.shardplan.plan.Shorthand;
import org.shardplan.plan.Verdict;
import org.shardplan.workload.Framework;

/**
 * The outer space of plans: a mixed-radix number over (tp, micro-batch, sp, ep and etp, recompute, pp, dp, vpp or schedule, zero, order).
 *
 * <p>Only legal tuples whose programs differ are counted: no sp without tp, no ZeRO and no mesh order without dp, no
 * selective recomputation where attention is fused and nothing else would be recomputed.
 */
final class SearchSpace {
    private final Problem problem;
    private final FixedChoices fixed;
    private final Framework.Limits limits;
    final int layers;
    final int devices;
    final long globalBatch;
    final int[] tps;
    final int[] microBatches;
    final List<Recompute> recomputes;
    private final boolean wholeRounds;
    private final int[] oneChunk;
    private final Map<Integer, int[]> allChunks = new ConcurrentHashMap<>();
    private final Map<Integer, int[]> someChunks = new ConcurrentHashMap<>();
    private final List<ScheduleKind> alone;
    private final List<ScheduleKind> pipelined;
    private final List<ScheduleKind> interleaved;
    /** Those that have no formulas: weight gradients apart, two directions, the user's table. */
    private final List<ScheduleKind> others;

    private final int[] oneChunkAndOthers;
    private final int[][] zeros = new int[2][2];
    private final int orderCount;
    /** By tp. */
    private final List<List<Boolean>> sequenceParallel;
    /** By tp. */
    private final List<List<ExpertChoice>> experts;
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
        wholeRounds = limits.schedules().wholeRounds();
        tps = Arrays.stream(Legality.tensorDegrees(
                        problem.graph(), problem.workload(), problem.cluster(), problem.framework()))
                .filter(tp -> fixed.tp().isEmpty() || fixed.tp().getAsInt() == tp)
                .toArray();
        microBatches = divisors(globalBatch, (int) Math.min(globalBatch, 1 << 16))
                .filter(size ->
                        fixed.microBatch().isEmpty() || fixed.microBatch().getAsInt() == size)
                .toArray();
        recomputes = recomputeModes();
        others = otherKinds();
        oneChunk = IntStream.of(1).filter(this::chunksWanted).toArray();
        oneChunkAndOthers = IntStream.concat(
                        IntStream.of(1), others.stream().mapToInt(ScheduleKind::chunks))
                .filter(this::chunksWanted)
                .sorted()
                .distinct()
                .toArray();
        pipelined = wanted(ScheduleKind.ONE_F_ONE_B, ScheduleKind.GPIPE);
        // one rank has nothing to schedule: any framework runs that
        alone = free(ScheduleKind.ONE_F_ONE_B) ? List.of(ScheduleKind.ONE_F_ONE_B) : wanted(ScheduleKind.GPIPE);
        interleaved = wanted(ScheduleKind.INTERLEAVED);
        for (int i = 0; i < 4; i++) {
            zeros[i / 2][i % 2] = zeros(1 + i / 2, 1 + i % 2).length;
        }
        orderCount = orders(2, 2).size();
        sequenceParallel = new ArrayList<>();
        experts = new ArrayList<>();
        pipelines = new int[tps.length][];
        for (int i = 0; i < tps.length; i++) {
            sequenceParallel.add(sequenceParallelOf(tps[i]));
            experts.add(expertsOf(tps[i]));
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

    /** Ways to share out the experts: one where there are none; beyond one rank only with sp, or without tp. */
    List<ExpertChoice> experts(int tp, boolean sequenceParallel) {
        List<ExpertChoice> all = experts.get(Arrays.binarySearch(tps, tp));
        return tp == 1 || sequenceParallel
                ? all
                : all.stream().filter(choice -> choice.ep() == 1).toList();
    }

    private List<ExpertChoice> expertsOf(int tp) {
        int count = (int) Legality.experts(problem.graph());
        List<ExpertChoice> choices = new ArrayList<>();
        for (int ep = 1; ep <= Math.max(1, Math.min(count, devices)); ep++) {
            boolean divides = ep == 1 || count % ep == 0;
            if (divides && (fixed.ep().isEmpty() || fixed.ep().getAsInt() == ep)) {
                for (int etp : tp == 1 || ep == 1 ? new int[] {tp} : new int[] {1, tp}) {
                    boolean wanted = fixed.etp().isEmpty() || fixed.etp().getAsInt() == etp;
                    if (wanted && (etp == tp || ep % tp == 0)) {
                        choices.add(ExpertChoice.of(tp, ep, etp));
                    }
                }
            }
        }
        return choices;
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

    /** Chunks a rank: 1, and where interleaving is legal more; else as many as some other schedule has. */
    int[] chunks(int pp, int micro) {
        if (interleaves(pp, micro)) {
            return allChunks.computeIfAbsent(pp, this::interleavedChunks);
        }
        return pp == 1 || others.isEmpty() ? oneChunk : someChunks.computeIfAbsent(pp, this::chunksOfOthers);
    }

    private boolean interleaves(int pp, int micro) {
        return pp > 1 && limits.interleaved() && micro >= pp && !(wholeRounds && micro % pp != 0);
    }

    private int[] chunksOfOthers(int pp) {
        return Arrays.stream(oneChunkAndOthers)
                .filter(vpp -> vpp == 1 || pp * vpp <= mostStages())
                .filter(vpp -> limits.unevenLayouts() || layers % (pp * vpp) == 0)
                .toArray();
    }

    private int[] interleavedChunks(int pp) {
        return IntStream.rangeClosed(1, Math.max(1, mostStages() / pp))
                .filter(this::chunksWanted)
                .filter(vpp -> limits.unevenLayouts() || layers % (pp * vpp) == 0)
                .toArray();
    }

    private boolean chunksWanted(int vpp) {
        return fixed.vpp().isEmpty() || fixed.vpp().getAsInt() == vpp;
    }

    /** With one rank or one micro-batch the choice between 1F1B and GPipe is none: 1F1B, or what is pinned. */
    List<ScheduleKind> schedules(int pp, int vpp, int micro) {
        List<ScheduleKind> classic = pp == 1 || (micro == 1 && !pipelined.isEmpty()) ? alone : pipelined;
        if (vpp > 1) {
            classic = interleaves(pp, micro) ? interleaved : List.of();
        }
        if (pp == 1 || others.isEmpty()) {
            return classic;
        }
        List<ScheduleKind> all = new ArrayList<>(classic);
        for (ScheduleKind kind : others) {
            boolean same = kind == ScheduleKind.ZB_H2 && micro <= 2 && others.contains(ScheduleKind.ZB_H1);
            if (!same && kind.chunks() == vpp && Schedules.refusal(kind, pp, vpp, micro).isEmpty()) {
                all.add(kind);
            }
        }
        return all;
    }

    private List<ScheduleKind> wanted(ScheduleKind... kinds) {
        return Arrays.stream(kinds).filter(this::offered).toList();
    }

    /** Whether the framework runs it, and nothing else is pinned. */
    private boolean offered(ScheduleKind kind) {
        return limits.schedules().kinds().contains(kind.word()) && free(kind);
    }

    private boolean free(ScheduleKind kind) {
        return fixed.schedule().isEmpty() || fixed.schedule().get().equals(kind);
    }

    private List<ScheduleKind> otherKinds() {
        Stream<ScheduleKind> tables =
                fixed.schedule().filter(kind -> kind.table().isPresent()).stream();
        return Stream.concat(ScheduleKind.values().stream().filter(kind -> !kind.isClassic()), tables)
                .filter(this::offered)
                .toList();
    }

    /** Whether some schedule keeps weight gradients apart, or runs passes beside each other. */
    boolean splits() {
        return !others.isEmpty();
    }

    int[] zeros(int pp, int dp) {
        int most = pp > 1 ? Math.min(limits.maxZero(), limits.maxZeroWithPipeline()) : limits.maxZero();
        if (fixed.zero().isPresent()) {
            int zero = fixed.zero().getAsInt();
            return zero <= most ? new int[] {zero} : new int[0];
        }
        return IntStream.rangeClosed(0, dp > 1 ? most : 0).toArray();
    }

    List<MeshOrder> orders(int pp, int dp, ExpertChoice choice) {
        if (choice.ep() > 1) {
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
     * @param shape index of (tp, micro-batch, sp, recompute)
     * @param choice schedule, ZeRO stage and mesh order, packed
     */
    long number(int shape, int pp, int dp, int vpp, int choice) {
        long number = shape;
        number = number * (mostStages() + 1L) + pp;
        number = number * (devices + 1L) + dp;
        number = number * (mostStages() + 1L) + vpp;
        return number * 128 + choice;
    }

    /** Legal, distinct outer tuples. */
    long count() {
        long tuples = 0;
        for (int tp : tps) {
            for (boolean sp : sequenceParallel(tp)) {
                for (ExpertChoice choice : experts(tp, sp)) {
                    for (int microBatch : microBatches) {
                        for (int pp : pipelines(tp)) {
                            tuples += recomputes.size() * count(pp, (long) tp * pp, microBatch, choice);
                        }
                    }
                }
            }
        }
        return tuples;
    }

    private long count(int pp, long modelRanks, int microBatch, ExpertChoice choice) {
        long tuples = 0;
        int orders = choice.ep() > 1 ? orders(2, 2, choice).size() : orderCount;
        for (int dp : dataRanks(microBatch)) {
            if (modelRanks * dp > devices) {
                break;
            }
            if (dp % choice.mesh().dataRanks() != 0) {
                continue;
            }
            int micro = (int) (globalBatch / microBatch / dp);
            int[] chunks = chunks(pp, micro);
            long perSchedule =
                    (long) zeros[pp > 1 ? 1 : 0][dp > 1 ? 1 : 0] * (pp > 1 && dp > 1 ? orders : Math.min(1, orders));
            long one = chunks.length > 0 && chunks[0] == 1
                    ? schedules(pp, 1, micro).size()
                    : 0;
            long more = chunks.length - (chunks.length > 0 && chunks[0] == 1 ? 1 : 0);
            long schedules = one + more * (interleaves(pp, micro) ? interleaved.size() : 0);
            for (int vpp : chunks) {
                if (vpp > 1 && !others.isEmpty()) {
                    schedules += schedules(pp, vpp, micro).size() - (interleaves(pp, micro) ? interleaved.size() : 0);
                }
            }
            tuples += perSchedule * schedules;
        }
        return tuples;
    }
}
