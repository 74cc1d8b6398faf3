package org.shardplan.cost;

/**
 * Price of one repeat of a block for one micro-batch on one rank.
 *
 * @param forwardSeconds forward pass, {@code forwardTensorSeconds} of it exposed tensor-parallel communication
 * @param backwardSeconds backward pass, nothing recomputed
 * @param selectiveSeconds what selective recomputation adds to it
 * @param fullSeconds what full recomputation adds to it
 * @param savedBytes activations kept when nothing is recomputed
 * @param forwardContextSeconds exposed communication among context ranks, likewise of the other passes; no part of the tensor-parallel ones
 * @param outputBytes of a pipeline send
 * @param outputReplicated all tensor ranks hold the output
 * @param elements trained elements on one rank
 * @param sharedElements of these, those of tensors that another block shares
 * @param tensorPartialElements of these, those whose gradients are to be summed over tensor ranks
 * @param expertElements of these, those of experts that fewer ranks hold than other parameters
 * @param frozen elements that are not trained and come on top
 * @param transientBytes at the peak of a pass, besides what is kept
 * @param forwardFlops products of the forward pass; {@code backwardFlops}, {@code selectiveFlops} likewise, on one rank
 * @param split what a backward pass in two parts costs
 */
public record BlockCost(
        double forwardSeconds,
        double forwardTensorSeconds,
        double forwardContextSeconds,
        double backwardSeconds,
        double backwardTensorSeconds,
        double backwardContextSeconds,
        double selectiveSeconds,
        double fullSeconds,
        double fullTensorSeconds,
        double fullContextSeconds,
        long savedBytes,
        long savedSelectiveBytes,
        long savedFullBytes,
        long outputBytes,
        boolean outputReplicated,
        long elements,
        long sharedElements,
        long tensorPartialElements,
        long expertElements,
        Frozen frozen,
        long transientBytes,
        double forwardFlops,
        double backwardFlops,
        double selectiveFlops,
        SplitCost split) {

    /**
     * Weights on one rank that are not trained: in memory, gathered under ZeRO 3, and nothing else.
     *
     * @param shared of these, those of tensors that another block shares
     * @param expert of these, those of experts that fewer ranks hold than other parameters
     */
    public record Frozen(long elements, long shared, long expert) {
        public static final Frozen NONE = new Frozen(0, 0, 0);

        public long dense() {
            return elements - expert;
        }
    }

    /** Weights on one rank, trained or not. */
    public long weights() {
        return elements + frozen.elements();
    }

    /** Trained elements that every data rank holds. */
    public long denseElements() {
        return elements - expertElements;
    }
}
