package org.shardplan.program;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.shardplan.graph.Block;
import org.shardplan.graph.DataType;
import org.shardplan.graph.Extensions;
import org.shardplan.graph.TransformerGraph;
import org.shardplan.graph.TransformerSizes;
import org.shardplan.plan.ContextParallel;
import org.shardplan.plan.ContextParallel.Type;
import org.shardplan.plan.ExpertMesh;
import org.shardplan.program.Task.Collective;
import org.shardplan.program.Task.CollectiveKind;
import org.shardplan.program.Task.Stream;
import org.shardplan.workload.Framework;
import org.shardplan.workload.Sharding;

/**
 * FEATURE UNDER TEST: what context ranks exchange, compute and keep follows from layouts. Input: a layer of 16 heads and 4 key-value heads,
 * width 1,024, 4,096 tokens, 2 sequences.
 */
final class A06_ContextLoweringTest {
    private static final long SEQ = 4096;
    private static final long HIDDEN = 1024;
    private static final int HEADS = 16;
    private static final int KEY_HEADS = 4;
    private static final int SEQUENCES = 2;
    /** Bytes of all keys and values of the micro-batch, 16 bits each. */
    private static final long KEYS = 2 * SEQUENCES * SEQ * HIDDEN * KEY_HEADS / HEADS * 2;

    private static final long QUERIES = SEQUENCES * SEQ * HIDDEN * 2;

    private final Block layer = layer(KEY_HEADS, 0, TransformerSizes.Experts.NONE);

    private static Block layer(int keyHeads, long window, TransformerSizes.Experts experts) {
        TransformerSizes sizes = new TransformerSizes(
                "long",
                2,
                HIDDEN,
                4 * HIDDEN,
                HEADS,
                keyHeads,
                HIDDEN / HEADS,
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
                window,
                1,
                false,
                false,
                0,
                experts,
                TransformerSizes.LatentAttention.NONE,
                Extensions.NONE);
        return TransformerGraph.build(sizes, SEQ, 128).blocks().get(1);
    }

    private static BlockProgram lower(Block block, Framework framework, int tp, int cp, Type type, ExpertMesh experts) {
        BlockCache cache = new BlockCache(DataType.BF16, true, framework);
        return cache.get(block, tp, tp > 1, SEQUENCES, true, new ContextParallel(cp, type), experts);
    }

    private BlockProgram lower(int tp, int cp, Type type) {
        return lower(layer, LoweringFixture.MEGATRON_2022, tp, cp, type, ExpertMesh.NONE);
    }

    private static List<Collective> exchanges(List<Task> tasks) {
        return tasks.stream()
                .filter(task -> task.stream() == Stream.CONTEXT)
                .map(task -> (Collective) task.work())
                .toList();
    }

    private static long bytes(List<Collective> collectives, CollectiveKind kind) {
        return collectives.stream()
                .filter(collective -> collective.kind() == kind)
                .mapToLong(Collective::bytes)
                .sum();
    }

    private static double flops(List<Task> tasks) {
        double flops = 0;
        for (Task task : tasks) {
            if (task.work() instanceof Task.Segment(List<Kernel> kernels)) {
                flops += kernels.stream().mapToDouble(Kernel::matmulFlops).sum();
            }
        }
        return flops;
    }

    /** Liu et al. 2023: (cp - 1)/cp of keys and values pass a rank forward; backward these and as many of their gradients. */
    @Test
    void aRingPassesEachPartOn() {
        for (int tp : new int[] {1, 2}) {
            for (int cp : new int[] {2, 4, 8}) {
                BlockProgram program = lower(tp, cp, Type.RING);
                List<Collective> forward = exchanges(program.forward());
                List<Collective> backward = exchanges(program.backward());
                assertEquals(cp - 1, forward.size());
                assertEquals(KEYS / tp * (cp - 1) / cp, bytes(forward, CollectiveKind.SEND));
                assertEquals(cp, backward.size());
                assertEquals(2 * KEYS / tp * (cp - 1) / cp, bytes(backward, CollectiveKind.SEND));
                assertEquals(Set.of("cp"), forward.stream().map(Collective::dim).collect(Collectors.toSet()));
            }
        }
    }

    /** A part is on its way beside attention on the part before: no send waits for the step that it runs beside. */
    @Test
    void aRingsSendsRunBesideAttention() {
        List<Task> tasks = lower(1, 4, Type.RING).forward();
        List<Task> sends =
                tasks.stream().filter(task -> task.stream() == Stream.CONTEXT).toList();
        for (int i = 0; i < sends.size(); i++) {
            int at = tasks.indexOf(sends.get(i));
            Task step = tasks.get(at + 1);
            assertTrue(step.id().endsWith("attention/F/" + i), step.id());
            assertTrue(!step.after().contains(at), "attention waits for what it hides");
            assertTrue(tasks.get(at + 3 < tasks.size() && i < sends.size() - 1 ? at + 3 : at + 2)
                    .after()
                    .contains(at));
        }
    }

    /** Llama 3, section 3.3.2: keys and values gathered forward; backward again, and their gradients reduced. */
    @Test
    void keysAreGathered() {
        for (int cp : new int[] {2, 4, 16}) {
            BlockProgram program = lower(2, cp, Type.ALL_GATHER);
            assertEquals(
                    List.of(new Collective(CollectiveKind.ALL_GATHER, "cp", KEYS / 2)), exchanges(program.forward()));
            assertEquals(
                    List.of(
                            new Collective(CollectiveKind.ALL_GATHER, "cp", KEYS / 2),
                            new Collective(CollectiveKind.REDUCE_SCATTER, "cp", KEYS / 2)),
                    exchanges(program.backward()));
        }
    }

    /** Jacobs et al. 2023: four all-to-alls of N·h/P each way where all heads have keys of their own; ours moves queries, keys and values at once. */
    @Test
    void ulyssesExchangesSequenceForHeads() {
        Block all = layer(HEADS, 0, TransformerSizes.Experts.NONE);
        for (int cp : new int[] {2, 4, 8}) {
            BlockProgram program = lower(all, LoweringFixture.MEGATRON_2022, 1, cp, Type.ULYSSES, ExpertMesh.NONE);
            assertEquals(
                    List.of(
                            new Collective(CollectiveKind.ALL_TO_ALL, "cp", 3 * QUERIES / cp),
                            new Collective(CollectiveKind.ALL_TO_ALL, "cp", QUERIES / cp)),
                    exchanges(program.forward()));
            assertEquals(4 * QUERIES / cp, bytes(exchanges(program.backward()), CollectiveKind.ALL_TO_ALL));
            assertEquals(2, exchanges(program.backward()).size());
        }
        // beside tensor ranks heads are split by both
        BlockProgram program = lower(2, 2, Type.ULYSSES);
        assertEquals(
                (QUERIES + KEYS) / 4, exchanges(program.forward()).getFirst().bytes());
    }

    /** Balanced, cp ranks do what one does, whatever the way of exchange: exactly the scores that the mask leaves. */
    @Test
    void scoresAreSharedOut() {
        for (Block block : List.of(layer, layer(KEY_HEADS, 1000, TransformerSizes.Experts.NONE))) {
            double whole = flops(lower(block, LoweringFixture.MEGATRON_2022, 1, 1, Type.RING, ExpertMesh.NONE)
                    .forward());
            for (Type type : Type.values()) {
                if (block != layer && type == Type.RING) {
                    continue; // a ring knows no window
                }
                for (int cp : new int[] {2, 4}) {
                    BlockProgram program = lower(block, LoweringFixture.MEGATRON_2022, 1, cp, type, ExpertMesh.NONE);
                    assertEquals(whole / cp, flops(program.forward()), whole * 1e-9, type + " " + cp);
                }
            }
        }
    }

    /** Without a chunk from either end the last rank meets all keys in every step but its own. */
    @Test
    void unbalancedTheLastRankDoesMost() {
        Framework plain = LoweringFixture.MEGATRON_2022.with(new Sharding(List.of("ring"), false, false));
        double balanced = flops(lower(4, layer, LoweringFixture.MEGATRON_2022));
        double last = flops(lower(4, layer, plain));
        double scores = 4.0 * SEQUENCES * SEQ * HIDDEN * SEQ / 2;
        // of 16 pairs of parts it has 3.5, the others on average 2
        assertEquals(scores * (3.5 / 8 - 1.0 / 4), last - balanced, scores * 1e-3);
    }

    private static List<Task> lower(int cp, Block block, Framework framework) {
        return lower(block, framework, 1, cp, Type.RING, ExpertMesh.NONE).forward();
    }

    @Test
    void eachRankKeepsItsPart() {
        long whole = BlockProgram.bytes(lower(1, 1, Type.RING).saved());
        for (Type type : Type.values()) {
            for (int cp : new int[] {2, 4}) {
                BlockProgram program = lower(1, cp, type);
                assertEquals(whole / cp, BlockProgram.bytes(program.saved()), type + " " + cp);
                assertEquals(QUERIES / cp, BlockProgram.bytes(program.savedFull()));
                assertEquals(QUERIES / cp, program.output());
            }
        }
    }

    /** Parameters are the same on all context ranks: their gradients are summed over data and context ranks. */
    @Test
    void gradientsAreSummedOverContextRanks() {
        for (BlockProgram.LocalParameter parameter : lower(2, 4, Type.RING).parameters()) {
            assertTrue(parameter.gradientPartialOn().containsAll(List.of("dp", "cp")), parameter.name());
        }
    }

    /** Experts among context ranks: a part of them, all, all and data ranks; Megatron's order tp, cp, dp. */
    @Test
    void expertsLieAmongContextRanksFirst() {
        Block experts = layer(KEY_HEADS, 0, new TransformerSizes.Experts(16, 2, 512, 0, 0, 1, 1, 1, false, 0));
        String[] wanted = {"epc", "epc", "ep+epc", "ep+epc+tp"};
        int[][] meshes = {{1, 4, 2, 1}, {1, 4, 4, 1}, {1, 4, 8, 1}, {2, 4, 16, 1}};
        for (int i = 0; i < meshes.length; i++) {
            int[] mesh = meshes[i];
            BlockProgram program = lower(
                    experts,
                    LoweringFixture.MEGATRON_2022,
                    mesh[0],
                    mesh[1],
                    Type.RING,
                    ExpertMesh.of(mesh[0], mesh[1], mesh[2], mesh[3]));
            List<Collective> sent = program.forward().stream()
                    .filter(task -> task.id().contains("experts.") && task.work() instanceof Collective)
                    .map(task -> (Collective) task.work())
                    .toList();
            long tokens = SEQUENCES * SEQ * 2 * HIDDEN * 2 / mesh[1] / mesh[0];
            Collective once = new Collective(CollectiveKind.ALL_TO_ALL, wanted[i], tokens);
            assertEquals(List.of(once, once), sent);
            BlockProgram.LocalParameter in = program.parameters().stream()
                    .filter(parameter -> parameter.name().equals("experts.in.weight"))
                    .findFirst()
                    .orElseThrow();
            assertEquals(16L / mesh[2] * HIDDEN * 2 * 512, in.elements());
        }
    }
}
