package org.shardplan.cluster;

/**
 * What running a cluster takes: money, power, failures, storage. NaN = unknown, which is never 0.
 *
 * @param dollarsPerDeviceHour rent or cost of ownership of one device, its part of the node included
 * @param deviceWatts of one device at full load, its part of the node included
 * @param pue power usage effectiveness: what the building takes over what the nodes take, 1 = nothing more
 * @param deviceMtbfSeconds mean time of one device between failures that stop the job, whatever part failed
 * @param restartSeconds from a failure to the first new step: noticing, replacing, starting, loading
 * @param storageBytesPerSecond at which the whole job writes a checkpoint while training waits
 * @param source where the figures come from
 */
public record Economics(
        double dollarsPerDeviceHour,
        double deviceWatts,
        double pue,
        double deviceMtbfSeconds,
        double restartSeconds,
        double storageBytesPerSecond,
        String source) {
    public static final Economics UNKNOWN =
            new Economics(Double.NaN, Double.NaN, 1, Double.NaN, Double.NaN, Double.NaN, "");
}
