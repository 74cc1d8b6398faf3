package org.shardplan.search;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.shardplan.cost.PricedProgram;
import org.shardplan.plan.ContextParallel;
import org.shardplan.plan.FixedChoices;
import org.shardplan.plan.Layouts;
import org.shardplan.plan.Legality;
import org.shardplan.plan.MeshOrder;
import org.shardplan.plan.Recompute;
import org.shardplan.plan.ScheduleKind;
import org.shardplan.plan.Shorthand;
import org.shardplan.plan.Verdict;
import org.shardplan.program.BlockProgram;
import org.shardplan.program.GroupPattern;
import org.shardplan.program.Program;
import org.shardplan.program.StageProgram;
import org.shardplan.sim.MemoryPeak;
import org.shardplan.sim.MemoryWalk;
import org.shardplan.sim.Sweep;

/**
 * All plans of a small problem, each scored: every outer tuple that is legal, every number of layers and of fully recomputed layers on
 * every rank. Knows nothing of the search.
 */
final class EveryPlan {
    /**
     * A plan with its step and the bytes of its worst rank, context included.
     *
     * @param alike outer tuples that have the same program
     */
    record Scored(Shorthand plan, List<Shorthand> alike, long stepNanos, long peakBytes) {

        /** Whether its layout is one that is searched: with 1F1B and GPipe any, interleaved one with even ranks between the ends. */
        boolean searched() {
            if (!plan.schedule().isClassic()) {
                return searchedByStage();
            }
            int[] byRank = Layouts.layersByRank(plan.layout(), plan.pp());
            int layers = Arrays.stream(byRank).sum();
            int[] even = Layouts.withEnds(layers, plan.pp(), byRank[0], byRank[plan.pp() - 1]);
            return plan.vpp() == 1 || Arrays.equals(byRank, even);
        }

        /** With weight gradients apart: even stages between the ends, and no more than the even share there. */
        private boolean searchedByStage() {
            List<Integer> layout = plan.layout();
            int stages = layout.size();
            int layers = layout.stream().mapToInt(Integer::intValue).sum();
            int first = layout.getFirst();
            int last = layout.getLast();
            int share = Math.ceilDiv(layers, stages);
            List<Integer> even = Arrays.stream(Layouts.withEnds(layers, stages, first, last))
                    .boxed()
                    .toList();
            return stages == 2 || (layout.equals(even) && first <= share && last <= share);
        }

        /** Whether its sequences and replicas are split in a way that the space of the problem has. */
        boolean within(Problem problem) {
            return EveryPlan.inSpace(plan, problem);
        }

        /** Whether the space has a plan in its place that is no slower, which is why it has not this one. */
        boolean surpassed(Problem problem) {
            Shorthand other = EveryPlan.instead(plan, problem);
            return other != plan && EveryPlan.inSpace(other, problem);
        }

        /** Whether pinned choices allow it, as one of the tuples that have this program. A pinned recomputation means exactly this one. */
        boolean allowed(FixedChoices fixed) {
            boolean more = plan.fullRecomputeByStage().stream().anyMatch(full -> full > 0);
            return alike.stream()
                    .anyMatch(tuple -> fixed.allows(tuple)
                            && (fixed.schedule().isPresent() || offered(tuple))
                            && !(fixed.recompute().isPresent() && more));
        }
    }

    private final Problem problem;
    private final int layers;

    EveryPlan(Problem problem) {
        this.problem = problem;
        layers = problem.graph().layers();
    }

    /** Legal outer tuples, with an empty layout; recomputation none, selective, full. */
    List<Shorthand> tuples() {
        List<Shorthand> tuples = new ArrayList<>();
        int devices = problem.cluster().devices();
        long batch = problem.workload().globalBatch();
        for (int tp = 1; tp <= devices; tp++) {
            for (int pp = 1; tp * pp <= devices; pp++) {
                for (int dp = 1; tp * pp * dp <= devices; dp++) {
                    for (int micro = 1; dp * micro <= batch; micro++) {
                        if (batch % (dp * micro) == 0) {
                            tuples(tp, pp, dp, micro, tuples);
                        }
                    }
                }
            }
        }
        return tuples;
    }

    /** Sequences split in every way that leaves ranks enough, in the framework's ways of exchange. */
    private List<ContextParallel> contexts() {
        List<ContextParallel> all = new ArrayList<>(List.of(ContextParallel.NONE));
        for (int cp = 2; cp <= problem.cluster().devices(); cp++) {
            for (String type : problem.framework().sharding().contextTypes()) {
                all.add(new ContextParallel(cp, ContextParallel.Type.of(type).orElseThrow()));
            }
        }
        return all;
    }

    /**
     * Left out: parts of sequences that are too short, splits that another plan surpasses, and groups of states that no domain of the cluster
     * asks for; unless pinned.
     */
    static boolean inSpace(Shorthand plan, Problem problem) {
        FixedChoices fixed = problem.fixed();
        // domains of small clusters have two devices
        boolean near = plan.replicas() == 1
                || (plan.zero() >= 2 && plan.tp() == 1 && plan.parameterRanks() / plan.replicas() == 2)
                || fixed.replicas().isPresent();
        long parts = Math.max(
                problem.workload().seqLen() / 2048,
                Math.ceilDiv(problem.cluster().devices(), problem.workload().globalBatch()));
        boolean enough = plan.cp() <= Math.max(1, parts) || fixed.cp().isPresent();
        return enough && near && instead(plan, problem) == plan;
    }

    /** The same work with fewer sequences a micro-batch in fewer parts, on more data ranks; the plan itself where there is no such one. */
    static Shorthand instead(Shorthand plan, Problem problem) {
        FixedChoices fixed = problem.fixed();
        boolean pinned = fixed.cp().isPresent()
                || fixed.dp().isPresent()
                || fixed.microBatch().isPresent();
        int common = BigInteger.valueOf(plan.cp())
                .gcd(BigInteger.valueOf(plan.microBatch()))
                .intValue();
        if (common == 1 || pinned) {
            return plan;
        }
        Shorthand other = new Shorthand(
                        plan.tp(),
                        plan.pp(),
                        plan.vpp(),
                        plan.dp() * common,
                        plan.microBatch() / common,
                        plan.sequenceParallel(),
                        plan.zero(),
                        plan.recompute(),
                        plan.schedule(),
                        plan.order(),
                        plan.layout(),
                        plan.fullRecomputeByStage())
                .withExperts(plan.ep(), plan.etp())
                .withContext(
                        new ContextParallel(plan.cp() / common, plan.context().type()))
                .withReplicas(plan.replicas());
        boolean legal =
                Legality.check(other, problem.graph(), problem.workload(), problem.cluster(), problem.framework())
                        instanceof Verdict.Fits;
        return legal ? other : plan;
    }

    private void tuples(int tp, int pp, int dp, int micro, List<Shorthand> tuples) {
        for (int vpp = 1; vpp <= layers + 2; vpp++) {
            for (ScheduleKind kind : ScheduleKind.values()) {
                // what is illegal by its degrees stays so whatever else is chosen
                Recompute[] modes = legal(tuple(tp, pp, vpp, dp, micro, 0, Recompute.NONE, kind))
                        ? new Recompute[] {Recompute.NONE, Recompute.SELECTIVE, Recompute.FULL}
                        : new Recompute[0];
                for (Recompute recompute : modes) {
                    for (int choice = 0; choice < 2 * 2 * 4; choice++) {
                        Shorthand plan = tuple(tp, pp, vpp, dp, micro, choice, recompute, kind);
                        for (ContextParallel context : contexts()) {
                            split(plan.withContext(context), tuples);
                        }
                    }
                }
            }
        }
    }

    private void split(Shorthand plan, List<Shorthand> tuples) {
        if (plan.devices() > problem.cluster().devices()) {
            return;
        }
        for (int replicas = 1; replicas <= plan.parameterRanks(); replicas++) {
            experts(plan.withReplicas(replicas)).stream().filter(this::legal).forEach(tuples::add);
        }
    }

    /** The plan with its experts on one rank, and on more, each whole or split over the tensor ranks. */
    private List<Shorthand> experts(Shorthand plan) {
        List<Shorthand> plans = new ArrayList<>(List.of(plan));
        for (int ep = 2; ep <= Legality.experts(problem.graph()); ep++) {
            plans.add(plan.withExperts(ep, 1));
            if (plan.tp() > 1) {
                plans.add(plan.withExperts(ep, plan.tp()));
            }
        }
        return plans;
    }

    private static Shorthand tuple(
            int tp, int pp, int vpp, int dp, int micro, int choice, Recompute recompute, ScheduleKind kind) {
        boolean sp = choice % 2 == 1;
        MeshOrder order = MeshOrder.values()[choice / 2 % 2];
        return new Shorthand(tp, pp, vpp, dp, micro, sp, choice / 4, recompute, kind, order, List.of(), List.of());
    }

    private boolean legal(Shorthand plan) {
        return Legality.check(plan, problem.graph(), problem.workload(), problem.cluster(), problem.framework())
                instanceof Verdict.Fits;
    }

    /** Every layout and number of fully recomputed layers of one tuple. */
    void inside(Shorthand tuple, Consumer<Shorthand> consumer) {
        if (!tuple.schedule().isClassic()) {
            stages(tuple, new int[tuple.virtualStages()], 0, layers, consumer);
            return;
        }
        layouts(tuple, new int[tuple.pp()], 0, layers, consumer);
    }

    private void stages(Shorthand tuple, int[] layout, int stage, int left, Consumer<Shorthand> consumer) {
        if (stage == layout.length - 1) {
            layout[stage] = left;
            Shorthand plan = with(tuple, Arrays.stream(layout).boxed().toList(), List.of());
            if (!legal(plan)) {
                return;
            }
            if (tuple.recompute().isFull()) {
                consumer.accept(plan);
            } else {
                recomputed(plan, Layouts.layersByRank(plan, layers), new Integer[tuple.pp()], 0, consumer);
            }
            return;
        }
        for (int here = 0; here <= left; here++) {
            layout[stage] = here;
            stages(tuple, layout, stage + 1, left - here, consumer);
        }
    }

    private void layouts(Shorthand tuple, int[] byRank, int rank, int left, Consumer<Shorthand> consumer) {
        if (rank == byRank.length - 1) {
            byRank[rank] = left;
            Shorthand plan = with(tuple, Layouts.ofRanks(byRank, tuple.vpp()), List.of());
            if (!legal(plan)) {
                return;
            }
            if (tuple.recompute().isFull()) {
                consumer.accept(plan);
            } else {
                recomputed(plan, byRank, new Integer[byRank.length], 0, consumer);
            }
            return;
        }
        for (int here = 0; here <= left; here++) {
            byRank[rank] = here;
            layouts(tuple, byRank, rank + 1, left - here, consumer);
        }
    }

    private void recomputed(Shorthand plan, int[] byRank, Integer[] full, int rank, Consumer<Shorthand> consumer) {
        if (rank == full.length) {
            Shorthand whole = with(plan, plan.layout(), List.of(full));
            if (problem.framework().limits().recomputeByRank() || legal(whole)) {
                consumer.accept(whole);
            }
            return;
        }
        for (int here = 0; here <= byRank[rank]; here++) {
            full[rank] = here;
            recomputed(plan, byRank, full, rank + 1, consumer);
        }
    }

    /** How many plans there are; at least {@code enough} where there are more. */
    long count(List<List<Shorthand>> alike, long enough) {
        long[] count = new long[1];
        for (List<Shorthand> tuples : alike) {
            inside(tuples.getFirst(), _ -> count[0]++);
            if (count[0] >= enough) {
                break;
            }
        }
        return count[0];
    }

    List<Scored> score(List<List<Shorthand>> alike, Evaluation evaluation) {
        Scorer scorer = evaluation.scorer();
        Sweep sweep = new Sweep();
        List<Scored> scored = new ArrayList<>();
        for (List<Shorthand> tuples : alike) {
            inside(tuples.getFirst(), plan -> {
                PricedProgram priced = scorer.price(scorer.program(plan));
                long peak = MemoryWalk.peaks(priced).stream()
                        .mapToLong(MemoryPeak::total)
                        .max()
                        .orElseThrow();
                scored.add(new Scored(plan, tuples, sweep.run(priced), peak));
            });
        }
        return scored;
    }

    /**
     * The tuples by what their programs have in common on the even layout: tuples with one program are one choice. The first of each
     * list stands for all.
     */
    List<List<Shorthand>> alike(List<Shorthand> tuples, Evaluation evaluation) {
        Scorer scorer = evaluation.scorer();
        Map<BlockProgram, Integer> known = new IdentityHashMap<>();
        Map<List<Object>, List<Shorthand>> programs = new LinkedHashMap<>();
        for (Shorthand tuple : tuples) {
            programs.computeIfAbsent(essence(scorer.program(tuple), known), _ -> new ArrayList<>())
                    .add(tuple);
        }
        return List.copyOf(programs.values());
    }

    /** One rank alone has no pipeline, so no choice of its schedule: GPipe counts there only where it is pinned. */
    static boolean offered(Shorthand tuple) {
        return tuple.pp() > 1 || tuple.schedule() == ScheduleKind.ONE_F_ONE_B;
    }

    private static List<Object> essence(Program program, Map<BlockProgram, Integer> known) {
        Shorthand plan = program.plan().shorthand();
        List<Object> essence = new ArrayList<>();
        essence.add(program.plan().schedule());
        essence.add(plan.microBatch());
        essence.add(plan.parameterRanks() > 1 ? plan.zero() : 0);
        essence.add(plan.replicas());
        for (String dim : List.of("tp", "pp", "dp", "edp", "ep", "cp", "epc")) {
            GroupPattern group = program.group(dim);
            essence.add(group.size() > 1 ? group : new GroupPattern(1, 1));
        }
        for (StageProgram stage : program.stages()) {
            essence.add("stage");
            for (StageProgram.Run run : stage.runs()) {
                BlockProgram block = run.program();
                boolean nothing = run.level() == StageProgram.Level.SELECTIVE
                        && block.recomputeSelective().isEmpty()
                        && block.savedSelective().equals(block.saved());
                essence.add(known.computeIfAbsent(block, _ -> known.size()));
                essence.add(run.repeats());
                essence.add(nothing ? StageProgram.Level.NONE : run.level());
            }
        }
        return essence;
    }

    private static Shorthand with(Shorthand plan, List<Integer> layout, List<Integer> full) {
        Shorthand dense = new Shorthand(
                plan.tp(),
                plan.pp(),
                plan.vpp(),
                plan.dp(),
                plan.microBatch(),
                plan.sequenceParallel(),
                plan.zero(),
                plan.recompute(),
                plan.schedule(),
                plan.order(),
                layout,
                full);
        return dense.withExperts(plan.ep(), plan.etp())
                .withContext(plan.context())
                .withReplicas(plan.replicas());
    }
}
