package org.shardplan.sim;

import org.shardplan.cost.StageMemory;

/**
 * Peak memory of one device of a pipeline rank, and what holds it at that moment; bytes.
 *
 * @param rank pipeline coordinate
 * @param parameters parameters
 * @param gradients gradients
 * @param optimizer optimizer state
 * @param saved activations kept for the backward pass
 * @param transients of the slot that runs
 * @param other communication buffers and workspaces
 * @param allocated sum of the parts above
 * @param reserved what the allocator holds for it, fragmentation included
 * @param total reserved, and what lives outside the allocator
 */
public record MemoryPeak(
        int rank,
        long parameters,
        long gradients,
        long optimizer,
        long saved,
        long transients,
        long other,
        long allocated,
        long reserved,
        long total) {

    static MemoryPeak of(StageMemory memory, int rank, long saved, long transients) {
        long allocated = MemoryWalk.staticBytes(memory, rank) + saved + transients;
        return new MemoryPeak(
                rank,
                memory.parametersBytes()[rank],
                memory.gradientsBytes()[rank],
                memory.optimizerBytes()[rank],
                saved,
                transients,
                memory.otherBytes()[rank],
                allocated,
                MemoryWalk.reservedBytes(memory, allocated),
                MemoryWalk.reservedBytes(memory, allocated) + memory.contextBytes());
    }

    /** Whether {@code total} is within the capacity. */
    public boolean fits(StageMemory memory) {
        return total <= memory.capacityBytes();
    }

    /** As the report shows it; transients count as activations. */
    public Prediction.StageUse use(String layout) {
        return new Prediction.StageUse(
                layout, parameters, gradients, optimizer, saved + transients, other, allocated, reserved);
    }
}
