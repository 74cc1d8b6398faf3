package org.shardplan.program;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.shardplan.graph.Block;

/** Megatron's collectives follow from layouts: nobody lists them. Input: one GPT layer. */
class A01_MegatronCollectivesTest {
    private static final long HIDDEN = 1024;
    private static final long SEQ = 2048;
    private final Block layer = LoweringFixture.layer(HIDDEN, 16, SEQ);

    @Test
    void oneDeviceCommunicatesNothing() {
        BlockProgram program = LoweringFixture.lower(layer, 1, 1, 1, false).program();
        assertEquals("[10]", LoweringFixture.kinds(program.forward()));
        assertEquals(0, LoweringFixture.ringBytes(program.backward(), 1));
    }

    @Test
    void tensorParallelTwoAllReducesForwardTwoBackward() {
        BlockProgram program = LoweringFixture.lower(layer, 8, 1, 1, false).program();
        assertEquals("[4] AR [5] AR [1]", LoweringFixture.kinds(program.forward()));
        String backward = LoweringFixture.kinds(program.backward());
        assertEquals(2, backward.split("AR", -1).length - 1, backward);
    }

    @Test
    void sequenceParallelGathersAndScatters() {
        BlockProgram program = LoweringFixture.lower(layer, 8, 1, 1, true).program();
        assertEquals("[1] AG [3] RS [2] AG [3] RS [1]", LoweringFixture.kinds(program.forward()));
    }

    /** Korthikanti et al. 2022, section 4.2.2, and SC'21, section 3.2: 8bsh(t-1)/t elements a layer and micro-batch. */
    @Test
    void volumeOfTensorParallelism() {
        for (int tp : new int[] {2, 4, 8}) {
            for (long microBatch : new long[] {1, 4}) {
                BlockProgram program =
                        LoweringFixture.lower(layer, tp, 1, microBatch, false).program();
                double elements = 8.0 * microBatch * SEQ * HIDDEN * (tp - 1) / tp;
                double bytes = LoweringFixture.ringBytes(program.forward(), tp)
                        + LoweringFixture.ringBytes(program.backward(), tp);
                assertEquals(2 * elements, bytes, 1);
            }
        }
    }

    /** The same volume with sequence parallelism, and two gathers more of inputs that were kept as shards. */
    @Test
    void volumeOfSequenceParallelism() {
        BlockProgram program = LoweringFixture.lower(layer, 8, 1, 1, true).program();
        double bytes =
                LoweringFixture.ringBytes(program.forward(), 8) + LoweringFixture.ringBytes(program.backward(), 8);
        double published = 2 * 8.0 * SEQ * HIDDEN * 7 / 8;
        double regathered = 2 * 2.0 * SEQ * HIDDEN * 7 / 8;
        assertEquals(published + regathered, bytes, 1);
    }

    /** Data parallelism shards samples, so each weight gradient is partial over dp; nothing else moves. */
    @Test
    void weightGradientsArePartialOverDataRanks() {
        BlockProgram program = LoweringFixture.lower(layer, 1, 4, 1, false).program();
        assertEquals(0, LoweringFixture.ringBytes(program.backward(), 4));
        assertTrue(program.parameters().stream()
                .allMatch(p -> p.gradientPartialOn().equals(java.util.List.of("dp"))));
    }
}
