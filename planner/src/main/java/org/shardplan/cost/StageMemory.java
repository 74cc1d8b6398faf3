package org.shardplan.cost;

/**
 * Bytes on one device of each pipeline rank and virtual stage; the schedule says how many micro-batches are in flight.
 *
 * @param parametersBytes by rank
 * @param gradientsBytes by rank
 * @param optimizerBytes by rank
 * @param otherBytes by rank: communication buffers and workspaces of the allocator that stay all step
 * @param stepBytes by rank: temporaries of the optimizer's step, when no activations are left
 * @param savedBytes by virtual stage: activations kept from a micro-batch's forward slot to its backward slot
 * @param keptBytes by virtual stage: what stays from input gradients to weight gradients, where these have slots of their own
 * @param forwardPeakBytes by virtual stage: transient bytes within a forward slot, on top of what is saved
 * @param backwardPeakBytes by virtual stage: transient bytes within a backward slot (recomputed layers, gradients of activations)
 * @param fragmentation reserved over allocated, minus 1
 * @param contextBytes outside the allocator: CUDA context, communicators
 * @param capacityBytes what the driver leaves to a process
 */
public record StageMemory(
        long[] parametersBytes,
        long[] gradientsBytes,
        long[] optimizerBytes,
        long[] otherBytes,
        long[] stepBytes,
        long[] savedBytes,
        long[] keptBytes,
        long[] forwardPeakBytes,
        long[] backwardPeakBytes,
        double fragmentation,
        long contextBytes,
        long capacityBytes) {}
