package org.shardplan.sim;

import java.util.List;

/**
 * Start and end of each task and memory over time, simulated or measured: one form for both.
 *
 * @param ranks pipeline ranks (classes of equal devices)
 * @param multiplicity devices that each rank class stands for
 * @param events in order of start within a rank and stream
 * @param memory allocated bytes over time, in order of time within a rank
 * @param makespanNanos end of the step
 */
public record Timeline(int ranks, int multiplicity, List<Event> events, List<MemoryPoint> memory, long makespanNanos) {
    public Timeline {
        events = List.copyOf(events);
        memory = List.copyOf(memory);
    }

    /** Queues of a device, by what they carry. */
    public enum Stream {
        COMPUTE,
        SEND_FORWARD,
        SEND_BACKWARD,
        DATA
    }

    /** What an event is. */
    public enum Kind {
        FORWARD,
        BACKWARD,
        WEIGHT,
        SEND,
        GRADIENT_REDUCE,
        OPTIMIZER,
        HOST
    }

    /**
     * One task.
     *
     * @param rank pipeline coordinate
     * @param stage virtual stage, -1 where none
     * @param microBatch from 0, -1 where none
     * @param peerRank of a send, else -1
     */
    public record Event(
            int rank,
            Stream stream,
            Kind kind,
            int stage,
            int microBatch,
            int peerRank,
            long startNanos,
            long endNanos) {}

    /** Allocated bytes of a rank from this moment on. */
    public record MemoryPoint(int rank, long nanos, long allocatedBytes) {}
}
