package org.shardplan.cost;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.shardplan.Checkout;
import org.shardplan.cluster.Device;
import org.shardplan.graph.DataType;
import org.shardplan.program.Kernel;
import org.shardplan.workload.Framework;

/** FEATURE UNDER TEST: the time of one kernel. */
final class A02_KernelModelTest {
    private final KernelModel model = new KernelModel(KernelTables.load(), CalibrationFile.load());
    private final Framework framework = Machines.framework("megatron-core");

    private double product(Device device, long m, long n, long k, DataType precision) {
        return model.seconds(new Kernel.MatrixProduct("product", 1, m, n, k, precision), device, framework);
    }

    private double attention(
            Device device, long heads, long seq, long headDim, boolean fused, boolean backward, boolean dropout) {
        Kernel kernel = new Kernel.AttentionCore(
                "attention", 1, heads, seq, (seq + 1) / 2.0, headDim, fused, backward, !fused, dropout, DataType.BF16);
        return model.seconds(kernel, device, framework);
    }

    /** GPT-3's layer on one of 8 A100: 2,048 tokens, hidden 12,288. The table itself gives 0.86 ms for the first. */
    @Test
    void productsOfGpt3() {
        assertEquals(0.97, 1e3 * product(Machines.A100, 2048, 4608, 12288, DataType.BF16), 0.10);
        assertEquals(0.38, 1e3 * product(Machines.A100, 2048, 12288, 1536, DataType.BF16), 0.06);
        assertEquals(1.38, 1e3 * product(Machines.A100, 2048, 6144, 12288, DataType.BF16), 0.15);
        assertEquals(0.36, 1e3 * product(Machines.H100, 2048, 4608, 12288, DataType.BF16), 0.05);
    }

    @Test
    void fp16TakesTheTableOfBf16() {
        assertEquals(
                product(Machines.A100, 2048, 4608, 12288, DataType.BF16),
                product(Machines.A100, 2048, 4608, 12288, DataType.FP16));
        assertTrue(model.isMeasured(Machines.A100_40));
        assertEquals(
                product(Machines.A100, 2048, 4608, 12288, DataType.BF16),
                product(Machines.A100_40, 2048, 4608, 12288, DataType.BF16));
    }

    @Test
    void anUnknownCostIsNotANumber() {
        assertTrue(Double.isNaN(product(Machines.V100, 2048, 4608, 12288, DataType.BF16)));
        assertTrue(Double.isNaN(product(Machines.A100, 2048, 4608, 12288, DataType.FP8)));
    }

    @Test
    void attentionOfADeviceWithoutSixteenBits() {
        Device plain = new Device(
                "plain", "", 80L << 30, 79L << 30, 3e12, Map.of(DataType.FP32, 60e12), 132, true, "", "test");
        assertTrue(attention(plain, 32, 2048, 128, true, false, false) > 0);
    }

    @Test
    void withoutATableTheRooflineCounts() {
        assertFalse(model.isMeasured(Machines.V100));
        assertTrue(model.source(Machines.V100).contains("roofline"));
        double flops = 2.0 * 8192 * 8192 * 8192 / product(Machines.V100, 8192, 8192, 8192, DataType.FP16);
        assertEquals(0.7 * 125e12, flops, 0.03 * 125e12);
        // k = 64: its operands and result must pass through memory
        double thin = product(Machines.V100, 8192, 8192, 64, DataType.FP16);
        assertTrue(thin > 2.0 * 8192 * 8192 / Machines.V100.hbmBytesPerSecond());
    }

    /** Calibration fact 9: a head dimension of 150 makes unfused attention several times slower. */
    @Test
    void oddSizesAreSlower() {
        double even = product(Machines.A100, 4096, 50304, 4096, DataType.BF16);
        assertEquals(2, product(Machines.A100, 4096, 50257, 4096, DataType.BF16) / even, 0.1);
        double at128 = attention(Machines.A100, 12, 2048, 128, false, false, true);
        double at150 = attention(Machines.A100, 12, 2048, 150, false, false, true);
        assertTrue(at150 / at128 > 3, () -> "ratio " + at150 / at128);
        assertTrue(product(Machines.A100, 2048, 1800, 14400, DataType.BF16)
                >= product(Machines.A100, 2048, 1792, 14400, DataType.BF16));
    }

    @Test
    void fusedAttentionBeatsScoresInMemory() {
        double fused = attention(Machines.A100, 12, 2048, 128, true, false, false);
        double unfused = attention(Machines.A100, 12, 2048, 128, false, false, true);
        assertTrue(fused * 2 < unfused, () -> fused + " " + unfused);
        double undropped = attention(Machines.A100, 12, 2048, 128, false, false, false);
        assertTrue(undropped < unfused);
        assertTrue(attention(Machines.A100, 12, 2048, 128, true, true, false) > 2 * fused);
    }

    /** At 4,096 tokens and 8 blocks a multiprocessor the rate is the published one; short or few sequences are slower. */
    @Test
    void attentionRates() {
        double flops = 4.0 * 27 * 4096 * (4097 / 2.0) * 128;
        assertEquals(135e12, flops / attention(Machines.A100, 27, 4096, 128, true, false, false), 1e12);
        double few = 4.0 * 2 * 4096 * (4097 / 2.0) * 128 / attention(Machines.A100, 2, 4096, 128, true, false, false);
        double brief =
                4.0 * 216 * 512 * (513 / 2.0) * 128 / attention(Machines.A100, 216, 512, 128, true, false, false);
        assertTrue(few < 80e12 && brief < 80e12, () -> few + " " + brief);
    }

    @Test
    void memoryBoundKernelsMoveBytes() {
        Kernel copy = new Kernel.MemoryBound("copy", 1_000_000_000, 1);
        assertEquals(1 / (0.80 * 2.039e3), model.seconds(copy, Machines.A100, framework), 5e-6);
        Kernel tiny = new Kernel.MemoryBound("tiny", 100, 3);
        assertEquals(15e-6, model.seconds(tiny, Machines.A100, framework), 1e-12);
    }

    /** SimuMax measured other shapes on a PCIe card (250 W, so about 0.8 of the table at full rate). */
    @Test
    void anotherTeamsMeasurementsAgree() throws IOException {
        Path file = Checkout.root().resolve("../shared/hardware/gemm.csv");
        assumeTrue(Files.exists(file), "no ../shared/hardware");
        List<Double> errors = new ArrayList<>();
        for (String line : Files.readAllLines(file)) {
            if (line.startsWith("a100-pcie-80gb,matmul")) {
                String[] cell = line.split(",", -1);
                long m = Long.parseLong(cell[3]);
                long n = Long.parseLong(cell[4]);
                long k = Long.parseLong(cell[5]);
                double measured = 2.0 * m * n * k / Double.parseDouble(cell[7]) / 1e12;
                errors.add(Math.abs(product(Machines.A100, m, n, k, DataType.BF16) / measured - 1));
            }
        }
        errors.sort(null);
        System.out.printf(
                "SimuMax A100 PCIe, %d shapes: median error %.1f %%, 90th percentile %.1f %%%n",
                errors.size(), 100 * errors.get(errors.size() / 2), 100 * errors.get(errors.size() * 9 / 10));
        assertTrue(errors.get(errors.size() / 2) < 0.06);
        assertTrue(errors.get(errors.size() * 9 / 10) < 0.15);
    }

    @Test
    void theFrameworkIsPartOfThePrice() {
        Framework slow = new Framework(
                "slow",
                "test",
                new Framework.Kernels(true, true, true, true, true, 1.3),
                framework.overlap(),
                framework.memory(),
                new Framework.Host(2e-3, 0, 0, 0, 0),
                framework.limits(),
                List.of());
        Kernel copy = new Kernel.MemoryBound("copy", 10_000_000_000L, 1);
        double ratio = model.seconds(copy, Machines.A100, slow) / model.seconds(copy, Machines.A100, framework);
        assertEquals(1.3, ratio, 0.01);
        Kernel small = new Kernel.MatrixProduct("small", 1, 512, 512, 512, DataType.BF16);
        assertEquals(2e-3, model.seconds(small, Machines.A100, slow));
        assertNotEquals(2e-3, model.seconds(small, Machines.A100, framework));
    }

    /** Never faster than the peak; twice the rows take no less time, but for the noise of measured shapes. */
    @Property(tries = 2000)
    void productsKeepThePeak(
            @ForAll @LongRange(min = 1, max = 70000) long m,
            @ForAll @LongRange(min = 1, max = 110000) long n,
            @ForAll @LongRange(min = 1, max = 70000) long k) {
        for (Device device : List.of(Machines.A100, Machines.H100, Machines.V100)) {
            double seconds = product(device, m, n, k, DataType.FP16);
            assertTrue(seconds >= 2.0 * m * n * k / device.peakFlops(DataType.FP16), () -> device.name());
            // the tables' noise: from 380 to 760 rows of 440 x 1992 an A100 takes 0.36 times as long
            assertTrue(product(device, 2 * m, n, k, DataType.FP16) >= 0.3 * seconds, () -> device.name());
        }
    }

    @Test
    void pricingAllocatesNothing() {
        Kernel[] kernels = {
            new Kernel.MatrixProduct("product", 1, 2048, 4608, 12288, DataType.BF16),
            new Kernel.AttentionCore("core", 1, 12, 2048, 1024, 128, false, true, true, true, DataType.BF16),
            new Kernel.MemoryBound("copy", 1 << 20, 1)
        };
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        double sum = 0;
        long least = Long.MAX_VALUE;
        for (int round = 0; round < 5; round++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 30_000; i++) {
                sum += model.seconds(kernels[i % 3], Machines.A100, framework);
            }
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertTrue(sum > 0);
        // reading the counter may allocate a little by itself
        assertTrue(least < 1024, "allocated " + least);
    }
}
