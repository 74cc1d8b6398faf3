package org.shardplan.report;

/**
 * How well the effect of one choice is told: over pairs of measured runs of one job that differ in it alone and by more than
 * 3 per cent in time.
 *
 * @param effect the column in which they differ
 * @param pairs of runs
 * @param rightSign of these, said to be faster in the run that was
 * @param medianOffPercent median of |predicted effect - measured effect| over the measured one, effects as logarithms of ratios
 */
public record PairScore(String effect, int pairs, int rightSign, double medianOffPercent) {
    /** Effects with fewer pairs are shown and not judged. */
    public static final int JUDGED = 10;

    public double rightShare() {
        return (double) rightSign / pairs;
    }
}
