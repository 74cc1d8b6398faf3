package org.shardplan.search;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.shardplan.cluster.Cluster;
import org.shardplan.cost.PricedProgram;
import org.shardplan.form.ClusterCatalog;
import org.shardplan.form.FrameworkCatalog;
import org.shardplan.form.ModelCatalog;
import org.shardplan.graph.DataType;
import org.shardplan.graph.TransformerGraph;
import org.shardplan.graph.TransformerSizes;
import org.shardplan.job.Prices;
import org.shardplan.plan.ContextParallel;
import org.shardplan.plan.FixedChoices;
import org.shardplan.plan.Layouts;
import org.shardplan.plan.Legality;
import org.shardplan.plan.MeshOrder;
import org.shardplan.plan.PlanText;
import org.shardplan.plan.Recompute;
import org.shardplan.plan.ScheduleKind;
import org.shardplan.plan.Shorthand;
import org.shardplan.plan.Verdict;
import org.shardplan.sim.MemoryPeak;
import org.shardplan.sim.MemoryWalk;
import org.shardplan.sim.Sweep;
import org.shardplan.workload.Framework;
import org.shardplan.workload.Workload;

/** On real problems, which are too large to try every plan: nothing that differs in one choice from any of the best plans is faster than the best. */
class B02_NeighboursTest {
    private static final String[][] CASES = {
        {"mistral-7b", "dgx-h100:2", "128", "megatron-core"},
        {"mistral-7b", "dgx-a100-40gb:1", "64", "megatron-lm-2022"},
        {"llama2-7b", "dgx-v100:4", "96", "megatron-core"},
        {"llama3-70b", "dgx-h100:8", "512", "megatron-core"},
        {"megatron-22b", "dgx-a100-80gb:1", "4", "megatron-lm-2022"},
        {"megatron-39.1b", "dgx-a100-80gb:64", "1536", "megatron-lm-2021"},
    };

    private final Prices prices = Prices.load();
    private long looked;
    private int proven;

    @Test
    void noNeighbourIsFaster() {
        List<String> faster = new ArrayList<>();
        for (String[] words : CASES) {
            neighbours(words, faster);
        }
        System.out.printf(
                "neighbours: %,d legal ones of the best plans of %d problems, %d of them proven%n",
                looked, CASES.length, proven);
        assertTrue(faster.isEmpty(), () -> String.join("\n", faster));
    }

    private void neighbours(String[] words, List<String> faster) {
        Problem problem = problem(words);
        Evaluation evaluation = new Evaluation(problem, prices.kernels(), prices.collectives(), prices.calibration());
        SearchResult result = new Hybrid(2).search(problem, evaluation, Budget.NONE, SearchObserver.NONE);
        proven += result.statistics().optimal() ? 1 : 0;
        long best = result.scores().getFirst().stepNanos();
        Scorer scorer = evaluation.scorer();
        Sweep sweep = new Sweep();
        for (Score score : result.scores()) {
            for (Shorthand plan : around(score.plan(), problem)) {
                boolean enough = plan.cp() == 1 || problem.workload().seqLen() / plan.cp() >= ContextChoices.TOKENS;
                if (!legal(plan, problem) || !enough) {
                    continue;
                }
                looked++;
                PricedProgram priced = scorer.price(scorer.program(plan));
                long step = sweep.run(priced);
                if (step < best && peak(priced) <= problem.capacityBytes()) {
                    faster.add(String.join(" ", words) + ": best "
                            + PlanText.print(result.scores().getFirst().plan()) + " " + best + " ns, but "
                            + PlanText.print(plan) + " " + step + " ns");
                }
            }
        }
    }

    private static long peak(PricedProgram priced) {
        return MemoryWalk.peaks(priced).stream()
                .mapToLong(MemoryPeak::total)
                .max()
                .orElseThrow();
    }

    private static boolean legal(Shorthand plan, Problem problem) {
        return Legality.check(plan, problem.graph(), problem.workload(), problem.cluster(), problem.framework())
                instanceof Verdict.Fits;
    }

    private static Problem problem(String[] words) {
        TransformerSizes sizes = ModelCatalog.find(words[0]).sizes();
        Cluster cluster = ClusterCatalog.resolve(words[1]);
        DataType precision = cluster.device().supports(DataType.BF16) ? DataType.BF16 : DataType.FP16;
        Framework framework = FrameworkCatalog.get(words[3], precision);
        long seqLen = sizes.seqLen();
        return new Problem(
                TransformerGraph.build(sizes, seqLen, framework.limits().vocabMultiple()),
                new Workload(Long.parseLong(words[2]), seqLen, precision, Workload.Optimizer.ADAM),
                cluster,
                framework,
                FixedChoices.NONE,
                Objective.TIME,
                Double.POSITIVE_INFINITY,
                (long) (cluster.device().usableBytes() * 0.95),
                10);
    }

    /** Plans that differ in one choice, or in two that must go together; legal or not. */
    private static List<Shorthand> around(Shorthand plan, Problem problem) {
        List<Shorthand> all = new ArrayList<>();
        for (int degree = 1; degree <= 16; degree++) {
            all.add(new Draft(plan).degrees(degree, plan.pp(), plan.vpp(), plan.dp(), plan.microBatch()));
            all.add(new Draft(plan).degrees(plan.tp(), degree, plan.vpp(), plan.dp(), plan.microBatch()));
            all.add(new Draft(plan).degrees(plan.tp(), plan.pp(), degree, plan.dp(), plan.microBatch()));
            all.add(new Draft(plan).degrees(plan.tp(), plan.pp(), plan.vpp(), degree, plan.microBatch()));
            all.add(new Draft(plan).degrees(plan.tp(), plan.pp(), plan.vpp(), plan.dp(), degree));
        }
        for (int factor = 2; factor <= 8; factor *= 2) {
            all.add(new Draft(plan).degrees(plan.tp() * factor, plan.pp(), plan.vpp(), plan.dp() / factor, 1));
            all.add(new Draft(plan).degrees(plan.tp() / factor, plan.pp(), plan.vpp(), plan.dp() * factor, 1));
            all.add(new Draft(plan).degrees(plan.tp() / factor, plan.pp() * factor, 1, plan.dp(), 1));
            all.add(new Draft(plan).degrees(plan.tp() * factor, plan.pp() / factor, plan.vpp(), plan.dp(), 1));
            all.add(new Draft(plan).degrees(plan.tp(), plan.pp() * factor, 1, plan.dp() / factor, 1));
            all.add(new Draft(plan).degrees(plan.tp(), plan.pp() / factor, plan.vpp(), plan.dp() * factor, 1));
        }
        for (ContextParallel.Type type : ContextParallel.Type.values()) {
            all.add(new Draft(plan).split(plan.cp(), type));
            all.add(new Draft(plan).split(plan.cp() * 2, type));
            all.add(new Draft(new Draft(plan).degrees(plan.tp(), plan.pp(), plan.vpp(), plan.dp() / 2, 1))
                    .split(plan.cp() * 2, type));
        }
        for (int zero = 0; zero < 4; zero++) {
            all.add(new Draft(plan).with(zero, plan.order(), plan.sequenceParallel(), plan.schedule()));
        }
        all.add(new Draft(plan).with(plan.zero(), plan.order(), !plan.sequenceParallel(), plan.schedule()));
        for (MeshOrder order : MeshOrder.values()) {
            all.add(new Draft(plan).with(plan.zero(), order, plan.sequenceParallel(), plan.schedule()));
        }
        for (ScheduleKind kind : ScheduleKind.values()) {
            all.add(new Draft(plan).with(plan.zero(), plan.order(), plan.sequenceParallel(), kind));
        }
        inside(plan, problem.graph().layers(), all);
        return all;
    }

    /** Other layouts and other numbers of recomputed layers. */
    private static void inside(Shorthand plan, int layers, List<Shorthand> all) {
        int pp = plan.pp();
        int[] byRank = Layouts.layersByRank(Layouts.of(plan, layers), pp);
        List<Integer> full = full(plan, byRank);
        for (Recompute mode : List.of(Recompute.NONE, Recompute.SELECTIVE, Recompute.FULL)) {
            all.add(new Draft(plan).recomputed(mode, List.of(), Layouts.of(plan, layers)));
            all.add(new Draft(plan).recomputed(mode, List.of(), List.of()));
        }
        for (int rank = 0; rank < pp; rank++) {
            for (int change = -2; change <= 2; change++) {
                List<Integer> other = new ArrayList<>(full);
                other.set(rank, Math.clamp((long) full.get(rank) + change, 0, byRank[rank]));
                all.add(new Draft(plan).recomputed(mode(plan), other, Layouts.of(plan, layers)));
                for (int from = 0; from < pp; from++) {
                    moved(plan, byRank, from, rank, other).ifPresent(all::add);
                }
            }
        }
    }

    /** A layer moved between ranks; of interleaved plans where the ranks between the ends stay even, for only these are searched. */
    private static Optional<Shorthand> moved(Shorthand plan, int[] byRank, int from, int to, List<Integer> full) {
        int[] totals = byRank.clone();
        totals[from]--;
        totals[to]++;
        int layers = Arrays.stream(byRank).sum();
        int last = totals.length - 1;
        boolean searched =
                plan.vpp() == 1 || Arrays.equals(totals, Layouts.withEnds(layers, plan.pp(), totals[0], totals[last]));
        if (totals[from] < 0 || !searched) {
            return Optional.empty();
        }
        return Optional.of(new Draft(plan).recomputed(mode(plan), full, Layouts.ofRanks(totals, plan.vpp())));
    }

    private static Recompute mode(Shorthand plan) {
        return new Recompute(plan.recompute().mode(), 0);
    }

    private static List<Integer> full(Shorthand plan, int[] byRank) {
        if (!plan.fullRecomputeByStage().isEmpty()) {
            return plan.fullRecomputeByStage();
        }
        return Arrays.stream(byRank)
                .mapToObj(held -> Math.min(held, plan.recompute().fullLayers()))
                .toList();
    }

    /** A plan from which others are made. */
    private record Draft(Shorthand plan) {

        /** Other degrees, on the even layout. */
        Shorthand degrees(int tp, int pp, int vpp, int dp, int microBatch) {
            ScheduleKind alone = plan.vpp() > 1 ? ScheduleKind.ONE_F_ONE_B : plan.schedule();
            return new Shorthand(
                            Math.max(1, tp),
                            Math.max(1, pp),
                            Math.max(1, vpp),
                            Math.max(1, dp),
                            microBatch,
                            plan.sequenceParallel(),
                            plan.zero(),
                            plan.recompute(),
                            vpp > 1 ? ScheduleKind.INTERLEAVED : alone,
                            plan.order(),
                            List.of(),
                            List.of())
                    .withContext(plan.context());
        }

        /** Each sequence on more ranks or fewer, or otherwise. */
        Shorthand split(int cp, ContextParallel.Type type) {
            return plan.withContext(new ContextParallel(cp, type));
        }

        Shorthand with(int zero, MeshOrder order, boolean sequenceParallel, ScheduleKind schedule) {
            return new Shorthand(
                            plan.tp(),
                            plan.pp(),
                            plan.vpp(),
                            plan.dp(),
                            plan.microBatch(),
                            sequenceParallel,
                            zero,
                            plan.recompute(),
                            schedule,
                            order,
                            plan.layout(),
                            plan.fullRecomputeByStage())
                    .withContext(plan.context())
                    .withReplicas(zero == 0 ? 1 : plan.replicas());
        }

        Shorthand recomputed(Recompute recompute, List<Integer> full, List<Integer> layout) {
            return new Shorthand(
                            plan.tp(),
                            plan.pp(),
                            plan.vpp(),
                            plan.dp(),
                            plan.microBatch(),
                            plan.sequenceParallel(),
                            plan.zero(),
                            recompute,
                            plan.schedule(),
                            plan.order(),
                            layout,
                            recompute.isFull() ? List.of() : full)
                    .withContext(plan.context())
                    .withReplicas(plan.replicas());
        }
    }
}
