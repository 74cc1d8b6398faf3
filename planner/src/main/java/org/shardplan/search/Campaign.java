package org.shardplan.search;

import org.shardplan.cluster.Economics;

/**
 * A whole training run on a cluster: turns a plan's step into days, failures, dollars and kWh.
 *
 * @param tokens to train on
 * @param tokensPerStep of one optimizer step
 * @param clusterDevices of the cluster
 * @param nodeDevices of one node
 * @param byNode nodes that a plan leaves idle are not paid for (where cost is searched); else the whole cluster is
 * @param economics of the cluster
 * @param checkpointBytes parameters and optimizer states, once
 */
public record Campaign(
        long tokens,
        long tokensPerStep,
        int clusterDevices,
        int nodeDevices,
        boolean byNode,
        Economics economics,
        double checkpointBytes) {
    private static final double DAY = 86_400;
    private static final double JOULES = 3.6e6;

    /** Steps to the last token. */
    public long steps() {
        return Math.ceilDiv(tokens, tokensPerStep);
    }

    /** Devices that are paid for: idle ones too. */
    public int charged(int devices) {
        return byNode ? Math.min(clusterDevices, Math.ceilDiv(devices, nodeDevices) * nodeDevices) : clusterDevices;
    }

    /** What failures leave when so many devices are at work. */
    public Goodput goodput(int devices) {
        return Goodput.of(
                economics.deviceMtbfSeconds() / devices,
                checkpointBytes / economics.storageBytesPerSecond(),
                economics.restartSeconds());
    }

    /** The longest step with which the run ends within so many days, failures counted where they are known. */
    public double stepSecondsWithin(double days, int devices) {
        return days * DAY * counted(goodput(devices).share()) / steps();
    }

    /** Days of a step, failures counted where they are known. */
    public double days(double stepSeconds, int devices) {
        return stepSeconds * steps() / DAY / counted(goodput(devices).share());
    }

    /** Dollars of all tokens; NaN without a price. */
    public double dollars(double stepSeconds, int devices) {
        return charged(devices) * economics.dollarsPerDeviceHour() * days(stepSeconds, devices) * 24;
    }

    private static double counted(double share) {
        return Double.isNaN(share) ? 1 : share;
    }

    /** All of it, for reports. @param lowSeconds and highSeconds the interval of the step */
    public TrainingRun run(double stepSeconds, double lowSeconds, double highSeconds, int devices) {
        Goodput goodput = goodput(devices);
        double days = steps() * stepSeconds / DAY;
        double expected = days / goodput.share();
        double paid = days(stepSeconds, devices);
        int charged = charged(devices);
        return new TrainingRun(
                tokens,
                steps(),
                days,
                steps() * lowSeconds / DAY,
                steps() * highSeconds / DAY,
                expected,
                goodput,
                expected * DAY / goodput.mtbfSeconds(),
                checkpointBytes,
                charged,
                dollars(stepSeconds, devices),
                charged * economics.deviceWatts() * economics.pue() * paid * DAY / JOULES);
    }
}
