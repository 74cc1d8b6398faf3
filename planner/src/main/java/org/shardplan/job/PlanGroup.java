package org.shardplan.job;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.shardplan.graph.TransformerSizes;
import org.shardplan.plan.PlanText;
import org.shardplan.report.Errors;

/**
 * Plans of one job that were measured: the same source, network, sequence, devices, batch, precision and framework. Runs of one
 * plan count once, by their median.
 *
 * @param measured seconds by plan
 * @param predicted seconds by plan
 */
record PlanGroup(String source, double[] measured, double[] predicted) {
    /** Fewer plans say nothing on an order. */
    static final int LEAST_PLANS = 4;

    /** @param seconds predicted; any unit will do */
    static List<PlanGroup> of(List<ScoredRow> rows, ToDoubleFunction<ScoredRow> seconds) {
        Map<String, Map<String, List<ScoredRow>>> jobs = new LinkedHashMap<>();
        for (ScoredRow row : rows) {
            jobs.computeIfAbsent(job(row.ready()), _ -> new LinkedHashMap<>())
                    .computeIfAbsent(PlanText.print(row.ready().plan()), _ -> new ArrayList<>())
                    .add(row);
        }
        return jobs.values().stream()
                .filter(plans -> plans.size() >= LEAST_PLANS)
                .map(plans -> new PlanGroup(
                        plans.values().iterator().next().getFirst().source(),
                        medians(plans, row -> row.result().measuredStepSeconds()),
                        medians(plans, seconds)))
                .toList();
    }

    private static String job(RowCase.Ready ready) {
        TransformerSizes sizes = ready.sizes();
        return String.join(
                "/",
                ready.row().source(),
                String.valueOf(sizes.layers()),
                String.valueOf(sizes.hidden()),
                String.valueOf(sizes.ffn()),
                String.valueOf(sizes.heads()),
                String.valueOf(sizes.vocab()),
                String.valueOf(ready.workload()),
                ready.cluster().device().name(),
                String.valueOf(ready.plan().devices()),
                ready.framework());
    }

    private static double[] medians(Map<String, List<ScoredRow>> plans, ToDoubleFunction<ScoredRow> seconds) {
        return plans.values().stream()
                .mapToDouble(runs -> Errors.quantile(
                        runs.stream().mapToDouble(seconds).sorted().toArray(), 0.5))
                .toArray();
    }

    int plans() {
        return measured.length;
    }

    /** Spearman's rank correlation, equal values with their mean rank; NaN where all are equal. */
    double spearman() {
        double[] x = ranks(measured);
        double[] y = ranks(predicted);
        double mean = (plans() - 1) / 2.0;
        double both = 0;
        double ofX = 0;
        double ofY = 0;
        for (int i = 0; i < plans(); i++) {
            both += (x[i] - mean) * (y[i] - mean);
            ofX += (x[i] - mean) * (x[i] - mean);
            ofY += (y[i] - mean) * (y[i] - mean);
        }
        return both / Math.sqrt(ofX * ofY);
    }

    private static double[] ranks(double[] values) {
        return Arrays.stream(values)
                .map(value -> Arrays.stream(values)
                                .map(other -> other < value ? 1 : other == value ? 0.5 : 0)
                                .sum()
                        - 0.5)
                .toArray();
    }

    /** Share of pairs that were measured apart and are predicted in the same order; predicted equal is half right. */
    double pairOrder() {
        double right = 0;
        int pairs = 0;
        for (int i = 0; i < plans(); i++) {
            for (int j = 0; j < i; j++) {
                double order = Math.signum(measured[i] - measured[j]);
                if (order != 0) {
                    pairs++;
                    right += (1 + order * Math.signum(predicted[i] - predicted[j])) / 2;
                }
            }
        }
        return right / pairs;
    }

    /** Measured seconds of the plan predicted best over those of the best, less one; of plans predicted equal the worst. */
    double regret() {
        double best = Arrays.stream(predicted).min().orElse(Double.NaN);
        double chosen = 0;
        for (int i = 0; i < plans(); i++) {
            chosen = predicted[i] == best ? Math.max(chosen, measured[i]) : chosen;
        }
        return chosen / Arrays.stream(measured).min().orElse(Double.NaN) - 1;
    }

    /** By how much the predicted ratio of two plans' steps is off, for pairs predicted at most {@code near} apart. */
    double[] comparisons(double near) {
        List<Double> errors = new ArrayList<>();
        for (int i = 0; i < plans(); i++) {
            for (int j = 0; j < i; j++) {
                double apart = Math.log(predicted[i] / predicted[j]);
                double off = apart - Math.log(measured[i] / measured[j]);
                if (Math.abs(apart) <= Math.log1p(near)) {
                    errors.add(Math.expm1(Math.abs(off)));
                }
            }
        }
        return errors.stream().mapToDouble(Double::doubleValue).toArray();
    }
}
