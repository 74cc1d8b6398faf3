package org.shardplan.job;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.shardplan.cost.Calibration;
import org.shardplan.report.HeldOut;

/** Each source predicted by factors that were fitted on the other sources alone. */
final class HeldOutScores {
    private HeldOutScores() {}

    /** One line a source and generation, in order of first appearance. */
    static List<HeldOut> of(List<FitPoint> points, Calibration shipped) {
        Map<String, List<FitPoint>> groups = new LinkedHashMap<>();
        for (FitPoint point : points) {
            groups.computeIfAbsent(point.source() + '\t' + point.framework(), _ -> new ArrayList<>())
                    .add(point);
        }
        return groups.values().stream()
                .map(group -> score(group, points, shipped))
                .toList();
    }

    private static HeldOut score(List<FitPoint> group, List<FitPoint> points, Calibration shipped) {
        FitPoint any = group.getFirst();
        List<FitPoint> kept = points.stream()
                .filter(point -> !point.source().equals(any.source()))
                .toList();
        Calibration others = Fit.factors(kept, shipped);
        double factor = others.residual(any.framework(), any.device());
        double own = shipped.residual(any.framework(), any.device());
        double[] errors = errors(group, factor);
        double[] sizes = sizes(errors);
        return new HeldOut(
                any.source(),
                any.framework(),
                group.size(),
                own,
                middle(sizes(errors(group, own))),
                factor,
                from(others.find(any.framework(), any.device())),
                middle(sizes),
                sizes[sizes.length - 1],
                middle(errors));
    }

    private static String from(Calibration.Residual residual) {
        return residual.rows() == 0 ? "nothing" : residual.source();
    }

    /** Predicted over measured, per cent, ascending. */
    private static double[] errors(List<FitPoint> group, double factor) {
        return group.stream()
                .mapToDouble(point -> 100 * (factor / Math.exp(point.logRatio()) - 1))
                .sorted()
                .toArray();
    }

    private static double[] sizes(double[] errors) {
        return Arrays.stream(errors).map(Math::abs).sorted().toArray();
    }

    private static double middle(double[] sorted) {
        return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
    }
}
