package org.shardplan.job;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.shardplan.cost.Calibration;
import org.shardplan.cost.Calibration.Residual;

/**
 * Half-widths of 90 % intervals, from errors of runs that a factor was not fitted on: each source of a generation by factors that
 * were fitted without it, each generation of a device by factors that were fitted without that generation. Of a family no more is
 * known than of anything. At most {@link #WIDEST}.
 */
final class FitIntervals {
    private static final double SHARE = 0.90;

    /** An interval stays above 0 seconds. */
    private static final double WIDEST = 0.9;

    private FitIntervals() {}

    /** The residual of a key with its half-width. */
    static Residual with(String key, Residual residual, List<FitPoint> points, Calibration factors) {
        double anywhere = factors.residuals().getOrDefault("*/*", Fit.UNKNOWN).halfWidth();
        List<FitPoint> misses = new ArrayList<>();
        for (FitPoint point : points) {
            if (key.equals(Fit.generation(point))) {
                misses.add(miss(point, other -> other.source().equals(point.source()), points, factors));
            } else if (key.equals(Fit.device(point))
                    && Fit.passesOn(factors.residuals().get(Fit.generation(point)))) {
                misses.add(miss(point, other -> other.framework().equals(point.framework()), points, factors));
            }
        }
        double halfWidth = misses.isEmpty() ? anywhere : Fit.quantile(misses, FitPoint::logRatio, SHARE);
        double rounded = Math.min(WIDEST, Math.ceil(halfWidth * 1e3) / 1e3);
        return new Residual(residual.factor(), residual.rows(), residual.shapes(), rounded, residual.source());
    }

    /** The point with |measured over predicted - 1| in place of its ratio, as factors fitted without some points predict it. */
    private static FitPoint miss(
            FitPoint point, Predicate<FitPoint> leftOut, List<FitPoint> points, Calibration factors) {
        List<FitPoint> others = points.stream().filter(leftOut.negate()).toList();
        double factor = Fit.factors(others, factors).residual(point.framework(), point.device());
        double miss = Math.abs(Math.exp(point.logRatio()) / factor - 1);
        return new FitPoint(point.id(), point.source(), point.framework(), point.device(), point.shape(), miss);
    }
}
