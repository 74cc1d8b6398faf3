package org.shardplan.cost;

import org.shardplan.cluster.Cluster;
import org.shardplan.program.StageProgram.Level;
import org.shardplan.workload.Framework;
import org.shardplan.workload.Workload;

/**
 * Bytes of a program by rank and stage. States follow ZeRO's table (Rajbhandari et al. 2020, figure 1) with the framework's widths:
 * 2 + 4 + 12 bytes an element in Megatron with 32-bit gradients and Adam.
 */
public final class MemoryPricer {
    private final Cluster cluster;
    private final Framework framework;
    private final Workload workload;
    private final int weightBytes;

    MemoryPricer(Cluster cluster, Framework framework, Workload workload, int weightBytes) {
        this.cluster = cluster;
        this.framework = framework;
        this.workload = workload;
        this.weightBytes = weightBytes;
    }

    /** Bytes of working weights for so many elements of a rank. */
    public long parametersBytes(long elements, int zero, int dataRanks) {
        return share(elements * weightBytes, zero >= 3, dataRanks);
    }

    public long gradientsBytes(long elements, int zero, int dataRanks) {
        return share(elements * framework.memory().gradientBytes(), zero >= 2, dataRanks);
    }

    /** Master weights and optimizer states. */
    public long optimizerBytes(long elements, int zero, int dataRanks) {
        Framework.Memory memory = framework.memory();
        long each = memory.masterBytes() + (long) memory.stateBytes() * workload.optimizer().states;
        return share(elements * each, zero >= 1, dataRanks);
    }

    private static long share(long bytes, boolean sharded, int ranks) {
        return sharded ? Math.ceilDiv(bytes, ranks) : bytes;
    }

    /** Outside the allocator: context, and buffers of each communicator that the plan opens. */
    public long contextBytes(int tp, int pp, int dp) {
        int communicators = 1 + (tp > 1 ? 1 : 0) + (dp > 1 ? 1 : 0) + (pp > 1 ? 2 : 0);
        return framework.memory().contextBytes()
                + communicators * framework.memory().communicatorBytes();
    }

    /** Activations that one repeat keeps. */
    public static long savedBytes(BlockCost cost, Level level) {
        return switch (level) {
            case NONE -> cost.savedBytes();
            case SELECTIVE -> cost.savedSelectiveBytes();
            case FULL -> cost.savedFullBytes();
        };
    }

    /** Transient bytes of a forward slot: the operands of the largest operator, and a send's buffer. */
    public static long forwardPeakBytes(BlockCost cost) {
        return 2 * cost.largestBytes() + cost.outputBytes();
    }

    /** Transient bytes of a backward slot: gradients of the largest activation, and what recomputation brings back. */
    public static long backwardPeakBytes(BlockCost cost, Level level) {
        long recomputed = savedBytes(cost, Level.NONE) - savedBytes(cost, level);
        return 2 * cost.largestBytes() + cost.outputBytes() + recomputed;
    }

    /** Gathered parameters of two layers at a time (the one that runs, the one that is prefetched), and a gradient of one. */
    public long workingSetBytes(long largestBlockElements, int zero) {
        int gradient = zero >= 2 ? framework.memory().reduceBytes() : 0;
        int weights = zero >= 3 ? 2 * weightBytes : 0;
        return largestBlockElements * (weights + gradient);
    }

    StageMemory price(PricingInput input) {
        int ranks = input.ranks();
        int stages = input.stages().size();
        int dataRanks = input.data().size();
        int zero = input.zero();
        long[] parameters = new long[ranks];
        long[] gradients = new long[ranks];
        long[] states = new long[ranks];
        long[] other = new long[ranks];
        long[] saved = new long[stages];
        long[] forwardPeak = new long[stages];
        long[] backwardPeak = new long[stages];
        long[] largest = new long[ranks];
        for (int q = 0; q < stages; q++) {
            int rank = input.schedule().rankOf(q);
            for (CostRun run : input.stages().get(q)) {
                BlockCost cost = run.cost();
                saved[q] += savedBytes(cost, run.level()) * run.repeats();
                forwardPeak[q] = Math.max(forwardPeak[q], forwardPeakBytes(cost));
                backwardPeak[q] = Math.max(backwardPeak[q], backwardPeakBytes(cost, run.level()));
                largest[rank] = Math.max(largest[rank], cost.elements());
            }
        }
        long[] elements = input.elements();
        for (int rank = 0; rank < ranks; rank++) {
            parameters[rank] = parametersBytes(elements[rank], zero, dataRanks);
            gradients[rank] = gradientsBytes(elements[rank], zero, dataRanks);
            states[rank] = optimizerBytes(elements[rank], zero, dataRanks);
            other[rank] = dataRanks > 1 ? workingSetBytes(largest[rank], zero) : 0;
        }
        return new StageMemory(
                parameters,
                gradients,
                states,
                other,
                saved,
                forwardPeak,
                backwardPeak,
                framework.memory().fragmentation(),
                contextBytes(input.tensor().size(), ranks, dataRanks),
                cluster.device().usableBytes());
    }
}
