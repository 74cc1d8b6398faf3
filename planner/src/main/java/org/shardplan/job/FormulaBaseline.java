package org.shardplan.job;

import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.shardplan.cluster.Device;
import org.shardplan.graph.ModelFlops;
import org.shardplan.graph.OperatorGraph;
import org.shardplan.graph.TransformerGraph;
import org.shardplan.plan.Shorthand;

/**
 * What a model of a training step must beat: the model's floating-point operations (6 a parameter and token), four thirds of them
 * where all is recomputed, times the pipeline's bubble, over the devices' peak times one efficiency for each device and precision. The efficiency is fitted: the median over rows, sources weighing the same; where a device has no rows,
 * that of the precision in its family, else of all.
 */
final class FormulaBaseline {
    private final TreeMap<String, Double> slowness = new TreeMap<>();

    /** Fitted on these rows. */
    FormulaBaseline(Collection<ScoredRow> rows) {
        for (Function<ScoredRow, String> key :
                List.<Function<ScoredRow, String>>of(row -> byDevice(row), row -> byFamily(row), row -> "all")) {
            rows.stream()
                    .collect(Collectors.groupingBy(key, TreeMap::new, Collectors.toList()))
                    .forEach((name, group) -> slowness.put(name, Math.exp(median(group))));
        }
    }

    /** Seconds of the step with every device at its peak. */
    static double seconds(RowCase.Ready ready) {
        OperatorGraph graph =
                TransformerGraph.build(ready.sizes(), ready.workload().seqLen(), 1);
        Shorthand plan = ready.plan();
        // without those of attention, as the rule of thumb has it
        double flops = 3
                * (ModelFlops.forwardPerSample(graph, false) - ModelFlops.attentionPerSample(graph, false))
                * ready.workload().globalBatch();
        double layers = (double) ready.sizes().layers() / plan.pp();
        double repeated = 1 + Math.min(1, plan.recompute().fullLayers() / layers) / 3;
        double microBatches = ready.workload().globalBatch() / ((double) plan.dp() * plan.microBatch());
        double bubble = 1 + (plan.pp() - 1) / (plan.vpp() * microBatches);
        Device device = ready.cluster().device();
        double peak = device.peakFlops(ready.workload().precision()) * plan.devices();
        return flops * repeated * bubble / peak;
    }

    /** Predicted over measured less one, in per cent. */
    double errorPercent(ScoredRow row) {
        Double known = slowness.get(byDevice(row));
        if (known == null) {
            known = slowness.get(byFamily(row));
        }
        if (known == null) {
            known = slowness.getOrDefault("all", Double.NaN);
        }
        return 100 * (row.formulaSeconds() * known / row.result().measuredStepSeconds() - 1);
    }

    private static String byDevice(ScoredRow row) {
        return row.point().device().name()
                + ' '
                + row.ready().workload().precision().text();
    }

    private static String byFamily(ScoredRow row) {
        return row.point().device().family() + '*';
    }

    private static double median(List<ScoredRow> rows) {
        List<FitPoint> ratios = rows.stream()
                .map(row -> row.point().with(Math.log(row.result().measuredStepSeconds() / row.formulaSeconds())))
                .toList();
        return Fit.quantile(ratios, FitPoint::logRatio, 0.5);
    }
}
