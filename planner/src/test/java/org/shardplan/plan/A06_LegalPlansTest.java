package org.shardplan.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.shardplan.cluster.Cluster;
import org.shardplan.graph.OperatorGraph;
import org.shardplan.workload.Framework;
import org.shardplan.workload.PipelineSchedules;
import org.shardplan.workload.Workload;

/** Over random plans: what is legal expands, and what is advised mends the rule that was broken. */
class A06_LegalPlansTest {
    private static final OperatorGraph GPT = TestCases.graph(TestCases.sizes(12, 16, 4, 4096, 50257));
    private static final Workload BATCH = TestCases.batch(96);
    private static final Cluster CLUSTER = TestCases.cluster(64);
    private static final Framework ABLE = TestCases.able();
    private static final Framework OLD = TestCases.framework(
            "megatron-lm-2021",
            new Framework.Limits(
                    0,
                    0,
                    false,
                    new PipelineSchedules(Set.of("1f1b", "interleaved"), true),
                    false,
                    true,
                    false,
                    false,
                    128));
    private static final Pattern ADVICE = Pattern.compile("Maybe ([a-z]+=[0-9]+(,[a-z]+=[0-9]+)*)\\.?,?( or .*)?");

    @Property(tries = 1000)
    void legalPlansExpand(@ForAll("plans") Shorthand plan) {
        if (Legality.check(plan, GPT, BATCH, CLUSTER, ABLE) instanceof Verdict.Fits) {
            Plan full = new PlanRules(GPT).expand(plan, 96);
            assertEquals(12, full.stages().stream().mapToInt(Stage::layers).sum());
            assertEquals(plan.devices(), full.mesh().devices());
            assertEquals(96, full.microBatches() * plan.dp() * plan.microBatch());
        }
    }

    @Property(tries = 1000)
    void adviceMendsTheRule(@ForAll("plans") Shorthand plan, @ForAll boolean old) {
        Framework framework = old ? OLD : ABLE;
        if (!(Legality.check(plan, GPT, BATCH, CLUSTER, framework) instanceof Verdict.Illegal illegal)) {
            return;
        }
        assertTrue(illegal.maybe().startsWith("Maybe ") && illegal.maybe().endsWith("."), illegal.maybe());
        Matcher advice = ADVICE.matcher(illegal.maybe());
        if (advice.matches()) {
            FixedChoices wanted = PlanText.parseFixed(advice.group(1));
            Shorthand mended = new Shorthand(
                    wanted.tp().orElse(plan.tp()),
                    wanted.pp().orElse(plan.pp()),
                    wanted.vpp().orElse(plan.vpp()),
                    wanted.dp().orElse(plan.dp()),
                    wanted.microBatch().orElse(plan.microBatch()),
                    plan.sequenceParallel(),
                    wanted.zero().orElse(plan.zero()),
                    plan.recompute(),
                    plan.schedule(),
                    plan.order(),
                    plan.layout(),
                    plan.fullRecomputeByStage());
            Verdict after = Legality.check(mended, GPT, BATCH, CLUSTER, framework);
            boolean still = after instanceof Verdict.Illegal next && next.rule().equals(illegal.rule());
            assertTrue(!still, () -> PlanText.print(plan) + ": " + illegal + " then " + after);
        }
    }

    @Provide
    Arbitrary<Shorthand> plans() {
        Arbitrary<Integer> degree = Arbitraries.of(1, 1, 2, 3, 4, 5, 6, 8, 16, 32, 65);
        Arbitrary<Integer> small = Arbitraries.of(1, 1, 1, 2, 3, 4);
        Arbitrary<Recompute> recompute = Arbitraries.of(
                Recompute.NONE, Recompute.SELECTIVE, Recompute.FULL, new Recompute(Recompute.Mode.SELECTIVE, 2));
        return Combinators.combine(
                        degree,
                        degree,
                        small,
                        degree,
                        small,
                        Arbitraries.of(true, false),
                        Arbitraries.of(0, 0, 1, 2),
                        recompute)
                .as((tp, pp, vpp, dp, mb, sp, zero, policy) -> new Shorthand(
                        tp,
                        pp,
                        vpp,
                        dp,
                        mb,
                        sp,
                        zero,
                        policy,
                        PlanText.defaultSchedule(vpp),
                        MeshOrder.PP_DP_TP,
                        List.of(),
                        List.of()));
    }
}
