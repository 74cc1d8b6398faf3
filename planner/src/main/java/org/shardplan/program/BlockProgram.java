package org.shardplan.program;

import java.util.List;
import java.util.function.Predicate;
import org.shardplan.graph.Block;

/**
 * One repeat of a block lowered for one micro-batch on one rank: tasks in order, and what stays in memory.
 *
 * @param block what was lowered
 * @param forward tasks of the forward pass
 * @param backward tasks of the backward pass, nothing recomputed
 * @param backwardInput tasks of a backward pass that leaves weight gradients out
 * @param backwardWeight tasks that make these: products of kept inputs with kept gradients of outputs
 * @param recomputeSelective tasks that "selective" adds to the backward pass
 * @param recomputeFull tasks that recomputing the whole block adds: gathers of its saved input, then its forward pass
 * @param saved activations that stay from forward to backward, nothing recomputed
 * @param savedSelective likewise, with selective recomputation
 * @param savedFull likewise, when all is recomputed: the block's input
 * @param keptForWeights what stays between the two: inputs of products and gradients of their outputs
 * @param output bytes that leave the block on one rank: what a pipeline send carries
 * @param outputReplicated ranks of the tensor dimension hold the same output (a send may be scattered over them)
 * @param parameters trained tensors on one rank
 * @param transientBytes at the peak of a pass, besides what is kept
 */
public record BlockProgram(
        Block block,
        List<Task> forward,
        List<Task> backward,
        List<Task> backwardInput,
        List<Task> backwardWeight,
        List<Task> recomputeSelective,
        List<Task> recomputeFull,
        List<SavedTensor> saved,
        List<SavedTensor> savedSelective,
        List<SavedTensor> savedFull,
        List<SavedTensor> keptForWeights,
        long output,
        boolean outputReplicated,
        List<LocalParameter> parameters,
        long transientBytes) {

    /** An activation in memory between the passes. */
    public record SavedTensor(String name, long bytes) {}

    /**
     * A parameter's shard on one rank.
     *
     * @param elements of the shard, before ZeRO
     * @param shared one tensor in several blocks
     * @param expert of experts that other ranks of the same data have not: fewer ranks hold it, and sum its gradient
     * @param trained whether it has a gradient
     * @param gradientPartialOn mesh dimensions over which its gradient is to be summed
     */
    public record LocalParameter(
            String name,
            long elements,
            boolean shared,
            boolean expert,
            boolean trained,
            List<String> gradientPartialOn) {
        public LocalParameter {
            gradientPartialOn = List.copyOf(gradientPartialOn);
        }
    }

    public static long bytes(List<SavedTensor> tensors) {
        return tensors.stream().mapToLong(SavedTensor::bytes).sum();
    }

    /** Elements of those parameters on one rank that are such; shared tensors included. */
    public long elements(Predicate<LocalParameter> such) {
        return parameters.stream()
                .filter(such)
                .mapToLong(LocalParameter::elements)
                .sum();
    }

    /** All of them. */
    public long parameterElements() {
        return elements(_ -> true);
    }
}
