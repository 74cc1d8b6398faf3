package org.shardplan.workload;

import java.util.Set;

/**
 * What its code allocates beside states and what the graph's operators keep.
 *
 * @param lossKeptBytes of one logit, from the loss's forward pass to its backward pass
 * @param lossPeakBytes of one logit at the peak of the loss, {@code lossKeptBytes} included
 * @param bucketBytes of one element, where all gradients are copied into buckets to be all-reduced (ZeRO 0)
 * @param reduceBucketBytes of ZeRO-1's and -2's buckets, which a rank's gradients may not fill
 * @param layerBytes of one element of the largest layer, which stay
 * @param edgeBytes of one element of the embedding or the head, in a block that is too large to serve anything else
 * @param stepBytes temporaries of the optimizer's step, of one element that a rank updates
 * @param unitBytes most gathered parameters of a unit under ZeRO-3, where they come and go one by one; 0 = whole units
 * @param gatheredRoot under ZeRO-3, embedding and head are one unit that stays gathered all step
 * @param copies tensors that unfused code keeps, words of {@link #COPIES}
 */
public record Workspace(
        int lossKeptBytes,
        int lossPeakBytes,
        int bucketBytes,
        long reduceBucketBytes,
        int layerBytes,
        int edgeBytes,
        int stepBytes,
        long unitBytes,
        boolean gatheredRoot,
        Set<String> copies) {
    /** A 32-bit softmax is kept, made from 16-bit logits and turned into 16-bit gradients. */
    public static final Workspace LEAST = new Workspace(4, 6, 0, 0, 0, 0, 0, 0, false, Set.of());

    /**
     * {@code activated-gate}: act(gate) beside the gated activation's inputs; {@code keys-values}: keys and values once more, where
     * queries, keys and values are one tensor (all heads have their own); {@code repeated-keys}: keys and values repeated to as
     * many heads as queries; {@code selective-mlp-out}: under "selective" the result of the last product, which nothing reads;
     * {@code stage-output}: what a pipeline stage has sent, until its gradient comes back.
     */
    public static final Set<String> COPIES =
            Set.of("activated-gate", "keys-values", "repeated-keys", "selective-mlp-out", "stage-output");
}
