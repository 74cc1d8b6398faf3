package org.shardplan.job;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.shardplan.cost.Calibration;
import org.shardplan.cost.Calibration.Residual;

/**
 * Half-widths of 90 % intervals, from errors on sources that the factors were not fitted on: every source is predicted by factors
 * fitted without it, and the 90th percentile of |measured over predicted - 1|, sources weighing the same, is the half-width. The
 * errors of a generation on a device are few, so they are mixed with those of the device, these with those of its family, and
 * these with those of all: a parent counts as much as {@link #PARENT} sources. At most {@link #WIDEST}.
 */
final class FitIntervals {
    private static final double SHARE = 0.90;

    /** Sources that a parent's half-width stands for. */
    private static final double PARENT = 2;

    /** An interval stays above 0 seconds. */
    private static final double WIDEST = 0.9;

    private FitIntervals() {}

    /** The residuals of a calibration with half-widths in place. */
    static TreeMap<String, Residual> with(Calibration factors, List<FitPoint> points) {
        List<FitPoint> misses = misses(points, factors);
        TreeMap<String, Double> widths = new TreeMap<>();
        if (!misses.isEmpty()) {
            double anywhere = Fit.quantile(misses, FitPoint::logRatio, SHARE);
            widths.put(Fit.ANYWHERE, anywhere);
            for (FitPoint point : points) {
                double family = width(Fit.family(point), misses, anywhere, widths);
                double device = width(Fit.device(point), misses, family, widths);
                width(Fit.generation(point), misses, device, widths);
            }
        }
        TreeMap<String, Residual> residuals = new TreeMap<>();
        factors.residuals().forEach((key, residual) -> {
            double width = widths.getOrDefault(key, residual.halfWidth());
            double rounded = Math.min(WIDEST, Math.ceil(width * 1e3) / 1e3);
            residuals.put(
                    key,
                    new Residual(residual.factor(), residual.rows(), residual.shapes(), rounded, residual.source()));
        });
        return residuals;
    }

    private static double width(String key, List<FitPoint> misses, double parent, TreeMap<String, Double> known) {
        Double before = known.get(key);
        if (before != null) {
            return before;
        }
        List<FitPoint> own = misses.stream()
                .filter(point -> key.equals(Fit.generation(point))
                        || key.equals(Fit.device(point))
                        || key.equals(Fit.family(point)))
                .toList();
        long sources = own.stream().map(FitPoint::source).distinct().count();
        double width = (sources * Fit.quantile(own, FitPoint::logRatio, SHARE) + PARENT * parent) / (sources + PARENT);
        known.put(key, width);
        return width;
    }

    /** All points with |measured over predicted - 1| in place of their ratios, each source by factors fitted without it. */
    private static List<FitPoint> misses(List<FitPoint> points, Calibration base) {
        Set<String> sources = new TreeSet<>();
        points.forEach(point -> sources.add(point.source()));
        List<FitPoint> misses = new ArrayList<>();
        for (String source : sources) {
            List<FitPoint> others = points.stream()
                    .filter(point -> !point.source().equals(source))
                    .toList();
            Calibration factors = Fit.factors(others, base);
            for (FitPoint point : points) {
                if (point.source().equals(source)) {
                    double factor = factors.residual(point.framework(), point.device());
                    misses.add(point.with(Math.abs(Math.exp(point.logRatio()) / factor - 1)));
                }
            }
        }
        return misses;
    }
}
