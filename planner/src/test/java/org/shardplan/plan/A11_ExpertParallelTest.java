package org.shardplan.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.shardplan.graph.Extensions;
import org.shardplan.graph.OperatorGraph;
import org.shardplan.graph.TransformerSizes;

/** FEATURE UNDER TEST: which plans may share out experts, and over which ranks. */
final class A11_ExpertParallelTest {
    /** 12 layers of 16 heads and 8 experts. */
    private static final OperatorGraph EXPERTS = TestCases.graph(new TransformerSizes(
            "test",
            12,
            1024,
            4096,
            16,
            16,
            64,
            51200,
            2048,
            2048,
            true,
            TransformerSizes.NormPlacement.PRE,
            TransformerSizes.Norm.RMS_NORM,
            TransformerSizes.Positions.ROTARY,
            1,
            TransformerSizes.QkNorm.NONE,
            TransformerSizes.Bias.NONE,
            false,
            false,
            true,
            0,
            1,
            false,
            false,
            0,
            new TransformerSizes.Experts(8, 2, 1024, 0, 0, 1, 1, 1, false, 0),
            TransformerSizes.LatentAttention.NONE,
            Extensions.NONE));

    /** On 64 devices, batch 64. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "ep=8; legal",
                "tp=4,ep=8,sp; legal",
                "tp=4,ep=4,sp; legal",
                "tp=4,ep=8,etp=4,sp; legal",
                "pp=2,dp=32,ep=4; legal",
                "ep=3; experts-divide: 8 experts are not a multiple of ep=3. Maybe ep=2.",
                "ep=16; experts-divide: 8 experts are not a multiple of ep=16. Maybe ep=8.",
                "dp=4,ep=8; expert-ranks: dp·tp = 4·1 is not a multiple of ep=8. Maybe ep=4.",
                "tp=4,ep=2,sp; expert-ranks: ep=2 is not a multiple of tp=4, and etp is 1. Maybe ep=1.",
                "tp=8,dp=2,ep=4,etp=8,sp; expert-ranks: dp = 2 is not a multiple of ep=4. Maybe ep=2.",
                "tp=4,ep=8,etp=2,sp; expert-tensor: etp=2 is neither 1 nor tp=4. Maybe leave etp out, which is 1, or etp=4.",
                "tp=4,ep=8; experts-sequence: experts on ep=8 with tp=4 need sp, which shares out their tokens. Maybe add sp, or tp=1.",
                "pp=2,ep=8,order=dp-pp-tp; expert-order: ep=8 needs neighbouring data ranks, and order is dp-pp-tp."
                        + " Maybe order=pp-dp-tp."
            })
    void legality(String plan, String verdict) {
        assertEquals(verdict, check(plan, EXPERTS));
    }

    @Test
    void aDenseModelHasNone() {
        assertEquals(
                "experts: ep=8 shares out experts, and the model has none. Maybe leave ep out.",
                check("ep=8", TestCases.gpt(12)));
    }

    /** The expert group lies within data ranks, over tensor ranks or not; dense operators see all data ranks. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "ep=8; pp=1 edp=8 ep=8 tp=1; 64 1",
                "tp=4,ep=8,sp; pp=1 edp=8 ep=2 tp=4; 16 4",
                "tp=4,ep=4,sp; pp=1 dp=16 tp=4; 16 4",
                "tp=4,ep=8,etp=4,sp; pp=1 edp=2 ep=8 tp=4; 16 4",
                "pp=4,ep=4; pp=4 edp=4 ep=4 tp=1; 16 1"
            })
    void meshes(String text, String mesh, String data) {
        Shorthand plan = PlanText.parse(text, 64);
        assertEquals(mesh, PlanRules.mesh(plan).toString());
        assertEquals(
                data,
                PlanRules.mesh(plan).size("dp") + " "
                        + PlanRules.mesh(plan).get("dp").stride());
    }

    private static String check(String text, OperatorGraph graph) {
        Verdict verdict = Legality.check(
                PlanText.parse(text, 64), graph, TestCases.batch(64), TestCases.cluster(64), TestCases.able());
        return verdict instanceof Verdict.Illegal illegal
                ? illegal.rule() + ": " + illegal.why() + ". " + illegal.maybe()
                : "legal";
    }
}
