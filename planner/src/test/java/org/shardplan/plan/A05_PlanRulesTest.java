package org.shardplan.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.shardplan.graph.OperatorGraph;
import org.shardplan.graph.TransformerSizes;

/** From the short form to the full one. */
class A05_PlanRulesTest {
    private static final OperatorGraph GPT = TestCases.gpt(12);

    /** Each operator of a block and the axis that tensor ranks share, - where they share none. */
    private static String tensorAxes(Plan plan, OperatorGraph graph, int block) {
        String name = graph.blocks().get(block).name();
        return graph.blocks().get(block).operators().stream()
                .map(operator -> {
                    String axis = plan.placement(name, operator.name()).axisOf("tp");
                    return operator.name() + ":" + (axis.isEmpty() ? "-" : axis);
                })
                .collect(Collectors.joining(" "));
    }

    @Test
    void meshFollowsTheOrder() {
        assertEquals(
                "pp=2 dp=4 tp=8",
                new PlanRules(GPT)
                        .expand(PlanText.parse("tp=8,pp=2", 64), 64)
                        .mesh()
                        .toString());
        assertEquals(
                "dp=4 pp=2 tp=8",
                new PlanRules(GPT)
                        .expand(PlanText.parse("tp=8,pp=2,order=dp-pp-tp", 64), 64)
                        .mesh()
                        .toString());
    }

    @Test
    void megatronSplitsHeadsAndTheInnerWidth() {
        Plan plan = new PlanRules(GPT).expand(PlanText.parse("tp=8", 64), 64);
        assertEquals(
                "attention.norm:- qkv:heads attention:heads attention.out:heads attention.residual:- mlp.norm:- mlp.in:ffn"
                        + " mlp.activation:ffn mlp.out:ffn mlp.residual:-",
                tensorAxes(plan, GPT, 1));
        assertEquals("embedding:vocab embedding.dropout:-", tensorAxes(plan, GPT, 0));
        assertEquals("final.norm:- head:vocab cross.entropy:vocab", tensorAxes(plan, GPT, 2));
        assertEquals("batch", plan.placement("layer", "qkv").axisOf("dp"));
    }

    @Test
    void sequenceParallelSplitsTheRest() {
        Plan plan = new PlanRules(GPT).expand(PlanText.parse("tp=8,sp", 64), 64);
        assertEquals(
                "attention.norm:seq qkv:heads attention:heads attention.out:heads attention.residual:seq mlp.norm:seq"
                        + " mlp.in:ffn mlp.activation:ffn mlp.out:ffn mlp.residual:seq",
                tensorAxes(plan, GPT, 1));
    }

    /** A norm of each head's queries and keys runs where the heads are. */
    @Test
    void normsOfHeadsFollowTheHeads() {
        TransformerSizes sizes = TestCases.sizes(2, 16, 16, 4096, 51200);
        TransformerSizes normed = new TransformerSizes(
                sizes.name(),
                sizes.layers(),
                sizes.hidden(),
                sizes.ffn(),
                sizes.heads(),
                sizes.kvHeads(),
                sizes.headDim(),
                sizes.vocab(),
                sizes.maxPositions(),
                sizes.seqLen(),
                true,
                sizes.normPlacement(),
                TransformerSizes.Norm.RMS_NORM,
                TransformerSizes.Positions.ROTARY,
                1,
                TransformerSizes.QkNorm.PER_HEAD,
                TransformerSizes.Bias.NONE,
                false,
                false,
                true,
                0,
                1,
                false,
                false,
                0);
        OperatorGraph qwen = TestCases.graph(normed);
        Plan plan = new PlanRules(qwen).expand(PlanText.parse("tp=4,sp", 8), 8);
        assertEquals("heads", plan.placement("layer", "qk.norm").axisOf("tp"));
        assertEquals("heads", plan.placement("layer", "rotary").axisOf("tp"));
    }

    @Test
    void stagesAndScheduleFitTogether() {
        Plan plan = new PlanRules(GPT).expand(PlanText.parse("tp=2,pp=4,vpp=3,mb=2", 64), 64);
        assertEquals(4, plan.microBatches());
        assertEquals(12, plan.stages().size());
        assertEquals(
                List.of(4, 12), List.of(plan.schedule().ranks(), plan.schedule().stages()));
        for (int q = 0; q < 12; q++) {
            assertEquals(plan.stages().get(q).rank(), plan.schedule().rankOf(q));
        }
    }

    @Test
    void aBatchThatDoesNotDivideIsABugOfTheCaller() {
        Shorthand plan = PlanText.parse("dp=3", 64);
        assertThrows(IllegalArgumentException.class, () -> new PlanRules(GPT).expand(plan, 64));
    }
}
