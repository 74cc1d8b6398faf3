package org.shardplan.job;

import org.shardplan.form.FrameworkCatalog;
import org.shardplan.form.Row;
import org.shardplan.plan.PlanText;
import org.shardplan.report.ValidationRow;
import org.shardplan.workload.Framework;

/** Predicts one measured run. */
final class RowPrediction {
    private RowPrediction() {}

    static ValidationRow of(RowCase.Ready ready, RowPredictions predictions) {
        Row row = ready.row();
        RowPredictions.Foreseen foreseen = predictions.of(ready);
        if (!foreseen.refused().isEmpty()) {
            return skipped(row, foreseen.refused());
        }
        double measuredBytes = row.measured().memoryGib() * (1L << 30);
        boolean known = !Double.isNaN(measuredBytes);
        return new ValidationRow(
                row.id(),
                row.source(),
                row.model() + " " + PlanText.print(ready.plan()),
                ready.cluster().name(),
                foreseen.framework(),
                row.measured().stepSeconds(),
                foreseen.stepSeconds(),
                foreseen.stepLowSeconds(),
                foreseen.stepHighSeconds(),
                foreseen.exposedShare(),
                measuredBytes,
                known ? memory(foreseen, ready) : Double.NaN,
                known ? ready.memoryKind() : null,
                foreseen.fits(),
                row.measured().outcome().equals("oom"),
                null,
                Standing.aside(row),
                Standing.kind(row));
    }

    static ValidationRow skipped(Row row, String reason) {
        return ValidationRow.skipped(
                row.id(),
                row.source(),
                row.model(),
                row.measured().stepSeconds(),
                row.measured().outcome().equals("oom"),
                reason,
                Standing.aside(row),
                Standing.kind(row));
    }

    private static double memory(RowPredictions.Foreseen foreseen, RowCase.Ready ready) {
        return switch (ready.memoryKind()) {
            case "allocated" -> foreseen.allocatedBytes();
            case "reserved" -> foreseen.reservedBytes();
            default -> foreseen.peakBytes();
        };
    }

    /** The generation, with what the row says of its own run: attention kind, gradient width, switches. */
    static Framework framework(RowCase.Ready ready) {
        Framework named =
                FrameworkCatalog.get(ready.framework(), ready.workload().precision());
        Framework.Kernels kernels = ready.attention().isEmpty()
                ? named.kernels()
                : named.kernels().withFlashAttention(ready.attention().equals("flash"));
        Framework.Memory memory = named.memory();
        int bytes = ready.gradientBytes().orElse(memory.reduceBytes());
        if (bytes != memory.reduceBytes()) {
            memory = memory.withGradient(bytes, Math.min(bytes, memory.reduceBytes()));
        }
        return RowSwitches.apply(named.with(kernels).with(memory), ready.row());
    }
}
