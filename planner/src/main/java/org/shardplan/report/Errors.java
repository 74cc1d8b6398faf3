package org.shardplan.report;

import java.util.Arrays;

/**
 * Errors of many predictions: signed, predicted over measured less one, in per cent. NaN where there are none.
 *
 * @param rows how many
 * @param medianPercent median |error|
 * @param p90Percent 90th percentile of |error|
 * @param meanPercent signed mean
 * @param worstPercent largest |error|
 */
public record Errors(int rows, double medianPercent, double p90Percent, double meanPercent, double worstPercent) {
    /** A source counts in means from so many scored rows on. */
    public static final int LEAST_ROWS = 3;

    public static final Errors NONE = of(new double[0]);

    /** Of known and unknown (NaN) errors in any order; the unknown ones do not count. */
    public static Errors of(double[] percents) {
        double[] known = Arrays.stream(percents).filter(x -> !Double.isNaN(x)).toArray();
        double[] sizes = Arrays.stream(known).map(Math::abs).sorted().toArray();
        return new Errors(
                known.length,
                quantile(sizes, 0.5),
                quantile(sizes, 0.9),
                Arrays.stream(known).average().orElse(Double.NaN),
                quantile(sizes, 1));
    }

    /** Whether there are enough rows to count in means. */
    public boolean counts() {
        return rows >= LEAST_ROWS;
    }

    /** Of ascending values, linear between neighbours; NaN of none. */
    public static double quantile(double[] sorted, double share) {
        if (sorted.length == 0) {
            return Double.NaN;
        }
        double place = share * (sorted.length - 1);
        int below = (int) Math.floor(place);
        int above = Math.min(sorted.length - 1, below + 1);
        return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
    }
}
