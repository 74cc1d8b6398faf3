package org.shardplan.report;

import java.util.List;

/**
 * What sources have in common, each of three scored rows or more with the same weight.
 *
 * @param sources that count
 * @param medianPercent mean over sources of the median |error|
 * @param p90Percent median over sources of the 90th percentile of |error|
 * @param meanPercent mean over sources of the signed mean
 */
public record Means(int sources, double medianPercent, double p90Percent, double meanPercent) {

    static Means of(List<Errors> sources) {
        List<Errors> counted = sources.stream().filter(Errors::counts).toList();
        return new Means(
                counted.size(),
                counted.stream().mapToDouble(Errors::medianPercent).average().orElse(Double.NaN),
                Errors.quantile(
                        counted.stream()
                                .mapToDouble(Errors::p90Percent)
                                .sorted()
                                .toArray(),
                        0.5),
                counted.stream().mapToDouble(Errors::meanPercent).average().orElse(Double.NaN));
    }
}
