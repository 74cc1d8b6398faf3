package org.shardplan.job;

import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.shardplan.cost.Calibration;
import org.shardplan.cost.Calibration.Constant;
import org.shardplan.cost.Calibration.Residual;
import org.shardplan.report.ComparisonError;

/**
 * Residual factors from measured runs: few, robust, and the same for the same rows in any order.
 *
 * <p>A framework generation on a device gets the mean of its sources' medians of measured over predicted: one vote a source.
 * Likewise a device, and a family, for generations without rows of their own. A generation that is off by more than {@link #SOFTWARE} tells of its software, not of the device, and has no vote; no
 * more does one that runs mixtures of experts, whose time is its dispatcher's and its host's. Each factor needs
 * {@link #LEAST_ROWS} rows of {@link #LEAST_SHAPES} shapes.
 */
final class Fit {
    static final int LEAST_ROWS = 3;
    static final int LEAST_SHAPES = 2;

    /** The constant that says which plans can't be told apart. */
    static final String COMPARISON = "comparison/step";

    /** The key of what is known of any framework on any device. */
    static final String ANYWHERE = "*/*";

    /** Sources that judge and are never fitted on: MT-NLG tells whether Megatron-DeepSpeed's factor carries over. */
    static final Set<String> JUDGES = Set.of("megatron-mtnlg530b");

    /** Largest logarithm of a generation's factor that counts for its device. */
    static final double SOFTWARE = Math.log(1.25);

    /** What stands where nothing was fitted. */
    static final Residual UNKNOWN = new Residual(1, 0, 0, Double.NaN, "no calibration");

    private Fit() {}

    static String generation(FitPoint point) {
        return point.framework() + '/' + point.device().name();
    }

    static String device(FitPoint point) {
        return '*'
                + Calibration.variant(point.framework())
                + '/'
                + point.device().name();
    }

    static String family(FitPoint point) {
        return '*'
                + Calibration.variant(point.framework())
                + '/'
                + point.device().family();
    }

    /** The calibration with its residuals fitted anew, on all points but those of sources that judge. */
    static Calibration of(List<FitPoint> points, Calibration base, String fitted) {
        Calibration factors = factors(points, base);
        return FitIntervals.with(new Calibration(fitted, base.constants(), factors.residuals()), points);
    }

    /** The same with the error of comparing two plans of one job, where plans were compared. */
    static Calibration with(ComparisonError error, Calibration calibration) {
        if (error.pairs() == 0) {
            return calibration;
        }
        TreeMap<String, Constant> constants = new TreeMap<>(calibration.constants());
        double rounded = Math.round(error.medianPercent() * 10) / 1e3;
        String source =
                "median over " + error.pairs() + " pairs of measured plans that are predicted at most 10 % apart";
        constants.put(COMPARISON, new Constant(rounded, source));
        return new Calibration(calibration.fitted(), constants, calibration.residuals());
    }

    /**
     * A calibration with the factors of another one put in: those of a framework generation on a device, which tell more of the user's own
     * machine, and those of devices and families that rest on as many rows as what is there.
     */
    static Calibration into(Calibration shipped, Calibration fitted) {
        TreeMap<String, Residual> residuals = new TreeMap<>(shipped.residuals());
        fitted.residuals().forEach((key, residual) -> {
            Residual there = residuals.get(key);
            if (there == null || !key.startsWith("*") || residual.rows() >= there.rows()) {
                residuals.put(key, residual);
            }
        });
        return new Calibration(fitted.fitted(), fitted.constants(), residuals);
    }

    /** Factors alone, with no intervals yet; the factor of {@code *}{@code /*} is kept. */
    static Calibration factors(List<FitPoint> points, Calibration base) {
        List<FitPoint> used = points.stream()
                .filter(point -> !JUDGES.contains(point.source()))
                .sorted(Comparator.comparing(FitPoint::source).thenComparing(FitPoint::id))
                .toList();
        TreeMap<String, Residual> factors = new TreeMap<>();
        factors.put(ANYWHERE, base.residuals().getOrDefault(ANYWHERE, UNKNOWN));
        fit(used, Fit::generation, factors);
        List<FitPoint> passing = used.stream()
                .filter(point -> !Calibration.isSparse(point.framework()))
                .filter(point -> passesOn(factors.get(generation(point))))
                .toList();
        fit(passing, Fit::device, factors);
        fit(passing, Fit::family, factors);
        return new Calibration(base.fitted(), base.constants(), factors);
    }

    private static void fit(List<FitPoint> points, Function<FitPoint, String> key, TreeMap<String, Residual> factors) {
        points.stream()
                .collect(Collectors.groupingBy(key, TreeMap::new, Collectors.toList()))
                .forEach((name, group) -> {
                    int shapes =
                            (int) group.stream().map(FitPoint::shape).distinct().count();
                    if (group.size() >= LEAST_ROWS && shapes >= LEAST_SHAPES) {
                        double factor = Math.exp(meanOfSources(group));
                        double rounded = Math.round(factor * 1e4) / 1e4;
                        factors.put(name, new Residual(rounded, group.size(), shapes, Double.NaN, sources(group)));
                    }
                });
    }

    private static double median(List<FitPoint> points) {
        return quantile(points, FitPoint::logRatio, 0.5);
    }

    /** Mean of the sources' medians; a source with fewer rows than a factor needs counts in proportion. */
    private static double meanOfSources(List<FitPoint> points) {
        double sum = 0;
        double weights = 0;
        for (List<FitPoint> source : points.stream()
                .collect(Collectors.groupingBy(FitPoint::source, TreeMap::new, Collectors.toList()))
                .values()) {
            double weight = Math.min(1, source.size() / (double) LEAST_ROWS);
            sum += weight * median(source);
            weights += weight;
        }
        return sum / weights;
    }

    /** Whether a generation's factor tells of its device. */
    static boolean passesOn(@Nullable Residual generation) {
        return generation == null || Math.abs(Math.log(generation.factor())) <= SOFTWARE;
    }

    /** Quantile of a value over points, each source with the same weight in all; the middle of two where it falls between them. */
    static double quantile(List<FitPoint> points, ToDoubleFunction<FitPoint> value, double share) {
        TreeMap<String, Integer> rows = new TreeMap<>();
        points.forEach(point -> rows.merge(point.source(), 1, Integer::sum));
        List<FitPoint> sorted =
                points.stream().sorted(Comparator.comparingDouble(value)).toList();
        double below = 0;
        for (int i = 0; i < sorted.size() - 1; i++) {
            FitPoint point = sorted.get(i);
            below += 1.0 / (rows.size() * (double) rows.getOrDefault(point.source(), 1));
            if (Math.abs(below - share) < 1e-9) {
                return (value.applyAsDouble(point) + value.applyAsDouble(sorted.get(i + 1))) / 2;
            }
            if (below > share) {
                return value.applyAsDouble(point);
            }
        }
        return value.applyAsDouble(sorted.getLast());
    }

    private static String sources(List<FitPoint> points) {
        return points.stream().map(FitPoint::source).distinct().sorted().collect(Collectors.joining(", "));
    }
}
