package org.shardplan.sim;

import java.util.List;
import org.shardplan.plan.Shorthand;

/**
 * What is predicted of one plan: the record behind every report. Fractions are 0 to 1, NaN = unknown.
 *
 * @param plan short form, layouts chosen and filled in
 * @param planText its text form
 * @param mesh for example {@code pp=8 dp=16 tp=8}
 * @param devices that the plan uses
 * @param devicesIdle the rest of the cluster
 * @param framework its name
 * @param evaluator {@code closed-form}, {@code sweep} or {@code events}
 * @param stepSeconds one optimizer step
 * @param stepLowSeconds lower end of the 90 % interval
 * @param stepHighSeconds upper end
 * @param intervalNote what the interval rests on
 * @param tokensPerSecondPerDevice of the devices used
 * @param modelTflopsPerDevice model FLOPs only, 1e12
 * @param mfu model FLOPs over dense peak
 * @param hfu with recomputation
 * @param mfuCausal as {@code mfu}, causal attention counted at what the mask leaves; {@code mfu} counts it in full
 * @param time where the step of the slowest rank goes
 * @param capacityBytes what the driver leaves to a process
 * @param peakBytes of the worst stage: reserved, context and communication buffers
 * @param stages memory by pipeline rank
 * @param microBatches a step on each data rank
 * @param bubbleFraction idle share of the slowest rank
 */
public record Prediction(
        Shorthand plan,
        String planText,
        String mesh,
        int devices,
        int devicesIdle,
        String framework,
        String evaluator,
        double stepSeconds,
        double stepLowSeconds,
        double stepHighSeconds,
        String intervalNote,
        double tokensPerSecondPerDevice,
        double modelTflopsPerDevice,
        double mfu,
        double hfu,
        double mfuCausal,
        TimeShares time,
        long capacityBytes,
        long peakBytes,
        List<StageUse> stages,
        long microBatches,
        double bubbleFraction) {
    public Prediction {
        stages = List.copyOf(stages);
    }

    /** Seconds of the slowest rank; the parts sum to the step. */
    public record TimeShares(
            double compute,
            double exposedTensor,
            double exposedContext,
            double exposedExpert,
            double exposedPipeline,
            double exposedData,
            double exposedOffload,
            double bubble,
            double optimizer,
            double host) {
        public double sum() {
            return compute
                    + exposedTensor
                    + exposedContext
                    + exposedExpert
                    + exposedPipeline
                    + exposedData
                    + exposedOffload
                    + bubble
                    + optimizer
                    + host;
        }

        /**
         * The same of a plan without tensor parallelism: what its layers wait for are exchanges of experts, else context ranks, whose
         * hidden messages slow products down.
         */
        TimeShares withoutTensor(boolean experts) {
            return new TimeShares(
                    compute,
                    0,
                    exposedContext + (experts ? 0 : exposedTensor),
                    exposedExpert + (experts ? exposedTensor : 0),
                    exposedPipeline,
                    exposedData,
                    exposedOffload,
                    bubble,
                    optimizer,
                    host);
        }

        /** Communication that nothing hides, as a share of the step. */
        public double exposedShare() {
            double exposed = exposedTensor + exposedContext + exposedExpert + exposedPipeline + exposedData;
            return exposed / sum();
        }
    }

    /**
     * Peak memory of one device of a pipeline rank, by what holds it at that moment.
     *
     * @param layout what the rank holds, for example {@code E+12}, {@code 12}, {@code 11+head}
     */
    public record StageUse(
            String layout,
            long parametersBytes,
            long gradientsBytes,
            long optimizerBytes,
            long activationsBytes,
            long otherBytes,
            long allocatedBytes,
            long reservedBytes) {}
}
