package org.shardplan.cost;

import org.shardplan.program.StageProgram.Level;
import org.shardplan.workload.Framework;

/**
 * Seconds of a run of equal blocks in one slot: compute, exposed tensor and context communication, and from ZeRO 2 on the exposed
 * communication of its parameters and gradients.
 */
public record StageTimes(
        double forwardSeconds,
        double backwardSeconds,
        double forwardTensorSeconds,
        double backwardTensorSeconds,
        double forwardContextSeconds,
        double backwardContextSeconds,
        double forwardDataSeconds,
        double backwardDataSeconds) {

    /** Backward seconds of one repeat, recomputation included. */
    public static double backwardSeconds(BlockCost cost, Level level) {
        return cost.backwardSeconds()
                + switch (level) {
                    case NONE -> 0;
                    case SELECTIVE -> cost.selectiveSeconds();
                    case FULL -> cost.fullSeconds();
                };
    }

    /**
     * The run's times on a stage.
     *
     * @param ends whether the run before it on the stage is of another block: its backward pass comes last of all like layers
     */
    public static StageTimes of(
            BlockCost cost,
            Level level,
            int repeats,
            boolean ends,
            int zero,
            DataParallelCost data,
            DataGroups groups,
            Framework framework) {
        double backward = backwardSeconds(cost, level);
        double gather = zero == 3 ? data.layerGatherSeconds(cost, groups) : 0;
        double reduce = zero >= 2 ? data.layerReduceSeconds(cost, zero, groups) : 0;
        boolean gathers = framework.overlap().parameterGather();
        boolean reduces = framework.overlap().gradientReduce() && (zero < 3 || gathers);
        double forwardAll = data.pipelined(repeats, cost.forwardSeconds(), gather, gathers, ends);
        double backwardAll = data.pipelined(repeats, backward, gather + reduce, reduces, ends);
        double fullTensor = level == Level.FULL ? cost.fullTensorSeconds() : 0;
        double fullContext = level == Level.FULL ? cost.fullContextSeconds() : 0;
        return new StageTimes(
                forwardAll,
                backwardAll,
                repeats * cost.forwardTensorSeconds(),
                repeats * (cost.backwardTensorSeconds() + fullTensor),
                repeats * cost.forwardContextSeconds(),
                repeats * (cost.backwardContextSeconds() + fullContext),
                forwardAll - repeats * cost.forwardSeconds(),
                backwardAll - repeats * backward);
    }
}
