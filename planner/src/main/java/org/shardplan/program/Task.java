package org.shardplan.program;

import java.util.List;

/**
 * A unit of ordered work of one rank class within one pass over one block.
 *
 * @param id stable: {@code block/operator/phase/kind}, the same after any re-lowering of other operators
 * @param work what is done
 * @param stream where it queues; tasks of one stream run in the order of the list
 * @param after indices of tasks in the same list that must have ended
 */
public record Task(String id, Work work, Stream stream, List<Integer> after) {
    public Task {
        after = List.copyOf(after);
    }

    /** Queues of a device. */
    public enum Stream {
        COMPUTE,
        TENSOR,
        CONTEXT,
        DATA,
        PIPELINE
    }

    /** What a task does. */
    public sealed interface Work {}

    /** Kernels in a row without communication. */
    public record Segment(List<Kernel> kernels) implements Work {
        public Segment {
            kernels = List.copyOf(kernels);
        }
    }

    /**
     * A collective over a mesh dimension, or over neighbouring ones at once ({@code ep+tp}).
     *
     * @param bytes the whole buffer: of the result (all-gather), of the operand (all others), on each rank
     */
    public record Collective(CollectiveKind kind, String dim, long bytes) implements Work {}

    /** Collectives that layouts give rise to. */
    public enum CollectiveKind {
        ALL_REDUCE,
        ALL_GATHER,
        REDUCE_SCATTER,
        ALL_TO_ALL,
        SEND
    }
}
