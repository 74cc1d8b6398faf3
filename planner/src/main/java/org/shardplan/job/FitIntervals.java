package org.shardplan.job;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.shardplan.cost.Calibration;
import org.shardplan.cost.Calibration.Constant;
import org.shardplan.cost.Calibration.Residual;

/**
 * Half-widths of 90 % intervals, from errors on sources that the factors were not fitted on: every source is predicted by factors
 * fitted without it, and a quantile of |measured over predicted - 1|, sources weighing the same, is the half-width. Plans
 * that mostly wait for communication have one of their own. Of the others, the errors of a generation on a device are few, so they
 * are mixed with those of the device, these with those of its family, and these with those of all: a parent counts as much as
 * {@link #PARENT} sources. At most {@link Calibration#WIDEST}.
 */
final class FitIntervals {
    /** A run of one more source lies beyond the 90th percentile of a dozen sources more often than one in ten does. */
    private static final double SHARE = 0.92;

    /** Sources that a parent's half-width stands for. */
    private static final double PARENT = 4;

    /** Of no more sources than these, the one that is worst predicted tells how far off the next one may be. */
    private static final int FEW_SOURCES = 5;

    /** What an interval holds. */
    private static final double INSIDE = 0.9;

    private FitIntervals() {}

    /** A calibration with half-widths in place. */
    static Calibration with(Calibration factors, List<FitPoint> points) {
        Map<String, List<FitPoint>> misses = misses(points, factors).stream()
                .collect(Collectors.groupingBy(
                        point -> Calibration.variant(point.framework()), TreeMap::new, Collectors.toList()));
        List<FitPoint> plain = misses.getOrDefault("", List.of());
        List<FitPoint> exposed = plain.stream()
                .filter(point -> point.exposedShare() > Calibration.EXPOSED_SHARE)
                .toList();
        List<FitPoint> usual = plain.stream()
                .filter(point -> point.exposedShare() <= Calibration.EXPOSED_SHARE)
                .toList();
        TreeMap<String, Double> widths = new TreeMap<>();
        if (!usual.isEmpty()) {
            widths.put(Fit.ANYWHERE, anywhere(plain, usual, widths));
        }
        TreeMap<String, Constant> constants = new TreeMap<>(factors.constants());
        misses.forEach((variant, mine) -> {
            if (!variant.isEmpty()) {
                double width = rounded(Math.max(worst(mine), anywhere(mine, mine, widths)));
                constants.put(
                        Calibration.least(variant), new Constant(width, mine.size() + " measured runs, left out"));
            }
        });
        TreeMap<String, Residual> residuals = new TreeMap<>();
        factors.residuals().forEach((key, of) -> {
            double width = rounded(widths.getOrDefault(key, of.halfWidth()));
            String source = key.equals(Fit.ANYWHERE) && !usual.isEmpty()
                    ? "errors on sources that the factors were not fitted on"
                    : of.source();
            residuals.put(key, new Residual(of.factor(), of.rows(), of.shapes(), width, source));
        });
        if (!exposed.isEmpty()) {
            double width = rounded(Fit.quantile(exposed, FitPoint::logRatio, SHARE));
            String source = exposed.size() + " measured runs with more than "
                    + Math.round(100 * Calibration.EXPOSED_SHARE) + " % of their step in exposed communication";
            constants.put(Calibration.EXPOSED_INTERVAL, new Constant(width, source));
        }
        return new Calibration(factors.fitted(), constants, residuals);
    }

    /** The half-width of all that these points tell; those of their devices and generations are put into {@code widths}. */
    private static double anywhere(List<FitPoint> points, List<FitPoint> misses, TreeMap<String, Double> widths) {
        double anywhere = Fit.quantile(misses, FitPoint::logRatio, SHARE);
        for (FitPoint point : points) {
            double family = width(Fit.family(point), misses, anywhere, widths);
            double device = width(Fit.device(point), misses, family, widths);
            width(Fit.generation(point), misses, device, widths);
        }
        return anywhere;
    }

    /** Where few sources tell of a variant, the half-width that holds 90 % of each one's runs. */
    private static double worst(List<FitPoint> points) {
        Map<String, List<FitPoint>> sources =
                points.stream().collect(Collectors.groupingBy(FitPoint::source, TreeMap::new, Collectors.toList()));
        return sources.size() > FEW_SOURCES
                ? 0
                : sources.values().stream()
                        .mapToDouble(mine -> Fit.quantile(mine, FitPoint::logRatio, INSIDE))
                        .max()
                        .orElse(0);
    }

    private static double rounded(double width) {
        return Math.min(Calibration.WIDEST, Math.ceil(width * 1e3) / 1e3);
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
        double width = sources == 0
                ? parent
                : (sources * Fit.quantile(own, FitPoint::logRatio, SHARE) + PARENT * parent) / (sources + PARENT);
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
