package org.shardplan.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.shardplan.cluster.Cluster;
import org.shardplan.cluster.Disturbances;
import org.shardplan.cluster.Disturbances.Straggler;
import org.shardplan.cost.LinkUse;
import org.shardplan.cost.PricedProgram;
import org.shardplan.form.ClusterCatalog;
import org.shardplan.form.FrameworkCatalog;
import org.shardplan.form.ModelCatalog;
import org.shardplan.graph.DataType;
import org.shardplan.graph.TransformerGraph;
import org.shardplan.graph.TransformerSizes;
import org.shardplan.job.Prices;
import org.shardplan.plan.FixedChoices;
import org.shardplan.plan.PlanText;
import org.shardplan.plan.Shorthand;
import org.shardplan.program.Program;
import org.shardplan.search.Evaluation;
import org.shardplan.search.Objective;
import org.shardplan.search.Problem;
import org.shardplan.search.Scorer;
import org.shardplan.workload.Framework;
import org.shardplan.workload.Workload;

/** Slow devices and links among 512: refined classes against every rank on its own. */
class B02_StragglersTest {
    private static final int DEVICES = 512;
    private static final List<String> PLANS = List.of(
            "tp=1,pp=8,dp=64,mb=1",
            "tp=2,pp=4,vpp=2,dp=64,mb=1,sp,zero=1",
            "tp=8,pp=8,vpp=4,dp=8,mb=1,sp,zero=1",
            "tp=8,pp=8,dp=8,mb=2,sp,order=dp-pp-tp,recompute=full",
            "tp=4,pp=1,dp=128,mb=1,sp,zero=3");

    private final Prices prices = Prices.load();
    private final Events events = new Events();
    private final Sweep sweep = new Sweep();

    private record Lowered(Program program, PricedProgram priced, LinkUse use, Cluster cluster) {
        Lowered with(Disturbances disturbances) {
            return new Lowered(program, priced, use, cluster.withDisturbances(disturbances));
        }

        Lanes refined() {
            return LaneRefinement.of(program.plan(), priced, use, cluster, 1);
        }

        Lanes expanded() {
            return LaneRefinement.expanded(program.plan(), priced, use, cluster, 1);
        }
    }

    private Lowered lower(String text) {
        TransformerSizes sizes = ModelCatalog.find("llama3-8b").sizes();
        Cluster cluster = ClusterCatalog.resolve("dgx-h100:64");
        Framework framework = FrameworkCatalog.get(FrameworkCatalog.DEFAULT);
        Problem problem = new Problem(
                TransformerGraph.build(sizes, sizes.seqLen(), framework.limits().vocabMultiple()),
                new Workload(1024, sizes.seqLen(), DataType.BF16, Workload.Optimizer.ADAM),
                cluster,
                framework,
                FixedChoices.NONE,
                Objective.TIME,
                Double.POSITIVE_INFINITY,
                cluster.device().usableBytes(),
                1);
        Evaluation evaluation = new Evaluation(problem, prices.kernels(), prices.collectives(), prices.calibration());
        Scorer scorer = evaluation.scorer();
        Shorthand plan = PlanText.parse(text, DEVICES);
        Program program = scorer.program(plan);
        return new Lowered(program, scorer.price(program), evaluation.pricer().links(program), cluster);
    }

    private static Disturbances stragglers(Random random, int most, boolean links, boolean contention) {
        List<Straggler> all = new ArrayList<>();
        for (int i = 0; i < 1 + random.nextInt(most); i++) {
            String level = links && random.nextBoolean() ? "infiniband" : "";
            all.add(new Straggler(random.nextInt(DEVICES), 1, level, random.nextDouble()));
        }
        return new Disturbances(all, 0, 0, contention);
    }

    @Test
    void calmIsTheSweep() {
        for (String plan : PLANS) {
            Lowered lowered = lower(plan);
            assertEquals(sweep.run(lowered.priced), events.run(lowered.refined()), plan);
            assertEquals(1, lowered.refined().lanes().size());
            assertTrue(
                    events.run(lowered.with(new Disturbances(List.of(), 0, 0, true))
                                    .refined())
                            >= sweep.run(lowered.priced),
                    plan);
        }
    }

    @Test
    void refinedClassesEqualEveryRankOnItsOwn() {
        for (int seed = 0; seed < 40; seed++) {
            Random random = new Random(seed);
            String plan = PLANS.get(seed % PLANS.size());
            Lowered lowered = lower(plan).with(stragglers(random, 4, true, seed % 3 > 0));
            Lanes refined = lowered.refined();
            Lanes expanded = lowered.expanded();
            assertTrue(refined.lanes().size() <= 5, () -> refined.lanes().size() + " lanes of " + plan);
            assertEquals(
                    lowered.program.plan().shorthand().zero() < 2
                            ? lowered.program.plan().shorthand().dp()
                            : 1,
                    expanded.lanes().size());
            long step = events.run(refined);
            assertEquals(events.run(expanded), step, plan + " " + lowered.cluster.disturbances());
            assertTrue(step >= sweep.run(lowered.priced));
        }
    }

    @Test
    void refinedClassesEqualANaiveSimulationOfAllDevices() {
        for (int seed = 0; seed < 6; seed++) {
            Random random = new Random(seed);
            String plan = PLANS.get(seed % 3);
            Lowered lowered = lower(plan).with(stragglers(random, 3, false, false));
            double[] slower = new double[DEVICES];
            for (Straggler straggler : lowered.cluster.disturbances().stragglers()) {
                int device = straggler.firstDevice();
                slower[device] = Math.max(slower[device], straggler.slower());
            }
            Shorthand shorthand = lowered.program.plan().shorthand();
            NaiveDevices naive = new NaiveDevices(lowered.priced, shorthand.dp(), shorthand.tp(), slower);
            assertEquals(naive.makespan(), events.run(lowered.refined()), plan);
        }
    }

    @Test
    void oneSlowDeviceCostsWhatItsKernelsTakeLonger() {
        Lowered lowered = lower("tp=8,pp=8,vpp=4,dp=8,mb=1,sp,zero=1");
        long calm = sweep.run(lowered.priced);
        long before = calm;
        for (double slower : new double[] {0, 0.1, 0.3, 1, 3}) {
            Disturbances one = new Disturbances(List.of(new Straggler(137, 1, "", slower)), 0, 0, false);
            long step = events.run(lowered.with(one).refined());
            assertTrue(step >= before);
            assertTrue(step <= calm * (1 + slower) + 1000);
            before = step;
        }
        assertTrue(before > 2 * calm);
    }

    @Test
    void aSlowCardHurtsOnlyThoseThatSendThroughIt() {
        Disturbances slowCard = new Disturbances(List.of(new Straggler(137, 1, "infiniband", 4)), 0, 0, false);
        Lowered pipeline = lower("tp=8,pp=8,vpp=4,dp=8,mb=1,sp,zero=1");
        assertTrue(events.run(pipeline.with(slowCard).refined()) > sweep.run(pipeline.priced));
        Disturbances unused = new Disturbances(List.of(new Straggler(137, 1, "nvlink", 4)), 0, 0, false);
        Lowered lone = lower("tp=1,pp=8,dp=64,mb=1");
        assertEquals(0, lone.use.forward()[0][0], "no collective within a node, nothing to slow down");
        assertEquals(sweep.run(lone.priced), events.run(lone.with(unused).refined()));
    }
}
