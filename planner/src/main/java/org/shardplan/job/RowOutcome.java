package org.shardplan.job;

import org.jspecify.annotations.Nullable;
import org.shardplan.form.Row;
import org.shardplan.plan.Shorthand;
import org.shardplan.report.ValidationRow;
import org.shardplan.units.UserError;

/**
 * What became of one row.
 *
 * @param scored for fits and scores; null where it was skipped or has no measured step
 * @param note which rule chose its network; empty where it was skipped
 */
record RowOutcome(ValidationRow result, @Nullable ScoredRow scored, String note) {
    /** The longest published step has some ten thousand; a thousand times that would take a minute and gigabytes. */
    private static final long MOST_SLOTS = 2_000_000;

    private static final long MOST_STAGES = 10_000;

    static RowOutcome of(Row row, RowPredictions predictions) {
        return switch (RowJob.of(row)) {
            case RowCase.Skipped(Row skipped, String reason) ->
                new RowOutcome(RowPrediction.skipped(skipped, reason), null, "");
            case RowCase.Ready ready -> of(ready, predictions);
        };
    }

    private static RowOutcome of(RowCase.Ready ready, RowPredictions predictions) {
        String tooLong = tooLong(ready);
        if (!tooLong.isEmpty()) {
            return new RowOutcome(RowPrediction.skipped(ready.row(), tooLong), null, "");
        }
        try {
            Variation variation = predictions.variation();
            ValidationRow result = RowPrediction.of(variation.row().apply(ready), predictions);
            String note = ready.cluster().name().replaceFirst("[:/].*", "") + ": " + ready.clusterRule();
            if (Double.isNaN(result.errorPercent())) {
                return new RowOutcome(result, null, note);
            }
            double residual = variation
                    .prices()
                    .calibration()
                    .residual(FitPoint.software(ready), ready.cluster().device());
            FitPoint point = FitPoint.of(ready, result, residual);
            return new RowOutcome(result, new ScoredRow(point, ready, result, predictions.formulaSeconds(ready)), note);
        } catch (UserError refused) {
            String reason = String.valueOf(refused.getMessage());
            return new RowOutcome(RowPrediction.skipped(ready.row(), reason), null, "");
        }
    }

    /** Why no one would wait for the step's timeline; empty where it is of a usual size. */
    private static String tooLong(RowCase.Ready ready) {
        Shorthand plan = ready.plan();
        long stages = (long) plan.pp() * plan.vpp();
        long slots = ready.workload().globalBatch() / ((long) plan.dp() * plan.microBatch()) * stages;
        if (stages > MOST_STAGES) {
            return "pp·vpp is " + stages + ", which no run has";
        }
        return slots > MOST_SLOTS
                ? "a step of " + slots + " passes of a micro-batch through a stage, which no run has"
                : "";
    }
}
