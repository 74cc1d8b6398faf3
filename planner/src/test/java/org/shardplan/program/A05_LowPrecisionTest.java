package org.shardplan.program;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.shardplan.graph.Block;
import org.shardplan.graph.DataType;
import org.shardplan.graph.TransformerGraph;
import org.shardplan.plan.Placement;

/** FEATURE UNDER TEST: layers whose products cast their operands to 8 bits and less. */
final class A05_LowPrecisionTest {
    private static final long HIDDEN = 1024;
    private static final long TOKENS = 2048;

    private static List<Block> blocks() {
        return TransformerGraph.build(LoweringFixture.gpt(2, HIDDEN, 8, false), TOKENS, 128)
                .blocks();
    }

    private static BlockProgram lower(Block.Kind kind, DataType precision) {
        Block block = blocks().stream()
                .filter(each -> each.kind() == kind)
                .findFirst()
                .orElseThrow();
        LoweringContext context = new LoweringContext(Map.of(), 1, precision, true, LoweringFixture.MEGATRON_2022);
        return BlockLowering.lower(block, Map.of(), new Placement(Map.of()), context)
                .program();
    }

    private static List<Kernel.MatrixProduct> products(List<Task> tasks) {
        return tasks.stream()
                .map(Task::work)
                .filter(Task.Segment.class::isInstance)
                .flatMap(work -> ((Task.Segment) work).kernels().stream())
                .filter(Kernel.MatrixProduct.class::isInstance)
                .map(Kernel.MatrixProduct.class::cast)
                .toList();
    }

    @Test
    void layersAreCastAndTheHeadIsNot() {
        assertTrue(products(lower(Block.Kind.LAYER, DataType.FP8).forward()).stream()
                .allMatch(product -> product.precision() == DataType.FP8));
        assertTrue(products(lower(Block.Kind.HEAD, DataType.FP8).forward()).stream()
                .allMatch(product -> product.precision() == DataType.BF16));
    }

    /** A gradient of {@code s} tokens and {@code n} columns is read in 16 bits and written twice in 8. */
    @Test
    void gradientsAreCastOnce() {
        BlockProgram layer = lower(Block.Kind.LAYER, DataType.FP8);
        long columns = 3 * HIDDEN + HIDDEN + 4 * HIDDEN + HIDDEN;
        assertEquals(
                4 * TOKENS * columns,
                products(layer.backward()).stream()
                        .mapToLong(Kernel.MatrixProduct::castBytes)
                        .sum());
        assertEquals(0, castBytes(lower(Block.Kind.LAYER, DataType.BF16)));
    }

    private static long castBytes(BlockProgram program) {
        return products(program.backward()).stream()
                .mapToLong(Kernel.MatrixProduct::castBytes)
                .sum();
    }

    /** Norms' outputs and the activation's are kept as products read them: 1 byte instead of 2 of 6 widths. Attention keeps its output itself. */
    @Test
    void whatProductsAloneReadIsKeptAsItWasCast() {
        long half = 6 * HIDDEN * TOKENS;
        assertEquals(
                half,
                BlockProgram.bytes(lower(Block.Kind.LAYER, DataType.BF16).saved())
                        - BlockProgram.bytes(
                                lower(Block.Kind.LAYER, DataType.FP8).saved()));
    }

    @Test
    void boundariesKeepSixteenBits() {
        assertEquals(
                lower(Block.Kind.LAYER, DataType.BF16).output(),
                lower(Block.Kind.LAYER, DataType.FP8).output());
    }
}
