package org.shardplan.job;

import org.shardplan.cluster.Device;
import org.shardplan.cost.Calibration;
import org.shardplan.form.Row;
import org.shardplan.report.ValidationRow;

/**
 * A measured run as a fit sees it.
 *
 * @param source that published it
 * @param framework generation that ran it, with what it ran: {@link Calibration#software}
 * @param shape layers, hidden, heads and sequence length: runs of one shape are not evidence for another
 * @param exposedShare of the predicted step, in communication that nothing hides
 * @param logRatio logarithm of measured over predicted step, the prediction without any residual factor
 */
record FitPoint(
        String id, String source, String framework, Device device, String shape, double exposedShare, double logRatio) {

    /** @param residual factor that the prediction holds already */
    static FitPoint of(RowCase.Ready ready, ValidationRow predicted, double residual) {
        Row.Shape shape = ready.row().shape();
        String sizes = ready.sizes().layers() + "/" + ready.sizes().hidden() + "/"
                + ready.sizes().heads();
        return new FitPoint(
                predicted.id(),
                predicted.source(),
                software(ready),
                ready.cluster().device(),
                sizes + "/" + shape.seqLen().orElse(0),
                predicted.exposedShare(),
                Math.log(predicted.measuredStepSeconds() * residual / predicted.predictedStepSeconds()));
    }

    static String software(RowCase.Ready ready) {
        boolean experts = ready.sizes().experts().count() > 1;
        return Calibration.software(ready.framework(), ready.workload().precision(), experts);
    }

    /** The same run with another value in place of its ratio. */
    FitPoint with(double value) {
        return new FitPoint(id, source, framework, device, shape, exposedShare, value);
    }
}
