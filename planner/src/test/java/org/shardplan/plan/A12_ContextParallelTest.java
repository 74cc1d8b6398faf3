package org.shardplan.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.shardplan.graph.OperatorGraph;
import org.shardplan.units.UserError;
import org.shardplan.workload.Framework;
import org.shardplan.workload.Mixture;
import org.shardplan.workload.Sharding;

/** cp, cp-type and replicas: text, mesh, and what can't be. 12 layers, 16 heads, 4 key-value heads, 2,048 tokens, 64 devices, batch 64. */
class A12_ContextParallelTest {
    private static final OperatorGraph GPT = TestCases.graph(TestCases.sizes(12, 16, 4, 4096, 51200));
    private static final Framework.Kernels FUSED = new Framework.Kernels(true, true, true, true, true, 1);

    private static Framework framework(String name, Framework.Kernels kernels, List<String> types, boolean replicas) {
        Framework able = TestCases.able();
        return new Framework(
                name,
                name,
                kernels,
                able.overlap(),
                able.memory(),
                able.host(),
                able.limits(),
                Mixture.LEAST,
                new Sharding(types, true, replicas),
                List.of());
    }

    private static String check(String plan) {
        boolean old = plan.endsWith(" old");
        boolean unfused = plan.endsWith(" unfused");
        Framework framework = framework(
                old ? "megatron-lm-2021" : "megatron-core",
                unfused ? FUSED.withFlashAttention(false) : FUSED,
                old ? List.of() : List.of("ring", "ulysses"),
                !old);
        Shorthand parsed = PlanText.parse(plan.replaceAll(" .*", ""), 64);
        Verdict verdict = Legality.check(parsed, GPT, TestCases.batch(64), TestCases.cluster(64), framework);
        return verdict instanceof Verdict.Illegal(String rule, String why, String maybe)
                ? rule + ": " + why + ". " + maybe
                : "fits";
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "cp=2; fits",
                "tp=2,cp=4,cp-type=ulysses; fits",
                "tp=4,cp=2,sp,zero=1,replicas=4; fits",
                "cp=2 old; context-parallel: megatron-lm-2021 has no context parallelism, and cp is 2. Maybe leave cp out, or"
                        + " --framework megatron-core.",
                "cp=2,cp-type=all-gather; context-type: megatron-core has no cp-type=all-gather. Maybe cp-type=ring, or"
                        + " cp-type=ulysses.",
                "cp=3,dp=1; context-divides: seq-len 2048 is not a multiple of 2·cp = 2·3 = 6 chunks, two to each rank."
                        + " Maybe seq-len 2046, or cp=2.",
                "tp=2,cp=16,dp=1,cp-type=ulysses; context-heads: cp-type=ulysses shares out heads, and 16 attention heads are"
                        + " not a multiple of tp·cp = 2·16 = 32. Maybe cp=8, or cp-type=ring.",
                "cp=2 unfused; context-fused: cp-type=ring needs fused attention, which megatron-core does not have."
                        + " Maybe cp-type=ulysses, or leave cp out.",
                "cp=2,pp=2,order=dp-pp-tp; context-order: cp=2 and dp hold the same parameters and need to be neighbours, and"
                        + " order is dp-pp-tp. Maybe order=pp-dp-tp.",
                "tp=8,cp=8,dp=2; devices: tp·pp·cp·dp = 8·1·8·2 = 128 devices, and test-cluster has 64. Maybe dp=1.",
                "replicas=2; replicas: replicas=2 are of what ZeRO shards, and zero is 0. Maybe leave replicas out, or zero=1.",
                "zero=1,replicas=2 old; replicas: megatron-lm-2021 shards over all ranks, and replicas is 2. Maybe leave"
                        + " replicas out, or another --framework.",
                "tp=4,cp=2,zero=1,replicas=3; replicas-divide: dp·cp = 8·2 are not a multiple of replicas=3. Maybe replicas=2.",
            })
    void verdicts(String plan, String wanted) {
        assertEquals(wanted, check(plan));
    }

    @Test
    void aRingKnowsNoWindow() {
        OperatorGraph windowed = TestCases.graph(TestCases.windowed(12, 512));
        OperatorGraph wide = TestCases.graph(TestCases.windowed(12, 4096));
        Framework framework = framework("megatron-core", FUSED, List.of("ring", "ulysses"), true);
        Shorthand ring = PlanText.parse("cp=2", 64);
        assertEquals(
                new Verdict.Illegal(
                        "context-window",
                        "attention sees a window of the sequence, which a ring over cp=2 does not know",
                        "Maybe cp-type=all-gather, or cp-type=ulysses."),
                Legality.check(ring, windowed, TestCases.batch(64), TestCases.cluster(64), framework));
        assertEquals(Verdict.OK, Legality.check(ring, wide, TestCases.batch(64), TestCases.cluster(64), framework));
        Shorthand ulysses = PlanText.parse("cp=2,cp-type=ulysses", 64);
        assertEquals(
                Verdict.OK, Legality.check(ulysses, windowed, TestCases.batch(64), TestCases.cluster(64), framework));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "tp=2,pp=2,cp=4; tp=2,pp=2,dp=4,cp=4,mb=1",
                "cp=2,cp-type=a2a; tp=1,pp=1,dp=32,cp=2,cp-type=ulysses,mb=1",
                "cp=2,cp-type=p2p; tp=1,pp=1,dp=32,cp=2,mb=1",
                "cp=4,cp-type=all_gather,zero=3,replicas=8; tp=1,pp=1,dp=16,cp=4,cp-type=all-gather,mb=1,zero=3,replicas=8",
                "cp-type=ulysses; tp=1,pp=1,dp=64,mb=1",
            })
    void textIsCanonical(String text, String canonical) {
        Shorthand plan = PlanText.parse(text, 64);
        assertEquals(canonical, PlanText.print(plan));
        assertEquals(plan, PlanText.parse(canonical, 64));
    }

    @Test
    void devicesAreAMultiple() {
        UserError error = assertThrows(UserError.class, () -> PlanText.parse("tp=4,cp=3", 64));
        assertEquals("world size: 64 devices are not a multiple of tp·pp·cp = 4·1·3 = 12", error.getMessage());
        assertEquals("Maybe dp=5, which leaves 4 devices idle.", error.maybe());
    }

    /** Megatron's order tp-cp-ep-dp-pp. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "tp=2,pp=2,cp=4; pp=2 dp=4 cp=4 tp=2",
                "tp=2,pp=2,cp=4,ep=4,sp; pp=2 dp=4 ecp=2 epc=2 tp=2",
                "tp=2,pp=2,cp=4,ep=16,sp; pp=2 edp=2 ep=2 ecp=1 epc=4 tp=2",
                "tp=2,pp=2,cp=4,ep=8,etp=2,sp; pp=2 edp=2 ep=2 ecp=1 epc=4 tp=2",
            })
    void mesh(String text, String mesh) {
        Shorthand plan = PlanText.parse(text, 64);
        assertEquals(mesh, PlanRules.mesh(plan).toString());
        assertEquals(4, PlanRules.mesh(plan).size("cp"));
        assertEquals(2, PlanRules.mesh(plan).get("cp").stride());
        assertEquals(4, PlanRules.mesh(plan).size("dp"));
        assertEquals(8, PlanRules.mesh(plan).get("dp").stride());
    }
}
