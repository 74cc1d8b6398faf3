package org.shardplan.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.shardplan.graph.DataType;
import org.shardplan.graph.OperatorGraph;
import org.shardplan.workload.Framework;
import org.shardplan.workload.PipelineSchedules;
import org.shardplan.workload.Workload;

/** Each of the commonest mistakes (Megatron-LM #5768) has one message with the values and the nearest legal setting. */
class A04_LegalityTest {
    private static final OperatorGraph GPT = TestCases.gpt(12);

    /** 12 layers, 16 heads, 64 devices, global batch 64. */
    private static String check(String plan) {
        return print(Legality.check(
                PlanText.parse(plan, 64), GPT, TestCases.batch(64), TestCases.cluster(64), TestCases.able()));
    }

    private static String print(Verdict verdict) {
        return switch (verdict) {
            case Verdict.Fits() -> "fits";
            case Verdict.TooBig(int stage, long need, long have) -> stage + ": " + need + " > " + have;
            case Verdict.Illegal(String rule, String why, String maybe) -> rule + ": " + why + ". " + maybe;
        };
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "''",
                "tp=8",
                "tp=16,sp,pp=2",
                "tp=2,pp=2,vpp=3,dp=16,mb=2",
                "tp=8,dp=1,zero=1",
                "tp=8,dp=5,mb=1,pp=1,zero=3,global=60",
                "pp=4,schedule=gpipe,recompute=selective+full:3",
                "pp=4,recompute=full:3/2/2/0",
                "pp=4,layout=E|t*6|t*6|L,dp=16"
            })
    void legal(String plan) {
        boolean other = plan.endsWith(",global=60");
        Shorthand parsed = PlanText.parse(plan.replace(",global=60", ""), 64);
        assertEquals(
                Verdict.OK,
                Legality.check(parsed, GPT, TestCases.batch(other ? 60 : 64), TestCases.cluster(64), TestCases.able()));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "tp=8,pp=2,dp=8;" + " devices: tp·pp·dp = 8·2·8 = 128 devices, and test-cluster has 64. Maybe dp=4.",
                "tp=16,pp=8; devices: tp·pp·dp = 16·8·1 = 128 devices, and test-cluster has 64. Maybe pp=4,dp=1.",
                "tp=3,dp=1; heads: 16 attention heads are not a multiple of tp=3. Maybe tp=2.",
                "tp=32; heads: 16 attention heads are not a multiple of tp=32. Maybe tp=16.",
                "vpp=3; vpp-pp: vpp=3 interleaves chunks of pipeline ranks, and pp is 1. Maybe leave vpp out, or pp=2.",
                "pp=4,vpp=2,schedule=1f1b; schedule: schedule=1f1b runs one chunk a rank, and vpp is 2."
                        + " Maybe schedule=interleaved, or leave vpp out.",
                "pp=4,schedule=interleaved; schedule: schedule=interleaved needs chunks to interleave, and vpp is 1."
                        + " Maybe vpp=2, or schedule=1f1b.",
                "pp=4,vpp=4; layers: the model's 12 layers are too few for pp·vpp = 4·4 = 16 virtual stages (embedding"
                        + " and head may have one of their own). Maybe vpp=3.",
                "pp=16; layers: the model's 12 layers are too few for pp·vpp = 16·1 = 16 virtual stages (embedding and"
                        + " head may have one of their own). Maybe pp=14,vpp=1.",
                "pp=4,layout=Et*4|t*4|t*4L; layout-stages: the layout has 3 virtual stages, and pp·vpp is 4·1 = 4."
                        + " Maybe pp=3,vpp=1.",
                "pp=2,layout=Et*4|t*4|t*3|tL; layout-stages: the layout has 4 virtual stages, and pp·vpp is 2·1 = 2."
                        + " Maybe vpp=2.",
                "pp=4,layout=Et*3|t*3|t*3|t*2L; layout-layers: the layout has 11 layers, and the model has 12."
                        + " Maybe layout=Et*3|(t*3|)*2t*3L.",
                "pp=4,layout=Et*4|t*4||t*4L; layout-empty: virtual stage 2 of the layout holds nothing, and only the first"
                        + " (embedding) and the last (head) may hold no layer. Maybe layout=Et*3|(t*3|)*2t*3L.",
                "dp=64,mb=3; global-batch: global batch 64 is not a multiple of dp·mb = 64·3 = 192. Maybe mb=1.",
                "dp=60; global-batch: global batch 64 is not a multiple of dp·mb = 60·1 = 60. Maybe dp=32, or a"
                        + " global batch of 60.",
                "pp=2,vpp=2,dp=32,mb=2; interleaved-micro-batches: the interleaved schedule needs at least pp=2"
                        + " micro-batches, and global batch 64 over dp·mb = 32·2 leaves 1. Maybe mb=1.",
                "sp; sequence-parallel-tp: sp splits the sequence over tensor ranks, and tp is 1. Maybe leave sp out, or"
                        + " tp=2.",
                "pp=2,zero=2; zero-pipeline: megatron-core has ZeRO stages up to 1 beside a pipeline, and zero is 2 with"
                        + " pp=2. Maybe zero=1, or pp=1.",
                "pp=4,recompute=full:4; recompute-layers: recompute=full:4 recomputes more layers than the 3 that a"
                        + " pipeline rank has at most. Maybe recompute=full.",
                "pp=4,recompute=full:4/2/2/1; recompute-layers: recompute=full:4/2/2/1 recomputes 4 layers of pipeline"
                        + " rank 0, which has 3. Maybe 3 for that rank.",
                "pp=4,recompute=full:2/1; recompute-stages: recompute=full:2/1 names 2 ranks, and pp is 4. Maybe one"
                        + " number for each of the 4 pipeline ranks."
            })
    void illegal(String plan, String verdict) {
        assertEquals(verdict, check(plan));
    }

    /** An old framework: nothing uneven, nothing sharded, nothing selective. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "pp=8; layers-even: 12 layers are not a multiple of pp·vpp = 8·1, and megatron-lm-2021 has no uneven"
                        + " stages. Maybe pp=6.",
                "pp=4,layout=Et*2|t*4|t*4|t*2L; layout-even: megatron-lm-2021 has the same number of layers on all"
                        + " stages, and the layout is Et*2|(t*4|)*2t*2L. Maybe leave layout out, or another"
                        + " --framework.",
                "pp=4,vpp=3,dp=8,mb=2,global=80; interleaved-micro-batches: the interleaved schedule needs a multiple of"
                        + " pp=4 micro-batches, and global batch 80 over dp·mb = 8·2 leaves 5. Maybe leave vpp out.",
                "tp=2,sp; sequence-parallel: megatron-lm-2021 has no sequence parallelism. Maybe leave sp out, or another"
                        + " --framework.",
                "zero=1; zero: megatron-lm-2021 has ZeRO stages up to 0, and zero is 1. Maybe zero=0.",
                "recompute=selective; selective-recompute: megatron-lm-2021 has no selective recomputation. Maybe"
                        + " recompute=full, or recompute=none."
            })
    void framework(String plan, String verdict) {
        Framework old = TestCases.framework(
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
        long batch = plan.endsWith(",global=80") ? 80 : 64;
        Shorthand parsed = PlanText.parse(plan.replace(",global=80", ""), 64);
        assertEquals(verdict, print(Legality.check(parsed, GPT, TestCases.batch(batch), TestCases.cluster(64), old)));
    }

    /** ms-swift #8219: whether two key-value groups can serve eight tensor ranks depends on the framework. */
    @Test
    void keyValueHeads() {
        OperatorGraph grouped = TestCases.graph(TestCases.sizes(12, 16, 2, 4096, 51200));
        Framework without = TestCases.framework(
                "older",
                new Framework.Limits(3, 1, true, PipelineSchedules.classic(true), true, true, true, false, 128));
        Shorthand plan = PlanText.parse("tp=8", 64);
        assertEquals(
                Verdict.OK,
                Legality.check(plan, grouped, TestCases.batch(64), TestCases.cluster(64), TestCases.able()));
        assertEquals(
                "kv-heads: 2 key-value heads are not a multiple of tp=8, and older does not replicate them. Maybe tp=2.",
                print(Legality.check(plan, grouped, TestCases.batch(64), TestCases.cluster(64), without)));
        OperatorGraph three = TestCases.graph(TestCases.sizes(12, 24, 3, 4096, 51200));
        assertEquals(
                "kv-heads: 3 key-value heads are not a multiple of tp=8, and tp is not a multiple of them, so they can't"
                        + " be replicated. Maybe tp=1.",
                print(Legality.check(plan, three, TestCases.batch(64), TestCases.cluster(64), TestCases.able())));
    }

    @Test
    void widths() {
        OperatorGraph odd = TestCases.graph(TestCases.sizes(12, 16, 16, 4100, 50257));
        Shorthand plan = PlanText.parse("tp=8", 64);
        assertEquals(
                "ffn: the MLP's inner width 4100 is not a multiple of tp=8. Maybe tp=4.",
                print(Legality.check(plan, odd, TestCases.batch(64), TestCases.cluster(64), TestCases.able())));
        Framework unpadded = TestCases.framework(
                "unpadded",
                new Framework.Limits(3, 1, true, PipelineSchedules.classic(true), true, true, true, true, 0));
        Shorthand pair = PlanText.parse("tp=2", 64);
        assertEquals(
                "vocab: the vocabulary of 50257 is not a multiple of tp=2, and unpadded does not pad it. Maybe tp=1.",
                print(Legality.check(pair, odd, TestCases.batch(64), TestCases.cluster(64), unpadded)));
        assertEquals(
                Verdict.OK, Legality.check(pair, odd, TestCases.batch(64), TestCases.cluster(64), TestCases.able()));
    }

    @Test
    void precisionAndSequence() {
        Shorthand plan = PlanText.parse("tp=8,sp", 64);
        Workload fp8 = new Workload(64, 2048, DataType.FP8, Workload.Optimizer.ADAM);
        assertEquals(
                "precision: a100-sxm-80gb has no fp8 arithmetic. Maybe one of bf16, fp16.",
                print(Legality.check(plan, GPT, fp8, TestCases.cluster(64), TestCases.able())));
        Workload odd = new Workload(64, 2045, DataType.BF16, Workload.Optimizer.ADAM);
        assertEquals(
                "sequence-divides: sp splits the sequence, and seq-len 2045 is not a multiple of tp=8. Maybe seq-len"
                        + " 2048, or leave sp out.",
                print(Legality.check(plan, GPT, odd, TestCases.cluster(64), TestCases.able())));
    }

    @Test
    void frameworkWithoutTensorOrPipelineChunks() {
        Framework fsdp = TestCases.framework(
                "fsdp",
                new Framework.Limits(3, 0, false, PipelineSchedules.classic(false), true, false, true, false, 1));
        assertTrue(
                print(Legality.check(PlanText.parse("tp=2", 64), GPT, TestCases.batch(64), TestCases.cluster(64), fsdp))
                        .startsWith("tensor-parallel: fsdp has no tensor parallelism, and tp is 2. Maybe tp=1"));
        assertTrue(print(Legality.check(
                        PlanText.parse("pp=2,vpp=2", 64), GPT, TestCases.batch(64), TestCases.cluster(64), fsdp))
                .startsWith("vpp-framework: fsdp has no interleaved schedule, and vpp is 2. Maybe leave vpp out"));
    }
}
