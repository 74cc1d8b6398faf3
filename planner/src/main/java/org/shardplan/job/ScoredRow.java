package org.shardplan.job;

import org.shardplan.report.ValidationRow;

/**
 * A run whose step was measured and predicted.
 *
 * @param formulaSeconds of its step by {@link FormulaBaseline} at the device's peak
 */
record ScoredRow(FitPoint point, RowCase.Ready ready, ValidationRow result, double formulaSeconds) {

    String source() {
        return point.source();
    }

    /** Whether it judges alone: nothing is fitted on runs of split sequences, so that their errors tell how well those of others carry over. */
    boolean judges() {
        return ready.plan().cp() > 1;
    }

    /** Predicted over measured less one, in per cent, under a residual factor. */
    double errorPercent(double factor) {
        return 100 * (factor / Math.exp(point.logRatio()) - 1);
    }
}
