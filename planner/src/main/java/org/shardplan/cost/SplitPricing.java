package org.shardplan.cost;

import org.jspecify.annotations.Nullable;
import org.shardplan.workload.Framework;

/** Prices the slots of a stage whose weight gradients stand apart: {@link SplitSlots}. */
final class SplitPricing {
    private final PricingInput input;
    private final DataParallelCost data;
    private final Framework framework;
    private final ProgramPricer pricer;

    SplitPricing(PricingInput input, DataParallelCost data, Framework framework, ProgramPricer pricer) {
        this.input = input;
        this.data = data;
        this.framework = framework;
        this.pricer = pricer;
    }

    /**
     * Fills the stage's places.
     *
     * @param buckets whether gradients are reduced beside the slot that makes the last of them
     * @param interference by how much that slows it, nanoseconds
     */
    void price(int q, boolean buckets, long interference, SplitSlots slots) {
        double host = framework.host().microBatchSeconds() / 3;
        double inputs = host;
        double weights = host;
        double[] exposed = new double[4];
        double hidden = 0;
        @Nullable BlockCost before = null;
        for (CostRun run : input.stages().get(q)) {
            SplitTimes times = times(run, !run.cost().equals(before));
            before = run.cost();
            inputs += times.input;
            weights += times.weight;
            exposed[0] += run.repeats() * run.cost().split().inputTensorSeconds() + fullTensor(run);
            exposed[1] += run.repeats() * run.cost().split().weightTensorSeconds();
            exposed[2] += times.inputData;
            exposed[3] += times.weightData;
            hidden += run.repeats() * run.cost().split().hiddenSeconds();
        }
        slots.input()[q] = pricer.nanos(inputs);
        slots.weight()[q] = pricer.nanos(weights);
        slots.lastWeight()[q] = slots.weight()[q] + interference;
        slots.hidden()[q] = pricer.nanos(hidden);
        slots.inputTensor()[q] = pricer.nanos(exposed[0]);
        slots.weightTensor()[q] = pricer.nanos(exposed[1]);
        slots.inputData()[q] = pricer.nanos(exposed[2]);
        slots.weightData()[q] = pricer.nanos(exposed[3]);
        slots.weightReady()[q] = buckets ? ready(q, host, slots.lastWeight()[q]) : new long[0];
    }

    private static double fullTensor(CostRun run) {
        return run.level() == org.shardplan.program.StageProgram.Level.FULL
                ? run.repeats() * run.cost().fullTensorSeconds()
                : 0;
    }

    private record SplitTimes(double input, double weight, double inputData, double weightData) {}

    /** Parameters are gathered for input gradients, weight gradients are reduced where they are made. */
    private SplitTimes times(CostRun run, boolean ends) {
        BlockCost cost = run.cost();
        int zero = input.zero();
        double input =
                cost.split().inputSeconds() + StageTimes.backwardSeconds(cost, run.level()) - cost.backwardSeconds();
        double weight = cost.split().weightSeconds();
        double gather = zero == 3 ? data.layerGatherSeconds(cost, this.input.data()) : 0;
        double reduce = zero >= 2 ? data.layerReduceSeconds(cost, zero, this.input.data()) : 0;
        boolean gathers = framework.overlap().parameterGather();
        boolean reduces = framework.overlap().gradientReduce() && (zero < 3 || gathers);
        double inputAll = data.pipelined(run.repeats(), input, gather, gathers, ends);
        double weightAll = data.pipelined(run.repeats(), weight, reduce, reduces, ends);
        return new SplitTimes(
                inputAll, weightAll, inputAll - run.repeats() * input, weightAll - run.repeats() * weight);
    }

    /** When each block's gradients are there, from the start of the slot on. */
    private long[] ready(int q, double host, long slotNanos) {
        int count = 0;
        for (CostRun run : input.stages().get(q)) {
            count += run.repeats();
        }
        long[] ready = new long[count];
        double seconds = host;
        int bucket = 0;
        for (int i = input.stages().get(q).size() - 1; i >= 0; i--) {
            CostRun run = input.stages().get(q).get(i);
            for (int repeat = 0; repeat < run.repeats(); repeat++) {
                seconds += run.cost().split().weightSeconds();
                ready[bucket++] = Math.min(pricer.nanos(seconds), slotNanos);
            }
        }
        return ready;
    }
}
