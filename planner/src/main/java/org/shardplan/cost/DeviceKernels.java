package org.shardplan.cost;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.shardplan.cluster.Device;
import org.shardplan.graph.DataType;
import org.shardplan.program.Kernel;
import org.shardplan.workload.Framework;

/** The kernel model of one device under one framework, all constants looked up. Immutable; allocates nothing. */
public final class DeviceKernels {
    private final Device device;
    private final Framework framework;
    private final @Nullable ProductTable[] tableOf;
    private final double[] scaleOf;
    private final double[] sustainedOf;
    private final double[] peakOf;
    private final int multiprocessors;
    private final double rooflineEfficiency;
    private final double memoryBytesPerSecond;
    private final double kernelSeconds;
    private final double misaligned;
    private final double odd;
    /** Seconds that each product of a group adds to one product of as many rows. */
    private final double groupSeconds;

    private final double launchSeconds;
    private final AttentionKernels attention;

    DeviceKernels(Device device, Framework framework, KernelTables tables, Calibration calibration) {
        this.device = device;
        this.framework = framework;
        this.multiprocessors = Math.max(1, device.multiprocessors());
        this.rooflineEfficiency = calibration.constant("roofline/efficiency");
        this.memoryBytesPerSecond = device.hbmBytesPerSecond() * calibration.constant("memory", device, "share");
        this.kernelSeconds = calibration.constant("kernel/seconds");
        this.misaligned = calibration.constant("product/misaligned");
        this.odd = calibration.constant("product/odd");
        double each = calibration.constant("product", device, "group-seconds");
        this.groupSeconds = Double.isNaN(each) ? 0 : each;
        this.launchSeconds = framework.host().launchSeconds();
        DataType[] precisions = DataType.values();
        this.tableOf = new ProductTable[precisions.length];
        this.scaleOf = new double[precisions.length];
        this.sustainedOf = new double[precisions.length];
        this.peakOf = new double[precisions.length];
        for (DataType precision : precisions) {
            int i = precision.ordinal();
            peakOf[i] = device.peakFlops(precision);
            Optional<ProductTable> own = tables.products(device.kernelTable(), measuredAs(precision));
            Optional<ProductTable> table = own.isPresent() ? own : tables.products(device.kernelTable(), DataType.BF16);
            DataType as = own.isPresent() ? measuredAs(precision) : DataType.BF16;
            if (table.isPresent()) {
                tableOf[i] = table.get();
                scaleOf[i] = peakOf[i] / table.get().peakFlops();
                sustainedOf[i] = calibration.constant("sustained", device, as.text());
            }
        }
        this.attention = new AttentionKernels(this, device, framework, calibration);
    }

    boolean isFor(Device other, Framework otherFramework) {
        // the same objects come back on the hot path; equal records are rarely met and slow to compare
        return (device == other || device.equals(other))
                && (framework == otherFramework || framework.equals(otherFramework));
    }

    /** The precision whose table stands for it. */
    private static DataType measuredAs(DataType precision) {
        return switch (precision) {
            case FP32, TF32, BF16, FP16 -> DataType.BF16;
            case FP8, MXFP8, INT8 -> DataType.FP8;
            case NVFP4 -> DataType.NVFP4;
        };
    }

    /** Seconds from the kernel's start to the next one's; NaN where the device lacks the precision. */
    public double seconds(Kernel kernel) {
        return switch (kernel) {
            case Kernel.MatrixProduct p ->
                Math.max(
                                product(p.batch(), p.m(), p.n(), p.k(), p.precision())
                                        + (p.batch() > 1 ? p.batch() * groupSeconds : 0),
                                launchSeconds)
                        + (p.castBytes() == 0
                                ? 0
                                : memory(p.castBytes() * framework.kernels().memoryTraffic(), 1));
            case Kernel.AttentionCore a -> attention.seconds(a);
            case Kernel.ScanCore s ->
                Math.max(
                        s.matmulFlops() / attention.scanFlops(s.backward()),
                        memory(s.bytes() * framework.kernels().memoryTraffic(), s.backward() ? 3 : 1));
            case Kernel.MemoryBound b -> memory(b.bytes() * framework.kernels().memoryTraffic(), b.launches());
        };
    }

    /** Kernels that move {@code bytes} through memory in {@code launches} passes. */
    double memory(double bytes, int launches) {
        return Math.max(bytes / memoryBytesPerSecond + launches * kernelSeconds, launches * launchSeconds);
    }

    /** {@code batch} products in one launch, without the host's floor. */
    double product(long batch, long m, long n, long k, DataType precision) {
        int i = precision.ordinal();
        boolean aligned = ((m | n | k) & 7) == 0;
        // libraries pad to whole tiles of 64; below that to 8
        long rows = batch * padded(m);
        long columns = padded(n);
        long depth = padded(k);
        double bytes = (double) batch * precision.bytes * (m * k + k * n) + 2.0 * batch * m * n;
        double moved = bytes / memoryBytesPerSecond;
        ProductTable table = tableOf[i];
        double seconds;
        if (table != null) {
            seconds = table.seconds(rows, columns, depth, multiprocessors, sustainedOf[i]) / scaleOf[i];
            // a batch reads a second operand for each of its products, which one large product doesn't
            seconds = batch > 1 ? Math.max(seconds, moved) : seconds;
        } else {
            double flops = peakOf[i] * rooflineEfficiency / multiprocessors;
            seconds = Math.max(2.0 * depth * Tiles.area(rows, columns, multiprocessors) / flops, moved) + kernelSeconds;
        }
        // a head's own product is narrow by nature; that is in the table
        boolean whole = batch > 1 || (((m | n | k) & 63) == 0);
        return aligned ? (whole ? seconds : seconds * odd) : seconds * misaligned;
    }

    private static long padded(long size) {
        return size >= 64 ? (size + 63) & ~63L : (size + 7) & ~7L;
    }

    /** No product of this precision runs faster, FLOP/s. */
    public double highestFlops(DataType precision) {
        int i = precision.ordinal();
        ProductTable table = tableOf[i];
        return table == null ? peakOf[i] : Math.min(peakOf[i], table.highestFlops(sustainedOf[i]) * scaleOf[i]);
    }

    double launchSeconds() {
        return launchSeconds;
    }

    int multiprocessors() {
        return multiprocessors;
    }
}
