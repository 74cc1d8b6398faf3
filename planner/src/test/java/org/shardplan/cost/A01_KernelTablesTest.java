package org.shardplan.cost;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.shardplan.Checkout;
import org.shardplan.graph.DataType;

/** FEATURE UNDER TEST: the tables of measured kernels, and how well they tell shapes that were not measured. */
final class A01_KernelTablesTest {
    private static final long[] M = {1024, 2048, 4096, 8192};
    private static final long[] SIZES = {
        512, 768, 1024, 1536, 2048, 2560, 3072, 3584, 4096, 5120, 6144, 7168, 8192, 10240, 12288, 16384
    };
    private final KernelTables tables = KernelTables.load();

    @Test
    void allMeasuredDevicesAreThere() {
        for (String device :
                List.of("a100-sxm-80gb", "h100-sxm-80gb", "h200-sxm", "b200-sxm", "b300-sxm", "gb200", "gb300")) {
            assertTrue(tables.products(device, DataType.BF16).isPresent(), device);
            assertTrue(tables.curves(device).isPresent(), device);
        }
        assertTrue(tables.products("gb300", DataType.NVFP4).isPresent());
        assertTrue(tables.curves("v100-sxm-32gb").isPresent());
        assertTrue(tables.products("v100-sxm-32gb", DataType.BF16).isEmpty());
        assertTrue(tables.products("", DataType.BF16).isEmpty());
    }

    @Test
    void aMeasuredShapeIsToldAsMeasured() {
        ProductTable table = tables.products("a100-sxm-80gb", DataType.BF16).orElseThrow();
        assertEquals(312e12, table.peakFlops());
        assertEquals("8192x8192x8192 293.7", rate(table, 8192, 8192, 8192));
        assertEquals("2048x12288x4096 254.5", rate(table, 2048, 12288, 4096));
    }

    /** Each row of the file that the resource was made from. */
    @Test
    void theResourceIsTheFile() throws IOException {
        Path file = Checkout.root().resolve("../shared/hardware/gemm.csv");
        assumeTrue(Files.exists(file), "no ../shared/hardware");
        ProductTable table = tables.products("a100-sxm-80gb", DataType.BF16).orElseThrow();
        int rows = 0;
        for (String line : Files.readAllLines(file)) {
            String[] cell = line.split(",", -1);
            if (line.startsWith("a100-sxm-80gb,gemm,bfloat16") && line.contains("aiconfigurator")) {
                double flops = Double.parseDouble(cell[7]) * 1e12;
                long m = Long.parseLong(cell[3]);
                long n = Long.parseLong(cell[4]);
                long k = Long.parseLong(cell[5]);
                assertEquals(1, 2.0 * m * n * k / flops / table.seconds(m, n, k, 108, 1), 1e-3, line);
                rows++;
            }
        }
        assertEquals(1760, rows);
    }

    /** Each cell is told from its neighbours in n and in k, as if it alone were missing (mean of the two lines through it). */
    @ParameterizedTest
    @ValueSource(strings = {"a100-sxm-80gb", "h100-sxm-80gb", "h200-sxm", "b200-sxm", "gb200"})
    void shapesBetweenMeasuredOnesAreToldWell(String device) {
        ProductTable table = tables.products(device, DataType.BF16).orElseThrow();
        List<Double> errors = new ArrayList<>();
        for (int i = 1; i < SIZES.length - 1; i++) {
            ProductTable withoutN = grid(table, without(SIZES, i), SIZES);
            for (int j = 1; j < SIZES.length - 1; j++) {
                ProductTable withoutK = grid(table, SIZES, without(SIZES, j));
                for (long m : M) {
                    double alongN = withoutN.seconds(m, SIZES[i], SIZES[j], 108, 1);
                    double alongK = withoutK.seconds(m, SIZES[i], SIZES[j], 108, 1);
                    double measured = table.seconds(m, SIZES[i], SIZES[j], 108, 1);
                    errors.add(Math.abs(Math.sqrt(alongN * alongK) / measured - 1));
                }
            }
        }
        errors.sort(null);
        double median = errors.get(errors.size() / 2);
        double p90 = errors.get(errors.size() * 9 / 10);
        System.out.printf("%s: median error %.1f %%, 90th percentile %.1f %%%n", device, 100 * median, 100 * p90);
        assertTrue(median <= 0.05, () -> "median " + median);
        assertTrue(p90 <= 0.15, () -> "p90 " + p90);
    }

    /** A tile more, on no more multiprocessors than there are, costs nothing; one over a full wave costs a wave. */
    @Test
    void beyondTheGridTilesAreCounted() {
        assertEquals(Tiles.area(64, 64, 108), Tiles.area(32, 32, 108));
        double full = Tiles.area(256, 128 * 108, 108);
        assertTrue(Tiles.area(256, 128 * 108 + 1, 108) > full * 1.1);
        ProductTable table = tables.products("a100-sxm-80gb", DataType.BF16).orElseThrow();
        double at = table.seconds(8192, 4096, 4096, 108, 1);
        assertEquals(8, table.seconds(65536, 4096, 4096, 108, 1) / at, 0.5);
        assertEquals(4, table.seconds(8192, 4096, 262144, 108, 1) / table.seconds(8192, 4096, 65536, 108, 1), 1e-9);
        assertTrue(table.seconds(128, 128, 4096, 108, 1) <= table.seconds(1024, 128, 4096, 108, 1));
    }

    private static String rate(ProductTable table, long m, long n, long k) {
        return "%dx%dx%d %.1f".formatted(m, n, k, 2.0 * m * n * k / table.seconds(m, n, k, 108, 1) / 1e12);
    }

    private static long[] without(long[] values, int out) {
        long[] fewer = new long[values.length - 1];
        for (int i = 0; i < fewer.length; i++) {
            fewer[i] = values[i < out ? i : i + 1];
        }
        return fewer;
    }

    private static ProductTable grid(ProductTable table, long[] n, long[] k) {
        float[] logs = new float[M.length * n.length * k.length];
        int at = 0;
        for (long a : M) {
            for (long b : n) {
                for (long c : k) {
                    logs[at++] = (float) Math.log(2.0 * a * b * c / table.seconds(a, b, c, 108, 1));
                }
            }
        }
        return new ProductTable(table.peakFlops(), M, n, k, logs, "");
    }
}
