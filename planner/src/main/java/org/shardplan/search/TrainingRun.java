package org.shardplan.search;

/**
 * What it takes to train on all tokens with one plan. NaN = unknown.
 *
 * @param steps of the optimizer
 * @param days without failures
 * @param lowDays lower end of the step's 90 % interval
 * @param highDays upper end
 * @param expectedDays with failures
 * @param goodput what failures leave
 * @param failures expected
 * @param checkpointBytes of one checkpoint
 * @param devicesCharged idle ones included
 * @param dollars of the devices charged over the expected days; over the days without failures where those are unknown
 * @param kilowattHours likewise, all devices charged at full load
 */
public record TrainingRun(
        long tokens,
        long steps,
        double days,
        double lowDays,
        double highDays,
        double expectedDays,
        Goodput goodput,
        double failures,
        double checkpointBytes,
        int devicesCharged,
        double dollars,
        double kilowattHours) {}
