package org.shardplan.report;

import java.util.List;

/**
 * How often the 90 % intervals hold, each source judged by intervals that the other sources give.
 *
 * @param insideShare of runs in their intervals, mean over sources of three rows or more
 * @param leastShare in any source of {@link #MANY_ROWS} rows or more
 * @param halfWidthPercent median over sources of their median half-width
 */
public record Coverage(double insideShare, double leastShare, double halfWidthPercent) {
    static final int MANY_ROWS = 10;

    static Coverage of(List<SourceScore> sources) {
        List<SourceScore> counted =
                sources.stream().filter(source -> source.leftOut().counts()).toList();
        return new Coverage(
                counted.stream().mapToDouble(SourceScore::insideShare).average().orElse(Double.NaN),
                counted.stream()
                        .filter(source -> source.leftOut().rows() >= MANY_ROWS)
                        .mapToDouble(SourceScore::insideShare)
                        .min()
                        .orElse(Double.NaN),
                Errors.quantile(
                        counted.stream()
                                .mapToDouble(SourceScore::halfWidthPercent)
                                .sorted()
                                .toArray(),
                        0.5));
    }
}
