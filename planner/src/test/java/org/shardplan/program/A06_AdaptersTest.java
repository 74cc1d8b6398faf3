package org.shardplan.program;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.shardplan.form.ModelCatalog;
import org.shardplan.graph.Block;
import org.shardplan.graph.DataType;
import org.shardplan.graph.ModelFlops;
import org.shardplan.graph.OperatorGraph;
import org.shardplan.graph.TransformerGraph;
import org.shardplan.units.UserError;
import org.shardplan.workload.Tuning;
import org.shardplan.workload.Workload;

/** FEATURE UNDER TEST: LoRA trains adapters alone; frozen weights have no gradient, no product that makes one, no state. */
final class A06_AdaptersTest {
    private static final long TOKENS = 8192;

    private static OperatorGraph graph(Tuning tuning) {
        Workload workload = new Workload(8, TOKENS, DataType.BF16, Workload.Optimizer.ADAM, tuning);
        return workload.trained(
                TransformerGraph.build(ModelCatalog.find("llama2-70b").sizes(), TOKENS, 1));
    }

    private static BlockProgram lower(Tuning tuning, int tp, boolean sequenceParallel) {
        BlockCache cache = new BlockCache(DataType.BF16, true, LoweringFixture.MEGATRON_2022);
        Block layer = graph(tuning).blocks().get(1);
        return cache.get(layer, tp, sequenceParallel, 1, false);
    }

    private static List<String> kernels(List<Task> tasks) {
        return tasks.stream()
                .flatMap(task -> task.work() instanceof Task.Segment(List<Kernel> all) ? all.stream() : Stream.empty())
                .map(Kernel::name)
                .toList();
    }

    /** MLPerf's LoRA of Llama 2 70B: rank 16 on fused queries, keys and values and on the output: 44.6 M trained of 69 G. */
    @Test
    void trainedParametersAreThoseOfTheAdapters() {
        BlockProgram layer = lower(Tuning.lora(16, false), 1, false);
        long trained = 80 * layer.elements(BlockProgram.LocalParameter::trained);
        assertEquals(80L * 16 * (8192 + 10240 + 8192 + 8192), trained);
        assertEquals(44_564_480, trained);
        assertEquals(
                lower(Tuning.PRETRAIN, 1, false).elements(parameter -> true),
                layer.elements(parameter -> !parameter.trained()));
    }

    @Test
    void frozenProductsMakeNoWeightGradient() {
        List<String> backward = kernels(lower(Tuning.lora(16, true), 1, false).backward());
        assertEquals(
                List.of("mlp.out.up", "mlp.out.down", "mlp.in.up", "mlp.in.down"),
                backward.stream()
                        .filter(name -> name.startsWith("mlp") && name.endsWith(".wgrad"))
                        .map(name -> name.replace(".wgrad", ""))
                        .toList());
        assertTrue(backward.contains("mlp.in.dgrad") && backward.contains("qkv.dgrad"));
    }

    /** What only a frozen weight's gradient would read is not kept: the MLP's activated inside, 28,672 wide. */
    @Test
    void lessIsKept() {
        long all = BlockProgram.bytes(lower(Tuning.PRETRAIN, 1, false).saved());
        long adapters =
                BlockProgram.bytes(lower(Tuning.lora(16, false), 1, false).saved());
        long activated = 2 * TOKENS * 28_672;
        long normed = 2 * TOKENS * 8192;
        long narrow = 2 * 2 * TOKENS * 16;
        assertEquals(all - activated - normed + narrow, adapters);
    }

    /** Two thirds of pretraining's products, attention whole, and little for the adapters. */
    @Test
    void flops() {
        double pretrained = ModelFlops.trainedPerSample(graph(Tuning.PRETRAIN), false);
        double attention = 3 * ModelFlops.attentionPerSample(graph(Tuning.PRETRAIN), false);
        double adapters = 6.0 * TOKENS * 44_564_480;
        assertEquals(
                (pretrained - attention) * 2 / 3 + attention + adapters,
                ModelFlops.trainedPerSample(graph(Tuning.lora(16, false)), false),
                1e-9 * pretrained);
        assertEquals(pretrained, ModelFlops.trainedPerSample(graph(Tuning.SFT), false));
    }

    /** Beside the frozen products' own collectives, what goes between ranks is as narrow as the adapters. */
    @Test
    void adaptersSendTheirWidthOnly() {
        long wide = 2 * TOKENS * 8192;
        List<Long> sent = lower(Tuning.lora(16, false), 8, true).forward().stream()
                .flatMap(task ->
                        task.work() instanceof Task.Collective collective ? Stream.of(collective.bytes()) : Stream.of())
                .toList();
        long narrow = 2 * TOKENS * 16;
        assertEquals(4, sent.stream().filter(bytes -> bytes == wide).count(), sent.toString());
        assertEquals(2, sent.stream().filter(bytes -> bytes == narrow).count(), sent.toString());
        assertEquals(6, sent.size(), sent.toString());
    }

    @ParameterizedTest
    @CsvSource({
        "'', pretrain",
        "sft, sft",
        "lora, 'lora:rank=16,targets=attention'",
        "'lora:targets=all,rank=8', 'lora:rank=8,targets=all'"
    })
    void words(String text, String printed) {
        assertEquals(printed, Tuning.parse(text).text());
        assertEquals(Tuning.parse(text), Tuning.parse(printed));
    }

    @ParameterizedTest
    @CsvSource({"qlora", "lora:rank=0", "lora:rank=x", "lora:targets=mlp", "sft:rank=2"})
    void mistakes(String text) {
        UserError error = assertThrows(UserError.class, () -> Tuning.parse(text));
        assertTrue(String.valueOf(error.getMessage()).startsWith("--task "), error.getMessage());
        assertTrue(error.maybe().startsWith("Maybe --task "), error.maybe());
    }
}
