package org.shardplan.cost;

/**
 * Price of one repeat of a block where its weight gradients stand apart, or where its passes run beside each other; NaN and 0 where
 * the framework does neither.
 *
 * @param inputSeconds backward pass without weight gradients, {@code inputTensorSeconds} of it exposed communication
 * @param weightSeconds weight gradients alone, {@code weightTensorSeconds} of it exposed communication
 * @param hiddenSeconds by how much a forward pass beside a whole backward pass takes less than one after the other
 * @param keptBytes from the input gradients to the weight gradients of a micro-batch
 */
public record SplitCost(
        double inputSeconds,
        double inputTensorSeconds,
        double weightSeconds,
        double weightTensorSeconds,
        double hiddenSeconds,
        long keptBytes) {

    /** Of a framework whose schedules need none of it. */
    public static final SplitCost NONE = new SplitCost(Double.NaN, 0, Double.NaN, 0, 0, 0);
}
