package org.shardplan.program;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.shardplan.graph.Block;
import org.shardplan.graph.DataType;
import org.shardplan.graph.Extensions;
import org.shardplan.graph.ModelFlops;
import org.shardplan.graph.TransformerGraph;
import org.shardplan.graph.TransformerSizes;
import org.shardplan.plan.ContextParallel;
import org.shardplan.plan.ExpertMesh;
import org.shardplan.program.Task.Collective;
import org.shardplan.program.Task.CollectiveKind;

/**
 * FEATURE UNDER TEST: what experts exchange, keep and hold follows from layouts. Input: a layer of 16 experts, 4 of a token, and a
 * shared one.
 */
final class A05_ExpertLoweringTest {
    private static final long HIDDEN = 1024;
    private static final long SEQ = 2048;
    private static final long FFN = 512;
    private static final int EXPERTS = 16;
    private static final int TOPK = 4;
    /** Bytes of what one sequence's tokens are, copied to their experts. */
    private static final long SENT = SEQ * TOPK * HIDDEN * 2;

    private final Block layer = layer();

    private static Block layer() {
        TransformerSizes sizes = new TransformerSizes(
                "experts",
                2,
                HIDDEN,
                4 * HIDDEN,
                16,
                16,
                64,
                51200,
                SEQ,
                SEQ,
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
                new TransformerSizes.Experts(EXPERTS, TOPK, FFN, FFN, 0, 1, 1, 1, false, 0),
                TransformerSizes.LatentAttention.NONE,
                Extensions.NONE);
        return TransformerGraph.build(sizes, SEQ, 128).blocks().get(1);
    }

    private BlockProgram lower(int tp, int ep, int etp, int microBatch) {
        BlockCache cache = new BlockCache(DataType.BF16, true, LoweringFixture.MEGATRON_2022);
        return cache.get(layer, tp, tp > 1, microBatch, true, ContextParallel.NONE, ExpertMesh.of(tp, ep, etp));
    }

    private static List<Collective> exchanges(List<Task> tasks) {
        return tasks.stream()
                .filter(task -> task.id().contains("experts.") && !task.id().contains("shared"))
                .map(Task::work)
                .filter(Collective.class::isInstance)
                .map(Collective.class::cast)
                .toList();
    }

    /** Dispatch and combine: tokens · topk · hidden, of which (ep - 1)/ep leave the rank; backward the same, the other way. */
    @Test
    void tokensGoThereAndBack() {
        for (int ep : new int[] {2, 8, 16}) {
            for (int microBatch : new int[] {1, 3}) {
                BlockProgram program = lower(1, ep, 1, microBatch);
                Collective once = new Collective(CollectiveKind.ALL_TO_ALL, "ep", microBatch * SENT);
                assertEquals(List.of(once, once), exchanges(program.forward()), "forward, ep " + ep);
                assertEquals(List.of(once, once), exchanges(program.backward()), "backward, ep " + ep);
            }
        }
    }

    @Test
    void withoutExpertRanksNothingMoves() {
        assertEquals(List.of(), exchanges(lower(1, 1, 1, 2).forward()));
    }

    /** Each tensor rank sends the tokens of its part of the sequence, to all ranks of the group at once. */
    @Test
    void tensorRanksAreExpertRanks() {
        Collective once = new Collective(CollectiveKind.ALL_TO_ALL, "ep+tp", SENT / 2);
        BlockProgram program = lower(2, 8, 1, 1);
        assertEquals(List.of(once, once), exchanges(program.forward()));
        assertEquals(List.of(once, once), exchanges(program.backward()));
        Collective within = new Collective(CollectiveKind.ALL_TO_ALL, "tp", SENT / 2);
        assertEquals(List.of(within, within), exchanges(lower(2, 2, 1, 1).forward()));
    }

    /** Where tensor ranks split each expert, tokens are exchanged in parts and gathered; results are summed in parts and sent back. */
    @Test
    void tensorRanksSplitAnExpert() {
        BlockProgram program = lower(4, 8, 4, 1);
        assertEquals(
                List.of(
                        new Collective(CollectiveKind.ALL_TO_ALL, "ep", SENT / 4),
                        new Collective(CollectiveKind.ALL_GATHER, "tp", SENT),
                        new Collective(CollectiveKind.REDUCE_SCATTER, "tp", SENT),
                        new Collective(CollectiveKind.ALL_TO_ALL, "ep", SENT / 4)),
                exchanges(program.forward()));
    }

    /** Shares are even, so each rank of any mesh does its part of the layer's products. */
    @Test
    void productsAreSharedOut() {
        double whole = 2 * ModelFlops.forwardPerSample(layer, true);
        for (int[] mesh : new int[][] {{1, 1, 1}, {1, 8, 1}, {2, 8, 1}, {2, 8, 2}, {4, 4, 1}}) {
            double flops = 0;
            for (Task task : lower(mesh[0], mesh[1], mesh[2], 2).forward()) {
                if (task.work() instanceof Task.Segment(List<Kernel> kernels)) {
                    flops += kernels.stream().mapToDouble(Kernel::matmulFlops).sum();
                }
            }
            // with sequence parallelism the router too works on a part
            assertEquals(whole / mesh[0], flops, whole * 1e-9, mesh[0] + " " + mesh[1] + " " + mesh[2]);
        }
    }

    @Test
    void expertsAreHeldByFewerRanks() {
        BlockProgram program = lower(2, 8, 1, 1);
        for (BlockProgram.LocalParameter parameter : program.parameters()) {
            if (parameter.name().equals("experts.in.weight")) {
                assertEquals(EXPERTS / 8 * HIDDEN * 2 * FFN, parameter.elements());
                assertEquals(List.of("edp"), parameter.gradientPartialOn());
                assertEquals(true, parameter.expert());
            } else if (parameter.name().equals("router.weight")) {
                assertEquals(List.of("edp", "ep", "tp"), parameter.gradientPartialOn());
                assertEquals(false, parameter.expert());
            } else if (parameter.name().equals("mlp.shared.in.weight")) {
                assertEquals(HIDDEN * FFN, parameter.elements());
                assertEquals(List.of("edp", "ep"), parameter.gradientPartialOn());
            }
        }
    }

    /** Kept for the backward pass: the tokens that an expert was sent, in the expert's layout, not those that were sent away. */
    @Test
    void dispatchedTokensAreKeptOnce() {
        for (int[] mesh : new int[][] {{1, 1, 1}, {1, 8, 1}, {2, 8, 1}}) {
            long bytes = lower(mesh[0], mesh[1], mesh[2], 1).saved().stream()
                    .filter(saved -> saved.name().equals("experts.sent"))
                    .mapToLong(BlockProgram.SavedTensor::bytes)
                    .sum();
            assertEquals(SENT / mesh[0], bytes);
        }
    }
}
