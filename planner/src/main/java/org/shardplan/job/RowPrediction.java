package org.shardplan.job;

import java.util.List;
import org.shardplan.form.FrameworkCatalog;
import org.shardplan.form.Row;
import org.shardplan.plan.Legality;
import org.shardplan.plan.PlanText;
import org.shardplan.plan.Verdict;
import org.shardplan.report.ValidationRow;
import org.shardplan.sim.Prediction;
import org.shardplan.workload.Framework;

/** Predicts one measured run. */
final class RowPrediction {
    private RowPrediction() {}

    static ValidationRow of(RowCase.Ready ready, Variation variation) {
        Row row = ready.row();
        double measured = row.measured().stepSeconds();
        Framework framework = variation.framework().apply(framework(ready));
        ModelSource.Found model = new ModelSource.Found(ready.sizes(), row.source(), "", List.of());
        Setting setting = Setting.of(model, ready.cluster(), ready.workload(), framework, 0, List.of());
        Verdict verdict =
                Legality.check(ready.plan(), setting.graph(), setting.workload(), setting.cluster(), framework);
        if (verdict instanceof Verdict.Illegal illegal) {
            return skipped(row, illegal.rule() + ": " + illegal.why());
        }
        Prediction prediction = new Reporter(setting, variation.prices()).predict(ready.plan(), variation.priced());
        double measuredBytes = row.measured().memoryGib() * (1L << 30);
        boolean known = !Double.isNaN(measuredBytes);
        return new ValidationRow(
                row.id(),
                row.source(),
                row.model() + " " + PlanText.print(ready.plan()),
                ready.cluster().name(),
                framework.name(),
                measured,
                prediction.stepSeconds(),
                prediction.stepLowSeconds(),
                prediction.stepHighSeconds(),
                prediction.time().exposedShare(),
                measuredBytes,
                known ? memory(prediction, ready) : Double.NaN,
                known ? ready.memoryKind() : null,
                prediction.peakBytes() <= prediction.capacityBytes(),
                row.measured().outcome().equals("oom"),
                null,
                Standing.aside(row));
    }

    static ValidationRow skipped(Row row, String reason) {
        return ValidationRow.skipped(
                row.id(),
                row.source(),
                row.model(),
                row.measured().stepSeconds(),
                row.measured().outcome().equals("oom"),
                reason,
                Standing.aside(row));
    }

    private static double memory(Prediction prediction, RowCase.Ready ready) {
        List<Prediction.StageUse> stages = prediction.stages();
        if (ready.framework().equals("nanotron")) {
            stages = stages.subList(0, 1); // nanotron/helpers.py, log_throughput: rank 0 writes its own
        }
        return switch (ready.memoryKind()) {
            case "allocated" ->
                stages.stream()
                        .mapToLong(Prediction.StageUse::allocatedBytes)
                        .max()
                        .orElse(0);
            case "reserved" ->
                stages.stream()
                        .mapToLong(Prediction.StageUse::reservedBytes)
                        .max()
                        .orElse(0);
            default -> prediction.peakBytes();
        };
    }

    /** The generation, with what the row says of its own run: attention kind, gradient width. */
    static Framework framework(RowCase.Ready ready) {
        Framework named =
                FrameworkCatalog.get(ready.framework(), ready.workload().precision());
        Framework.Kernels kernels = named.kernels();
        if (!ready.attention().isEmpty()) {
            kernels = new Framework.Kernels(
                    ready.attention().equals("flash"),
                    kernels.fusedSoftmax(),
                    kernels.fusedPointwise(),
                    kernels.fusedCrossEntropy(),
                    kernels.fusedWeightGradient(),
                    kernels.memoryTraffic());
        }
        Framework.Memory memory = named.memory();
        int bytes = ready.gradientBytes().orElse(memory.reduceBytes());
        if (bytes != memory.reduceBytes()) {
            memory = memory.withGradient(bytes, Math.min(bytes, memory.reduceBytes()));
        }
        return new Framework(
                named.name(),
                named.title(),
                kernels,
                named.overlap(),
                memory,
                named.host(),
                named.limits(),
                named.sources());
    }
}
