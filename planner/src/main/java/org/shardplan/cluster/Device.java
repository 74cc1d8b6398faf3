package org.shardplan.cluster;

import java.util.EnumMap;
import java.util.Map;
import org.shardplan.graph.DataType;

/**
 * One accelerator.
 *
 * @param name canonical, for example {@code a100-sxm-80gb}
 * @param family generation: devices of a family stand in for each other where one has no measurements ({@code ampere})
 * @param memoryBytes printed capacity
 * @param usableBytes what the driver leaves to a process
 * @param hbmBytesPerSecond peak memory bandwidth
 * @param peakFlops dense peak by precision, FLOP/s; a precision that is absent is not supported
 * @param multiprocessors SMs or cores that share a product's tiles
 * @param flashAttention whether fused attention kernels exist for it
 * @param kernelTable the device whose measured kernels price it, empty = roofline
 * @param source where the figures come from
 */
public record Device(
        String name,
        String family,
        long memoryBytes,
        long usableBytes,
        double hbmBytesPerSecond,
        Map<DataType, Double> peakFlops,
        int multiprocessors,
        boolean flashAttention,
        String kernelTable,
        String source) {

    public Device {
        peakFlops = Map.copyOf(peakFlops.isEmpty() ? new EnumMap<>(DataType.class) : peakFlops);
    }

    public boolean supports(DataType precision) {
        return peakFlops.containsKey(precision);
    }

    /** Dense peak in FLOP/s, NaN where the device has no such arithmetic. */
    public double peakFlops(DataType precision) {
        return peakFlops.getOrDefault(precision, Double.NaN);
    }
}
