package org.shardplan.program;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.shardplan.form.FrameworkCatalog;
import org.shardplan.form.ModelCatalog;
import org.shardplan.graph.Block;
import org.shardplan.graph.DataType;
import org.shardplan.graph.OperatorGraph;
import org.shardplan.graph.TransformerGraph;
import org.shardplan.plan.ExpertRules;
import org.shardplan.workload.Framework;
import org.shardplan.workload.Workspace;

/**
 * FEATURE UNDER TEST: what "selective" keeps and runs again where a framework names operators. Llama 3 8B: 32 query and 8 key-value
 * heads, MLP 3.5 times as wide as the stream; T tokens of h = 4,096 elements.
 */
final class A04_SelectiveRecomputeTest {
    private static final long T = 8192;
    private static final long STREAM = 2 * T * 4096;
    /** 32-bit statistics of flash attention, one a query and head. */
    private static final long STATISTICS = 4 * T * 32;

    private static BlockProgram layer(Framework framework, int tp, boolean sequenceParallel) {
        OperatorGraph graph =
                TransformerGraph.build(ModelCatalog.find("llama3-8b").sizes(), T, 1);
        Block layer = graph.blocks().get(1);
        LoweringContext context = new LoweringContext(Map.of("tp", tp), 1, DataType.BF16, true, framework);
        return BlockLowering.lower(
                        layer,
                        ExpertRules.placements(layer, sequenceParallel),
                        ExpertRules.boundary(sequenceParallel),
                        context)
                .program();
    }

    private static Framework named(String name) {
        return FrameworkCatalog.get(name);
    }

    /** Input 1, queries 1, values 1/4, attention 1, the first half of the MLP's first product 3.5. */
    @Test
    void torchtitanKeepsEveryOtherProduct() {
        BlockProgram program = layer(named("torchtitan"), 1, false);
        assertEquals(STREAM * 27 / 4 + STATISTICS, BlockProgram.bytes(program.savedSelective()));
    }

    /** Its policy stores the last product as well; nothing reads it. */
    @Test
    void eagerTorchtitanKeepsTheLastProductToo() {
        BlockProgram program = layer(named("torchtitan-eager"), 1, false);
        assertEquals(STREAM * 31 / 4 + STATISTICS, BlockProgram.bytes(program.savedSelective()));
    }

    @Test
    void allOfItIsSharedOutUnderSequenceParallelism() {
        BlockProgram program = layer(named("torchtitan"), 8, true);
        assertEquals((STREAM * 27 / 4 + STATISTICS) / 8, BlockProgram.bytes(program.savedSelective()));
    }

    /** Keys 1/4 h·h, output h·h, the second half of the MLP's first product 3.5 h·h: two operations each. */
    @Test
    void torchtitanRunsTheOtherProductsAgain() {
        BlockProgram program = layer(named("torchtitan"), 1, false);
        double flops = program.recomputeSelective().stream()
                .filter(task -> task.work() instanceof Task.Segment)
                .flatMap(task -> ((Task.Segment) task.work()).kernels().stream())
                .mapToDouble(Kernel::matmulFlops)
                .sum();
        assertEquals(2.0 * T * 4096 * 4096 * (0.25 + 1 + 3.5), flops, 1);
    }

    /** Only those that are read: the last product and the last residual are not. */
    @Test
    void whatNothingReadsIsNotRunAgain() {
        List<String> kernels = layer(named("torchtitan"), 1, false).recomputeSelective().stream()
                .filter(task -> task.work() instanceof Task.Segment)
                .flatMap(task -> ((Task.Segment) task.work()).kernels().stream())
                .map(Kernel::name)
                .toList();
        assertEquals(
                List.of(
                        "attention.norm",
                        "qkv",
                        "rotary",
                        "attention.out",
                        "attention.residual",
                        "mlp.norm",
                        "mlp.in",
                        "mlp.activation"),
                kernels);
    }

    /** Sharded inputs of products are gathered again: two all-gathers. */
    @Test
    void productsGatherTheirInputAgain() {
        long gathers = layer(named("torchtitan"), 8, true).recomputeSelective().stream()
                .filter(task -> task.work() instanceof Task.Collective)
                .count();
        assertEquals(2, gathers);
    }

    /** Input and the joint projection (1 + 1 + 1/2): attention itself is run again. */
    @Test
    void maxtextKeepsTheJointProjection() {
        BlockProgram program = layer(named("maxtext"), 1, false);
        assertEquals(STREAM * 5 / 2, BlockProgram.bytes(program.savedSelective()));
    }

    /** Flash attention keeps no scores, so Megatron's policy changes nothing. */
    @Test
    void attentionCoreIsNothingWithFlashAttention() {
        BlockProgram program = layer(named("megatron-core"), 1, false);
        assertEquals(program.saved(), program.savedSelective());
        assertTrue(program.recomputeSelective().isEmpty());
    }

    /** nanotron, all heads with keys of their own: keys and values twice, act(gate) beside the MLP's inputs. */
    @Test
    void unfusedCodeKeepsCopies() {
        Framework plain = named("megatron-core");
        Workspace workspace = Workspace.LEAST;
        Workspace copies = new Workspace(4, 6, 0, 0, 0, 0, 0, 0, false, Set.of("activated-gate", "repeated-keys"));
        long without =
                BlockProgram.bytes(layer(with(plain, workspace), 1, false).saved());
        long with = BlockProgram.bytes(layer(with(plain, copies), 1, false).saved());
        // gate 3.5; keys and values of 8 heads repeated for 32: three times (1/4 + 1/4)
        assertEquals(STREAM * 5, with - without);
    }

    private static Framework with(Framework framework, Workspace workspace) {
        Framework.Memory memory = framework.memory();
        return new Framework(
                framework.name(),
                framework.title(),
                framework.kernels(),
                framework.overlap(),
                new Framework.Memory(
                        memory.gradientBytes(),
                        memory.reduceBytes(),
                        memory.accumulationBytes(),
                        memory.masterBytes(),
                        memory.stateBytes(),
                        memory.contextBytes(),
                        memory.communicatorBytes(),
                        memory.fragmentation(),
                        memory.recomputeSelective(),
                        workspace),
                framework.host(),
                framework.limits(),
                framework.sources());
    }
}
