package org.shardplan.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.shardplan.cluster.Cluster;
import org.shardplan.cluster.Disturbances;
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
import org.shardplan.plan.Legality;
import org.shardplan.plan.MeshOrder;
import org.shardplan.plan.Recompute;
import org.shardplan.plan.ScheduleKind;
import org.shardplan.plan.Shorthand;
import org.shardplan.plan.Verdict;
import org.shardplan.program.Program;
import org.shardplan.search.Evaluation;
import org.shardplan.search.Objective;
import org.shardplan.search.Problem;
import org.shardplan.search.Scorer;
import org.shardplan.sim.LaneRefinement;
import org.shardplan.sim.Lanes;
import org.shardplan.workload.Framework;
import org.shardplan.workload.Workload;

/** The problem P1 (GPT-3 175B on 1,024 A100-80GB, batch 1,536, sequence 2,048) and plans of its space that use all devices. */
final class SamplePlans {
    private static final int[] DEGREES = {1, 2, 4, 8, 16, 32, 64, 128};

    private SamplePlans() {}

    static Problem p1() {
        TransformerSizes sizes = ModelCatalog.find("gpt3-175b").sizes();
        Cluster cluster = ClusterCatalog.resolve("dgx-a100-80gb:128");
        Framework framework = FrameworkCatalog.get(FrameworkCatalog.DEFAULT);
        OperatorGraph graph =
                TransformerGraph.build(sizes, 2048, framework.limits().vocabMultiple());
        return new Problem(
                graph,
                new Workload(1536, 2048, DataType.BF16, Workload.Optimizer.ADAM),
                cluster,
                framework,
                FixedChoices.NONE,
                Objective.TIME,
                Double.POSITIVE_INFINITY,
                (long) (cluster.device().usableBytes() * 0.95),
                10);
    }

    static Evaluation evaluation(Problem problem) {
        Prices prices = Prices.load();
        return new Evaluation(problem, prices.kernels(), prices.collectives(), prices.calibration());
    }

    /** So many plans of P1 drawn at random, lowered and priced. */
    static PricedProgram[] priced(int count) {
        Problem problem = p1();
        Scorer scorer = evaluation(problem).scorer();
        Random random = new Random(1);
        List<PricedProgram> programs = new ArrayList<>();
        while (programs.size() < count) {
            Shorthand plan = draw(random, problem.graph().layers());
            boolean legal =
                    Legality.check(plan, problem.graph(), problem.workload(), problem.cluster(), problem.framework())
                            instanceof Verdict.Fits;
            if (legal && plan.devices() == problem.cluster().devices()) {
                programs.add(scorer.price(scorer.program(plan)));
            }
        }
        return programs.toArray(PricedProgram[]::new);
    }

    /** So many of these as event simulations. */
    static Lanes[] lanes(int count, Disturbances disturbances) {
        Problem problem = p1();
        Evaluation evaluation = evaluation(problem);
        Scorer scorer = evaluation.scorer();
        Cluster cluster = problem.cluster().withDisturbances(disturbances);
        Random random = new Random(1);
        List<Lanes> lanes = new ArrayList<>();
        while (lanes.size() < count) {
            Shorthand plan = draw(random, problem.graph().layers());
            boolean legal = Legality.check(plan, problem.graph(), problem.workload(), cluster, problem.framework())
                    instanceof Verdict.Fits;
            if (legal && plan.devices() == cluster.devices()) {
                Program program = scorer.program(plan);
                lanes.add(LaneRefinement.of(
                        program.plan(),
                        scorer.price(program),
                        evaluation.pricer().links(program),
                        cluster,
                        1));
            }
        }
        return lanes.toArray(Lanes[]::new);
    }

    private static Shorthand draw(Random random, int layers) {
        int pp = DEGREES[random.nextInt(DEGREES.length)];
        int vpp = random.nextBoolean() ? 1 : 1 + random.nextInt(Math.max(1, layers / pp));
        boolean gpipe = random.nextInt(4) == 0;
        ScheduleKind alone = gpipe ? ScheduleKind.GPIPE : ScheduleKind.ONE_F_ONE_B;
        Recompute recompute = random.nextBoolean() ? Recompute.NONE : Recompute.FULL;
        return new Shorthand(
                DEGREES[random.nextInt(4)],
                pp,
                vpp,
                DEGREES[random.nextInt(DEGREES.length)],
                1 << random.nextInt(3),
                random.nextBoolean(),
                random.nextInt(2),
                recompute,
                vpp > 1 ? ScheduleKind.INTERLEAVED : alone,
                MeshOrder.values()[random.nextInt(2)],
                List.of(),
                List.of());
    }
}
