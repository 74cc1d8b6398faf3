package org.shardplan.cost;

import java.util.List;
import org.shardplan.cluster.Cluster;
import org.shardplan.program.StageProgram.Level;
import org.shardplan.workload.Framework;
import org.shardplan.workload.Workload;
import org.shardplan.workload.Workspace;

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

    /** Bytes of weights that are not trained: kept as products read them, so that formats that are cast to need no second copy. */
    public long frozenBytes(BlockCost.Frozen frozen, int zero, int dataRanks, int expertRanks) {
        int bytes = frozenBytes();
        return share(frozen.dense() * bytes, zero >= 3, dataRanks)
                + share(frozen.expert() * bytes, zero >= 3, expertRanks);
    }

    /** Of one such element. */
    int frozenBytes() {
        return workload.precision().isCast() ? workload.precision().bytes : weightBytes;
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
    public long contextBytes(int tp, int pp, int cp, int dp) {
        int communicators = 1 + (tp > 1 ? 1 : 0) + (cp > 1 ? 1 : 0) + (dp > 1 ? 1 : 0) + (pp > 1 ? 2 : 0);
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

    /** What ZeRO-2 and -3 hold of a unit's gradients until they are reduced: as made, and the copy that is reduced. */
    long unshardedBytes(long elements, long frozen) {
        return unit(elements) * weightBytes + unit(frozen) * frozenBytes() + reducedBytes(elements);
    }

    long reducedBytes(long elements) {
        return unit(elements) * framework.memory().reduceBytes();
    }

    /** Elements of a block that are gathered at a time. */
    private long unit(long elements) {
        long limit = framework.memory().workspace().unitBytes();
        return limit == 0 ? elements : Math.min(elements, limit / weightBytes);
    }

    /**
     * What stays allocated beside states: what the code keeps once for all layers, and once for embedding or head; under ZeRO-3 the gathered parameters of two
     * units (the one that runs, the one that is prefetched) and of the root unit; the buckets that gradients are copied into, two at a time under ZeRO.
     *
     * @param layerElements of the largest layer on the rank
     * @param edgeElements of embedding and head, as far as the rank has them
     * @param largestEdge of the larger of the two
     * @param elements all of the rank
     */
    public long workingSetBytes(
            long layerElements, long edgeElements, long largestEdge, long elements, int zero, int dataRanks) {
        Workspace workspace = framework.memory().workspace();
        long once = layerElements * workspace.layerBytes() + largestEdge * workspace.edgeBytes();
        if (dataRanks == 1) {
            return once;
        }
        long buckets = zero == 0
                ? elements * workspace.bucketBytes()
                : Math.min(
                        workspace.reduceBucketBytes(),
                        2 * elements * framework.memory().reduceBytes());
        long gathered = workspace.gatheredRoot()
                ? 2 * unit(layerElements) + edgeElements
                : 2 * unit(Math.max(layerElements, edgeElements));
        return once + buckets + (zero >= 3 ? gathered * weightBytes : 0);
    }

    /** Temporaries of the optimizer's step, when no activations are left. */
    public long stepBytes(long elements, int zero, int dataRanks) {
        return share(elements * framework.memory().workspace().stepBytes(), zero >= 1, dataRanks);
    }

    /** What a stage keeps of what it has sent. */
    long sentBytes(BlockCost last) {
        return framework.memory().workspace().copies().contains("stage-output") ? last.outputBytes() : 0;
    }

    /** What sums up a stage's blocks. */
    public StagePeaks peaks() {
        return new StagePeaks(this);
    }

    /** Bytes of a whole program. */
    public StageMemory price(PricingInput input) {
        int ranks = input.ranks();
        int stages = input.stages().size();
        int dataRanks = input.data().dense().size();
        int expertRanks = input.data().expert().size();
        int zero = input.zero();
        long[] parameters = new long[ranks];
        long[] gradients = new long[ranks];
        long[] states = new long[ranks];
        long[] saved = new long[stages];
        long[] kept = new long[stages];
        long[] forwardPeak = new long[stages];
        long[] backwardPeak = new long[stages];
        long[] step = new long[ranks];
        long[] layer = new long[ranks];
        StagePeaks peaks = peaks();
        for (int q = 0; q < stages; q++) {
            int rank = input.schedule().rankOf(q);
            layer[rank] = Math.max(layer[rank], sum(peaks, input, q));
            saved[q] = peaks.savedBytes();
            kept[q] = peaks.keptBytes();
            forwardPeak[q] = peaks.forwardPeakBytes();
            backwardPeak[q] = peaks.backwardPeakBytes();
        }
        long[] elements = input.elements();
        long[] experts = input.expertElements();
        BlockCost.Frozen[] frozen = input.frozen();
        for (int rank = 0; rank < ranks; rank++) {
            long dense = elements[rank] - experts[rank];
            parameters[rank] = parametersBytes(dense, zero, dataRanks)
                    + parametersBytes(experts[rank], zero, expertRanks)
                    + frozenBytes(frozen[rank], zero, dataRanks, expertRanks);
            gradients[rank] = gradientsBytes(dense, zero, dataRanks) + gradientsBytes(experts[rank], zero, expertRanks);
            states[rank] = optimizerBytes(dense, zero, dataRanks) + optimizerBytes(experts[rank], zero, expertRanks);
            step[rank] = stepBytes(dense, zero, dataRanks) + stepBytes(experts[rank], zero, expertRanks);
        }
        return new StageMemory(
                parameters,
                gradients,
                states,
                workingSets(input, layer, elements),
                step,
                saved,
                kept,
                forwardPeak,
                backwardPeak,
                framework.memory().fragmentation(),
                contextBytes(
                        input.tensor().size(),
                        ranks,
                        input.contextRanks(),
                        input.data().ranks()),
                cluster.device().usableBytes());
    }

    /** Sums a stage's blocks up; weights of its largest layer. */
    private static long sum(StagePeaks peaks, PricingInput input, int q) {
        List<CostRun> stage = input.stages().get(q);
        long largest = 0;
        peaks.start(input.zero(), input.data().dense().size(), input.schedule().splits());
        for (int n = stage.size() - 1; n >= 0; n--) {
            CostRun run = stage.get(n);
            peaks.add(run.cost(), run.level(), run.repeats());
            largest =
                    input.isEdge(q, n) ? largest : Math.max(largest, run.cost().weights());
        }
        if (!input.schedule().isLast(q) && input.ranks() > 1 && !stage.isEmpty()) {
            peaks.sends(stage.getLast().cost());
        }
        return largest;
    }

    /** By rank; {@code layer} holds the weights of the largest layer, {@code elements} all that are trained. */
    private long[] workingSets(PricingInput input, long[] layer, long[] elements) {
        long[] bytes = new long[layer.length];
        for (int rank = 0; rank < bytes.length; rank++) {
            bytes[rank] = workingSetBytes(
                    layer[rank],
                    input.edgeElements(rank),
                    input.largestEdge(rank),
                    elements[rank],
                    input.zero(),
                    input.data().dense().size());
        }
        return bytes;
    }
}
