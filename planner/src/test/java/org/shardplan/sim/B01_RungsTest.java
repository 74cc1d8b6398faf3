package org.shardplan.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.shardplan.cluster.Cluster;
import org.shardplan.cost.PricedProgram;
import org.shardplan.form.ClusterCatalog;
import org.shardplan.form.FrameworkCatalog;
import org.shardplan.form.ModelCatalog;
import org.shardplan.graph.DataType;
import org.shardplan.graph.OperatorGraph;
import org.shardplan.graph.TransformerGraph;
import org.shardplan.graph.TransformerSizes;
import org.shardplan.job.Prices;
import org.shardplan.plan.FixedChoices;
import org.shardplan.plan.Layouts;
import org.shardplan.plan.Legality;
import org.shardplan.plan.MeshOrder;
import org.shardplan.plan.PlanText;
import org.shardplan.plan.Recompute;
import org.shardplan.plan.ScheduleKind;
import org.shardplan.plan.Shorthand;
import org.shardplan.plan.Verdict;
import org.shardplan.search.Evaluation;
import org.shardplan.search.Objective;
import org.shardplan.search.Problem;
import org.shardplan.search.Scorer;
import org.shardplan.workload.Framework;
import org.shardplan.workload.Workload;

/** Closed form ≤ sweep, and near it, on plans drawn from the spaces of real models on real clusters. */
class B01_RungsTest {
    private static final int PLANS = 1000;
    private static final String[][] CASES = {
        {"gpt3-175b", "dgx-a100-80gb:128", "1536"},
        {"gpt3-175b", "dgx-a100-80gb:32", "768"},
        {"megatron-530b", "dgx-a100-80gb:280", "1920"},
        {"llama3-70b", "dgx-h100:8", "512"},
        {"llama3-70b", "dgx-h100:64", "1024"},
        {"mistral-7b", "dgx-h100:4", "256"},
        {"mistral-7b", "dgx-a100-80gb:2", "128"}
    };

    private final Prices prices = Prices.load();

    private record Gap(double share, String plan) {}

    @Test
    void closedFormIsALowerBoundAndNear() {
        List<Gap> gaps = IntStream.range(0, CASES.length)
                .mapToObj(this::gaps)
                .flatMap(List::stream)
                .sorted((a, b) -> Double.compare(a.share, b.share))
                .toList();
        assertEquals(PLANS, gaps.size());
        double median = gaps.get(PLANS / 2).share;
        double most = gaps.get(PLANS * 99 / 100).share;
        System.out.printf(
                "rungs: %d plans of real spaces, sweep over closed form: median %.3f %%, 99th percentile %.3f %%, most %.3f %%%n",
                PLANS, 100 * median, 100 * most, 100 * gaps.getLast().share);
        assertTrue(gaps.getFirst().share >= 0, () -> "bound above the sweep: " + gaps.getFirst());
        assertTrue(median <= 0.01, () -> "median " + median);
        assertTrue(most <= 0.05, () -> "99th percentile " + gaps.subList(PLANS * 99 / 100, PLANS));
    }

    private List<Gap> gaps(int index) {
        Random random = new Random(index);
        Problem problem = problem(CASES[index]);
        TransformerSizes sizes = ModelCatalog.find(CASES[index][0]).sizes();
        Scorer scorer = new Evaluation(problem, prices.kernels(), prices.collectives(), prices.calibration()).scorer();
        Sweep sweep = new Sweep();
        ClosedForm closedForm = new ClosedForm();
        List<Gap> gaps = new ArrayList<>();
        int wanted = PLANS * (index + 1) / CASES.length - PLANS * index / CASES.length;
        while (gaps.size() < wanted) {
            Optional<Shorthand> plan = draw(random, problem, sizes.heads());
            if (plan.isPresent()) {
                PricedProgram priced = scorer.price(scorer.program(plan.get()));
                long step = sweep.run(priced);
                double share = (double) (step - closedForm.bound(priced)) / step;
                gaps.add(new Gap(share, String.join(" ", CASES[index]) + " " + PlanText.print(plan.get())));
            }
        }
        return gaps;
    }

    private static Problem problem(String[] words) {
        TransformerSizes sizes = ModelCatalog.find(words[0]).sizes();
        Cluster cluster = ClusterCatalog.resolve(words[1]);
        Framework framework = FrameworkCatalog.get(FrameworkCatalog.DEFAULT);
        long seqLen = sizes.seqLen();
        OperatorGraph graph =
                TransformerGraph.build(sizes, seqLen, framework.limits().vocabMultiple());
        return new Problem(
                graph,
                new Workload(Long.parseLong(words[2]), seqLen, DataType.BF16, Workload.Optimizer.ADAM),
                cluster,
                framework,
                FixedChoices.NONE,
                Objective.TIME,
                Double.POSITIVE_INFINITY,
                cluster.device().usableBytes(),
                1);
    }

    /** Each choice drawn evenly from its values; empty where together they are not legal. Half of the layouts are even. */
    private static Optional<Shorthand> draw(Random random, Problem problem, long heads) {
        int layers = problem.graph().layers();
        int tp = divisor(random, heads);
        int pp = 1 + random.nextInt(layers);
        int vpp = random.nextBoolean() ? 1 : 1 + random.nextInt(Math.max(1, layers / pp));
        ScheduleKind kind = vpp > 1
                ? ScheduleKind.INTERLEAVED
                : random.nextInt(3) == 0 ? ScheduleKind.GPIPE : ScheduleKind.ONE_F_ONE_B;
        Recompute recompute =
                List.of(Recompute.NONE, Recompute.SELECTIVE, Recompute.FULL).get(random.nextInt(3));
        Shorthand even = new Shorthand(
                tp,
                pp,
                vpp,
                divisor(random, problem.workload().globalBatch()),
                1 << random.nextInt(4),
                random.nextBoolean(),
                random.nextInt(4),
                recompute,
                kind,
                MeshOrder.values()[random.nextInt(2)],
                List.of(),
                List.of());
        Shorthand plan = random.nextBoolean() ? even : uneven(random, even, layers);
        boolean legal =
                Legality.check(plan, problem.graph(), problem.workload(), problem.cluster(), problem.framework())
                        instanceof Verdict.Fits;
        return legal ? Optional.of(plan) : Optional.empty();
    }

    private static int divisor(Random random, long number) {
        int[] divisors = IntStream.rangeClosed(1, (int) number)
                .filter(divisor -> number % divisor == 0)
                .toArray();
        return divisors[random.nextInt(divisors.length)];
    }

    /** One or two layers moved from one rank to another, some ranks with more recomputation. */
    private static Shorthand uneven(Random random, Shorthand plan, int layers) {
        int pp = plan.pp();
        int[] byRank = Layouts.layersByRank(Layouts.even(layers, pp, plan.vpp()), pp);
        int from = random.nextInt(pp);
        int moved = Math.min(byRank[from], 1 + random.nextInt(2));
        byRank[from] -= moved;
        byRank[random.nextInt(pp)] += moved;
        List<Integer> full = plan.recompute().isFull()
                ? List.of()
                : Arrays.stream(byRank)
                        .mapToObj(held -> random.nextInt(1 + held))
                        .toList();
        return new Shorthand(
                plan.tp(),
                pp,
                plan.vpp(),
                plan.dp(),
                plan.microBatch(),
                plan.sequenceParallel(),
                plan.zero(),
                plan.recompute(),
                plan.schedule(),
                plan.order(),
                Layouts.ofRanks(byRank, plan.vpp()),
                random.nextBoolean() ? full : List.of());
    }
}
