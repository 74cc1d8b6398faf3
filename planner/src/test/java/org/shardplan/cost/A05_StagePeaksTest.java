package org.shardplan.cost;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.shardplan.form.ClusterCatalog;
import org.shardplan.form.FrameworkCatalog;
import org.shardplan.graph.DataType;
import org.shardplan.program.StageProgram.Level;
import org.shardplan.workload.Framework;
import org.shardplan.workload.Workload;
import org.shardplan.workload.Workspace;

/** FEATURE UNDER TEST: bytes that the slots of a stage keep and need, block by block in backward order; sums by hand. */
final class A05_StagePeaksTest {
    private static final int GRADIENT = 4;

    private static MemoryPricer pricer(Workspace workspace) {
        Framework base = FrameworkCatalog.get("megatron-core");
        Framework framework = new Framework(
                "test",
                "test",
                base.kernels(),
                base.overlap(),
                new Framework.Memory(4, GRADIENT, 0, 4, 4, 0, 0, 0, Set.of(), workspace),
                base.host(),
                base.limits(),
                base.sources());
        Workload workload = new Workload(8, 128, DataType.BF16, Workload.Optimizer.ADAM);
        return new MemoryPricer(ClusterCatalog.resolve("dgx-h100"), framework, workload, 2);
    }

    private static BlockCost block(long saved, long transients, long output, long elements) {
        return new BlockCost(
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                saved,
                saved,
                output,
                output,
                false,
                elements,
                0,
                0,
                0,
                BlockCost.Frozen.NONE,
                transients,
                0,
                0,
                0,
                SplitCost.NONE);
    }

    private static final BlockCost LAYER = block(100, 30, 10, 5);
    private static final BlockCost HEAD = block(40, 60, 0, 7);

    @Test
    void aBlocksTransientsComeWhenThoseBeforeItAreFree() {
        StagePeaks peaks = pricer(Workspace.LEAST).peaks();
        peaks.start(0, 1);
        peaks.add(HEAD, Level.NONE, 1);
        peaks.add(LAYER, Level.NONE, 3);
        assertEquals(340, peaks.savedBytes());
        // the head's 60, not the layers' 40 after its 40 bytes are free
        assertEquals(60, peaks.backwardPeakBytes());
        assertEquals(60, peaks.forwardPeakBytes());
    }

    @Test
    void recomputedLayersComeBackWhole() {
        StagePeaks peaks = pricer(Workspace.LEAST).peaks();
        peaks.start(0, 1);
        peaks.add(HEAD, Level.NONE, 1);
        peaks.add(LAYER, Level.FULL, 3);
        assertEquals(40 + 3 * 10, peaks.savedBytes());
        // 30 + 10 + the 90 bytes that were not kept, when the head's 40 are free
        assertEquals(130 - 40, peaks.backwardPeakBytes());
    }

    @Test
    void shardedGradientsAreWholeUntilTheyAreReduced() {
        StagePeaks peaks = pricer(Workspace.LEAST).peaks();
        peaks.start(3, 8);
        peaks.add(block(0, 10, 0, 5), Level.NONE, 1);
        // 2 bytes as made, 4 as reduced
        assertEquals(5 * 6, peaks.backwardPeakBytes());
        peaks.start(3, 8);
        peaks.add(block(0, 10, 0, 5), Level.NONE, 2);
        // those of the layer before are still being reduced
        assertEquals(5 * 6 + 5 * 4, peaks.backwardPeakBytes());
        peaks.start(1, 8);
        peaks.add(block(0, 10, 0, 5), Level.NONE, 2);
        assertEquals(10, peaks.backwardPeakBytes());
    }

    @Test
    void aStageKeepsWhatItSentWhereTheFrameworkDoes() {
        StagePeaks peaks = pricer(new Workspace(4, 6, 0, 0, 0, 0, 0, 0, false, Set.of("stage-output")))
                .peaks();
        peaks.start(0, 1);
        peaks.add(LAYER, Level.NONE, 1);
        peaks.sends(LAYER);
        assertEquals(110, peaks.savedBytes());
    }

    @Test
    void workingSet() {
        MemoryPricer units = pricer(new Workspace(4, 6, 0, 0, 0, 0, 0, 0, true, Set.of()));
        // two layers and the root, 2 bytes an element
        assertEquals(2 * (2 * 100 + 70), units.workingSetBytes(100, 70, 40, 1000, 3, 8));
        assertEquals(0, units.workingSetBytes(100, 70, 40, 1000, 1, 8));
        MemoryPricer one = pricer(new Workspace(4, 6, 0, 0, 0, 0, 0, 60, false, Set.of()));
        assertEquals(2 * 2 * 30, one.workingSetBytes(100, 70, 40, 1000, 3, 8));
        MemoryPricer buckets = pricer(new Workspace(4, 6, 2, 500, 3, 8, 4, 0, false, Set.of()));
        assertEquals(300 + 320 + 2000, buckets.workingSetBytes(100, 70, 40, 1000, 0, 8));
        assertEquals(300 + 320 + 500, buckets.workingSetBytes(100, 70, 40, 1000, 1, 8));
        assertEquals(300 + 320, buckets.workingSetBytes(100, 70, 40, 1000, 1, 1));
        assertEquals(4 * 1000 / 8, buckets.stepBytes(1000, 1, 8));
    }
}
