package org.shardplan.program;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.shardplan.graph.Block;
import org.shardplan.graph.DataType;
import org.shardplan.graph.Extensions;
import org.shardplan.graph.LayerKind;
import org.shardplan.graph.TransformerGraph;
import org.shardplan.graph.TransformerSizes;

/** FEATURE UNDER TEST: what a state-space layer computes, keeps and sends on a rank. */
final class A08_ScanLoweringTest {
    private static final long TOKENS = 4096;
    private static final int HIDDEN = 1024;
    private static final int HEADS = 32;

    /** Mamba 2: 32 heads of 64 channels, 8 groups, states of 128, chunks of 256. */
    private static BlockProgram lower(int tp, boolean sequenceParallel) {
        LayerKind.Mamba mamba = new LayerKind.Mamba(2, HEADS, 64, 128, 8, 4, true, 256, 0, false);
        TransformerSizes plain = LoweringFixture.gpt(2, HIDDEN, 8, false);
        TransformerSizes sizes =
                plain.with(Extensions.NONE.withLayers(List.of(new LayerKind(mamba, new LayerKind.NoFeed()))));
        Block layer = TransformerGraph.build(sizes, TOKENS, 1).blocks().get(1);
        return new BlockCache(DataType.BF16, true, LoweringFixture.MEGATRON_2022)
                .get(layer, tp, sequenceParallel, 1, false);
    }

    private static Stream<Kernel.ScanCore> scans(List<Task> tasks) {
        return tasks.stream()
                .flatMap(task -> task.work() instanceof Task.Segment(List<Kernel> all) ? all.stream() : Stream.empty())
                .filter(Kernel.ScanCore.class::isInstance)
                .map(Kernel.ScanCore.class::cast);
    }

    /** Dao and Gu 2024, section 6: 16 chunks; scores by group, the chunk's state, what it and the state before give, by head. */
    @Test
    void productsWithinAndBetweenChunks() {
        double chunks = TOKENS / 256.0;
        double scores = 8 * 256.0 * 256 * 128;
        double each = 256.0 * 128 * 64 + 256.0 * 256 * 64 + 256.0 * 128 * 64;
        double flops =
                scans(lower(1, false).forward()).findFirst().orElseThrow().matmulFlops();
        assertEquals(2 * chunks * (scores + HEADS * each), flops);
    }

    @Test
    void ranksShareOutHeadsAndGroups() {
        double whole =
                scans(lower(1, false).forward()).findFirst().orElseThrow().matmulFlops();
        assertEquals(
                whole / 8,
                scans(lower(8, true).forward()).findFirst().orElseThrow().matmulFlops());
    }

    /** As attention has it: the sequence is gathered before the projections and scattered behind the last one, forward and backward. */
    @Test
    void collectivesAreThoseOfAttention() {
        long stream = 2 * TOKENS * HIDDEN;
        assertEquals(
                List.of("ALL_GATHER " + stream, "REDUCE_SCATTER " + stream),
                sent(lower(8, true).forward()));
        assertEquals(
                List.of("ALL_GATHER " + stream, "ALL_GATHER " + stream, "REDUCE_SCATTER " + stream),
                sent(lower(8, true).backward()).stream().sorted().toList());
        assertEquals(List.of("ALL_REDUCE " + stream), sent(lower(8, false).forward()));
    }

    private static List<String> sent(List<Task> tasks) {
        return tasks.stream()
                .flatMap(task -> task.work() instanceof Task.Collective collective
                        ? Stream.of(collective.kind() + " " + collective.bytes())
                        : Stream.of())
                .toList();
    }

    /** The kernel keeps what it reads and writes; states are made again: nothing kept grows faster than the sequence. */
    @Test
    void statesAreNotKept() {
        long inner = 64 * HEADS;
        long projected = 2 * TOKENS * (HEADS * 65 + 8 * 256);
        long kept = BlockProgram.bytes(lower(1, false).saved());
        long norms = 2 * TOKENS * HIDDEN * 2;
        // what is projected, its gate, what is scanned, what is gated, what is normalised
        assertEquals(projected + norms + 4 * 2 * TOKENS * inner, kept, 2.0 * TOKENS * HIDDEN);
        assertTrue(lower(1, false).saved().stream()
                .noneMatch(tensor -> tensor.name().contains("state")));
    }
}
