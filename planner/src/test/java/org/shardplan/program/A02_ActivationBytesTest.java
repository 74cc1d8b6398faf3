package org.shardplan.program;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.shardplan.graph.Block;

/** Korthikanti et al. 2022, equations 1, 2, 4 and table 2: bytes of activations of one GPT layer. */
class A02_ActivationBytesTest {
    private static final long H = 6144;
    private static final long A = 64;
    private static final long S = 2048;
    private static final long B = 4;
    private final Block layer = LoweringFixture.layer(H, A, S);

    private long bytes(int tp, boolean sp, boolean selective) {
        BlockProgram program = LoweringFixture.lower(layer, tp, 1, B, sp).program();
        return BlockProgram.bytes(selective ? program.savedSelective() : program.saved());
    }

    @Test
    void oneDevice() {
        assertEquals(S * B * H * 34 + 5 * A * S * S * B, bytes(1, false, false));
    }

    @Test
    void tensorParallel() {
        assertEquals(S * B * H * (10 + 24 / 8) + 5 * A * S * S * B / 8, bytes(8, false, false));
    }

    @Test
    void sequenceParallel() {
        assertEquals((S * B * H * 34 + 5 * A * S * S * B) / 8, bytes(8, true, false));
    }

    @Test
    void selectiveRecomputationDropsTheScores() {
        assertEquals(S * B * H * 34 / 8, bytes(8, true, true));
    }

    @Test
    void fullRecomputationKeepsTheInput() {
        BlockProgram program = LoweringFixture.lower(layer, 8, 1, B, false).program();
        assertEquals(2 * S * B * H, BlockProgram.bytes(program.savedFull()));
    }

    /** SC'21, section 4.1: a boundary activation is bsh elements, a t-th of it with sequence parallelism. */
    @Test
    void boundary() {
        assertEquals(
                2 * S * B * H,
                LoweringFixture.lower(layer, 8, 1, B, false).program().output());
        assertEquals(
                2 * S * B * H / 8,
                LoweringFixture.lower(layer, 8, 1, B, true).program().output());
    }
}
