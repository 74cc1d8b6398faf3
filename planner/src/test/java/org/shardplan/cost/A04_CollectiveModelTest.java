package org.shardplan.cost;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.shardplan.cluster.Cluster;
import org.shardplan.cluster.LinkLevel;
import org.shardplan.cluster.Torus;
import org.shardplan.program.GroupPattern;
import org.shardplan.program.Task.CollectiveKind;

/** FEATURE UNDER TEST: the time of one collective. */
final class A04_CollectiveModelTest {
    private static final Cluster A100 = Machines.dgxA100(1024, 8);
    private final CollectiveModel model = new CollectiveModel(KernelTables.load());

    private double seconds(CollectiveKind kind, long bytes, int size, int stride, Cluster cluster) {
        return model.seconds(kind, bytes, new GroupPattern(size, stride), cluster);
    }

    /** nccl-tests' bus bandwidth of an all-reduce, GB/s. */
    private double busGigabytes(long bytes, int size, Cluster cluster) {
        double share = 2.0 * (size - 1) / size;
        return share * bytes / seconds(CollectiveKind.ALL_REDUCE, bytes, size, 1, cluster) / 1e9;
    }

    @Test
    void insideANodeItIsWhatWasMeasured() {
        assertTrue(model.isMeasured(A100));
        assertEquals(222, busGigabytes(512L << 20, 8, A100), 2);
        assertEquals(197, busGigabytes(64L << 20, 8, A100), 2);
        assertEquals(26.8e-6, seconds(CollectiveKind.ALL_GATHER, 1 << 20, 8, 1, A100), 1e-6);
        assertEquals(22.6e-6, seconds(CollectiveKind.ALL_REDUCE, 1024, 8, 1, A100), 2e-6);
    }

    @Test
    void aGroupOfOneTakesNoTime() {
        for (CollectiveKind kind :
                List.of(CollectiveKind.ALL_REDUCE, CollectiveKind.ALL_GATHER, CollectiveKind.ALL_TO_ALL)) {
            assertEquals(0, seconds(kind, 1 << 30, 1, 8, A100));
        }
    }

    /** llm-analysis #27: placement decides the link. The same group across nodes is an order of magnitude slower. */
    @Test
    void placementDecidesTheLink() {
        for (CollectiveKind kind :
                List.of(CollectiveKind.ALL_REDUCE, CollectiveKind.ALL_GATHER, CollectiveKind.REDUCE_SCATTER)) {
            double tensorInNode = seconds(kind, 256L << 20, 8, 1, A100);
            double dataAcrossNodes = seconds(kind, 256L << 20, 8, 8, A100);
            double halfAndHalf = seconds(kind, 256L << 20, 8, 4, A100);
            assertTrue(dataAcrossNodes > 6 * tensorInNode, () -> kind + " " + dataAcrossNodes / tensorInNode);
            assertTrue(halfAndHalf < dataAcrossNodes && halfAndHalf > tensorInNode, kind.name());
        }
        assertTrue(model.sendSeconds(64 << 20, 1, A100) * 5 < model.sendSeconds(64 << 20, 8, A100));
        assertTrue(model.sendSeconds(64 << 20, 6, 8, A100) > model.sendSeconds(64 << 20, 4, 6, A100));
    }

    /** Two A100 nodes with four 200 Gb/s cards: 86 GB/s, three: 96 (nccl-tests, stas00/ml-engineering). */
    @Test
    void acrossNodesTheCardsDecide() {
        Cluster fourCards = Machines.dgxA100(64, 4);
        assertEquals(90, busGigabytes(4L << 30, 16, fourCards), 6);
        assertEquals(90, busGigabytes(127L << 20, 24, fourCards), 8);
    }

    /** A GB200 rack, measured on 4 GPUs, told for 72: 586, 681, 758, 839 and 835 GB/s (coreweave/nccl-tests). */
    @Test
    void aRackOf72IsToldFromFour() {
        Cluster rack = Machines.nvl72(72);
        double[] measured = {586, 681, 758, 839, 835};
        for (int i = 0; i < measured.length; i++) {
            assertEquals(1, busGigabytes(512L << 20 << i, 72, rack) / measured[i], 0.12, "MB: " + (512 << i));
        }
    }

    @Test
    void aLineIsHalfAsFastAsARing() {
        Torus closed = new Torus(List.of(16, 16), 45e9, 1e-6, 16);
        double ring = TorusCost.seconds(CollectiveKind.ALL_GATHER, 1L << 30, 16, 1, closed, 1);
        Torus open = new Torus(List.of(8, 16), 45e9, 1e-6, 16);
        double line = TorusCost.seconds(CollectiveKind.ALL_GATHER, 1L << 30, 8, 1, open, 1);
        assertEquals(15.0 / 16 * (1L << 30) / (2 * 45e9), ring, 0.01 * ring, "two links of a chip");
        assertEquals(7.0 / 8 * (1L << 30) / 45e9, line, 0.01 * line, "one");
    }

    @Test
    void aGroupIsLaidOnWholeDimensions() {
        Torus torus = new Torus(List.of(12, 16, 16), 45e9, 1e-6, 4);
        double sixteen = TorusCost.seconds(CollectiveKind.ALL_GATHER, 1L << 30, 16, 1, torus, 1);
        assertEquals(15.0 / 16 * (1L << 30) / (2 * 45e9), sixteen, 0.01 * sixteen, "a ring of the second dimension");
    }

    @Test
    void aTorusUsesEachDimensionThatAGroupSpans() {
        Cluster tpu = Machines.tpuV4();
        assertFalse(model.isMeasured(tpu));
        double line = seconds(CollectiveKind.ALL_GATHER, 1 << 30, 16, 1, tpu);
        double plane = seconds(CollectiveKind.ALL_GATHER, 1 << 30, 256, 1, tpu);
        double otherLine = seconds(CollectiveKind.ALL_GATHER, 1 << 30, 16, 256, tpu);
        assertEquals(line, otherLine, 1e-9);
        assertEquals(0.5, plane / line, 0.05);
        assertEquals(15.0 / 16 * (1 << 30) / (2 * 45e9 * 0.85), line, 0.02 * line);
    }

    @Test
    void aTreeSavesLatencyAmongMany() {
        double small = seconds(CollectiveKind.ALL_REDUCE, 8, 128, 8, A100);
        assertTrue(small < 100e-6, () -> "seconds " + small);
        assertTrue(seconds(CollectiveKind.ALL_GATHER, 8, 128, 8, A100) > 500e-6);
    }

    @Test
    void anAllToAllKeepsANodesShareInside() {
        double inside = seconds(CollectiveKind.ALL_TO_ALL, 256L << 20, 8, 1, A100);
        double two = seconds(CollectiveKind.ALL_TO_ALL, 256L << 20, 16, 1, A100);
        double apart = seconds(CollectiveKind.ALL_TO_ALL, 256L << 20, 16, 8, A100);
        assertTrue(inside < two && two < apart, () -> inside + " " + two + " " + apart);
        assertEquals(256 * 1048576 * 0.5 / 22.5e9, two, 0.01 * two);
    }

    /** SimAI #105: what crosses a link never exceeds its nominal rate. More bytes never take less time. */
    @Property(tries = 3000)
    void linksAreNeverOutrunAndTimeGrowsWithBytes(
            @ForAll CollectiveKind kind,
            @ForAll @LongRange(min = 1, max = 1L << 36) long bytes,
            @ForAll @LongRange(min = 1, max = 1L << 30) long more,
            @ForAll @IntRange(min = 1, max = 144) int size,
            @ForAll @IntRange(min = 0, max = 6) int strideBits) {
        for (Cluster cluster : List.of(A100, Machines.dgxA100(1024, 4), Machines.nvl72(1440), Machines.tpuV4())) {
            int stride = 1 << strideBits;
            if (size * stride > cluster.devices()) {
                continue;
            }
            double seconds = seconds(kind, bytes, size, stride, cluster);
            String what = kind + " " + bytes + " " + size + "/" + stride + " " + cluster.name();
            assertTrue(seconds >= 0 && seconds < Double.POSITIVE_INFINITY, what);
            assertTrue(seconds(kind, bytes + more, size, stride, cluster) >= seconds, what);
            LinkLevel innermost = cluster.levels().getFirst();
            if (size > 1 && kind != CollectiveKind.SEND) {
                boolean inSwitch = innermost.inSwitchReduction();
                double fastest = cluster.torus().isPresent() ? 6 * 45e9 : innermost.deviceBytesPerSecond();
                double wire = CollectiveModel.wireShare(kind, Math.min(size, 2), inSwitch) * bytes;
                assertTrue(wire / seconds <= fastest, what);
            }
            if (size > 1 && stride >= innermost.degree()) {
                LinkLevel outer = cluster.levels().getLast();
                double wire = CollectiveModel.wireShare(kind, size, false) * bytes;
                assertTrue(wire / seconds <= outer.deviceBytesPerSecond(), what);
            }
        }
    }
}
