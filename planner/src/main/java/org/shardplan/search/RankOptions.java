package org.shardplan.search;

import java.util.Arrays;
import org.shardplan.cost.BlockCost;
import org.shardplan.cost.MemoryPricer;
import org.shardplan.cost.StageMemory;
import org.shardplan.cost.StagePeaks;
import org.shardplan.plan.Layouts;
import org.shardplan.plan.Recompute;
import org.shardplan.plan.ScheduleKind;
import org.shardplan.plan.Schedules;
import org.shardplan.program.StageProgram.Level;
import org.shardplan.sim.MemoryWalk;
import org.shardplan.sim.PeakFormula;

/**
 * What a pipeline rank of one tuple can hold: for each number of layers the fewest that must be recomputed in full to fit, and the
 * seconds of one micro-batch. Memory is that of the scored program exactly where all layers
 * take the same, else that of the fullest ones; seconds are a lower bound.
 */
final class RankOptions {
    private static final int UNKNOWN = -2;

    private final Tuple tuple;
    private final ShapeCost shape;
    private final MemoryPricer pricer;
    private final StepEnds ends;
    private final SlotOverhead overhead;
    private final long capacityBytes;
    private final double layerSeconds;
    private final boolean mayRecomputeMore;
    private final Level mode;
    private final int group;
    private final StageMemory probe;
    private final StagePeaks peaks;
    /** By rank and layers; -1 = does not fit in memory and time. */
    private final int[][] fullLayers;

    private final int[][][] chunksOf;

    private double limitSeconds = Double.POSITIVE_INFINITY;

    RankOptions(
            Tuple tuple,
            ShapeCost shape,
            MemoryPricer pricer,
            StepEnds ends,
            SlotOverhead overhead,
            long capacityBytes,
            double fragmentation,
            boolean mayRecomputeMore) {
        this.ends = ends;
        this.overhead = overhead;
        this.tuple = tuple;
        this.shape = shape;
        this.pricer = pricer;
        this.capacityBytes = capacityBytes;
        this.mayRecomputeMore = mayRecomputeMore;
        layerSeconds = shape.layerSeconds(tuple.recompute());
        mode = tuple.recompute().mode() == Recompute.Mode.SELECTIVE ? Level.SELECTIVE : Level.NONE;
        int stages = tuple.pp() * tuple.vpp();
        group = Schedules.group(tuple.pp(), tuple.vpp(), tuple.microBatches());
        peaks = pricer.peaks();
        probe = new StageMemory(
                new long[tuple.pp()],
                new long[tuple.pp()],
                new long[tuple.pp()],
                new long[tuple.pp()],
                new long[tuple.pp()],
                new long[stages],
                new long[stages],
                new long[stages],
                new long[stages],
                fragmentation,
                0,
                capacityBytes);
        chunksOf = new int[2][shape.layers + 1][];
        fullLayers = new int[tuple.pp()][shape.layers + 1];
        for (int[] row : fullLayers) {
            Arrays.fill(row, UNKNOWN);
        }
    }

    /** Only layouts whose step takes no longer are wanted from now on; seconds without tails. */
    void limit(double seconds) {
        limitSeconds = seconds;
    }

    /** Fewest layers recomputed in full with which {@code layers} fit on a rank in time, or -1 where none do. */
    int fullLayers(int rank, int layers) {
        if (fullLayers[rank][layers] == UNKNOWN) {
            fullLayers[rank][layers] = fitsAbove(rank, layers) ? given(layers) : solve(rank, layers);
        }
        return fullLayers[rank][layers];
    }

    /** Layers that the tuple itself recomputes in full. */
    int given(int layers) {
        return Math.min(layers, tuple.recompute().fullLayers());
    }

    /** Whether as many layers fit without more recomputation on the rank above: a rank between the ends has fewer micro-batches in flight. */
    private boolean fitsAbove(int rank, int layers) {
        return rank > 1 && rank < tuple.pp() - 1 && fullLayers[rank - 1][layers] == given(layers);
    }

    /** Forward and backward seconds of one micro-batch on the rank, infinity where it does not fit. */
    double seconds(int rank, int layers) {
        int full = fullLayers(rank, layers);
        return full < 0 ? Double.POSITIVE_INFINITY : seconds(rank, layers, full);
    }

    /** Forward and backward seconds of one micro-batch with so many layers recomputed in full. */
    double seconds(int rank, int layers, int full) {
        double seconds = full * shape.fullLayerSeconds() + (layers - full) * layerSeconds + overhead.rankSeconds(rank);
        if (rank == 0) {
            seconds += shape.seconds(shape.embedding);
        }
        if (rank == tuple.pp() - 1) {
            seconds += shape.seconds(shape.head);
        }
        return seconds;
    }

    /** Least seconds of a step in which the rank holds so many layers, nothing recomputed beyond the mode, without tails. */
    double boundSeconds(int rank, int layers) {
        int full = Math.min(layers, tuple.recompute().fullLayers());
        return tuple.microBatches() * seconds(rank, layers, full) + behindSeconds(rank, layers);
    }

    /** Likewise with what must be recomputed to fit; infinity where it does not fit. */
    double fullBoundSeconds(int rank, int layers) {
        return tuple.microBatches() * seconds(rank, layers) + behindSeconds(rank, layers);
    }

    /**
     * By how much reductions slow its last backward slots; what it waits, or reduces beyond what the first rank does while its last
     * gradient still passes the ranks above.
     */
    private double behindSeconds(int rank, int layers) {
        double wait = waitSeconds(tuple, shape, overhead, rank, layers, inFlight(rank));
        return slowerSeconds(rank, layers) + Math.max(wait, ends.moreSeconds(layers));
    }

    private double slowerSeconds(int rank, int layers) {
        return ends.slowerSeconds(rank, layers, Math.ceilDiv(layers, tuple.vpp()));
    }

    private int inFlight(int rank) {
        return Schedules.inFlight(tuple.schedule(), tuple.pp(), tuple.vpp(), tuple.microBatches(), group, rank);
    }

    /**
     * How long a rank with so many layers waits at least.
     *
     * <p>GPipe: while all micro-batches pass the other ranks once, forward and backward. Else: until the first gradient comes, which
     * is after the first micro-batch has passed all layers forward and the ranks below backward, less the K forward slots that the
     * rank runs until then ({@code inFlight}); and while its own last gradient passes the ranks above.
     */
    static double waitSeconds(Tuple tuple, ShapeCost shape, SlotOverhead overhead, int rank, int layers, int inFlight) {
        int pp = tuple.pp();
        int vpp = tuple.vpp();
        double backward = shape.backwardSeconds(tuple.recompute());
        int others = shape.layers - layers;
        if (tuple.schedule() == ScheduleKind.GPIPE) {
            return others * (shape.forwardSeconds + backward) + overhead.othersSeconds(rank);
        }
        // chunks round down: each other rank may have up to vpp - 1 layers more in its other chunks
        int otherChunks = Math.max(0, others - (pp - 1) * (vpp - 1)) / vpp;
        double early = (shape.layers - (double) inFlight * Math.ceilDiv(layers, vpp)) * shape.forwardSeconds;
        return Math.max(
                0, otherChunks * backward + early + overhead.passingSeconds(rank) + overhead.earlySeconds(inFlight));
    }

    /** Forward and backward seconds of one micro-batch on a rank that holds so many layers. */
    interface RankSeconds {
        double of(int rank, int layers);
    }

    /**
     * Least seconds of a step with this layout, without tails: of its slowest rank, all that it does and how long it waits. As
     * {@link #waitSeconds}, with the chunks known: the ranks below hold the first gradient up by their
     * last chunks, those above the last one by their first.
     */
    double stepSeconds(int[] totals, RankSeconds secondsOf) {
        int last = totals.length - 1;
        int below = 0;
        for (int rank = 0; rank <= last; rank++) {
            below += chunks(rank, totals[rank])[tuple.vpp() - 1];
        }
        int above = 0;
        double worst = 0;
        for (int rank = 0; rank <= last; rank++) {
            int[] own = chunks(rank, totals[rank]);
            below -= own[tuple.vpp() - 1];
            double blocks = (rank == 0 ? 0 : residualBackward(shape.embedding))
                    + (rank == last ? 0 : residualBackward(shape.head));
            double passing =
                    blocks + (above + below) * shape.backwardSeconds(tuple.recompute()) + overhead.passingSeconds(rank);
            double wait = Math.max(0, passing + earlySeconds(rank, own)) + slowerSeconds(rank, totals[rank]);
            worst = Math.max(worst, tuple.microBatches() * secondsOf.of(rank, totals[rank]) + wait);
            above += own[0];
        }
        return worst;
    }

    /** Forward seconds of the first micro-batch's way through all layers, less those of the slots that the rank runs until its first gradient. */
    private double earlySeconds(int rank, int[] own) {
        int slots = inFlight(rank);
        double embedding = rank == 0 ? (slots - 1.0) * shape.seconds(shape.embedding) : 0;
        long early = shape.layers;
        for (int chunk = 0; chunk < own.length && slots > 0; chunk++) {
            int run = Math.min(slots, group);
            early -= (long) run * own[chunk];
            slots -= run;
        }
        early -= (long) slots * own[0]; // those of the next group
        return early * shape.forwardSeconds - embedding + overhead.earlySeconds(inFlight(rank));
    }

    private double residualBackward(BlockCost cost) {
        return shape.seconds(cost) * cost.backwardSeconds() / (cost.forwardSeconds() + cost.backwardSeconds());
    }

    /** What a rank adds to the way of the first micro-batch to the ranks after it and of the last one back. */
    double waySeconds(int rank, int layers) {
        return tuple.vpp() == 1 ? seconds(rank, layers) : layers / tuple.vpp() * layerSeconds;
    }

    /** The first number that fits: a cheap lower bound on bytes, which falls with it, says where to start. */
    private int solve(int rank, int layers) {
        int given = given(layers);
        int most = mayRecomputeMore ? mostInTime(rank, layers) : given;
        if (most < given || !chunksLegal(rank, layers) || bytes(rank, layers, most, true) > capacityBytes) {
            return -1;
        }
        int low = given - 1;
        int high = most;
        while (high - low > 1) {
            int middle = (low + high) / 2;
            if (bytes(rank, layers, middle, true) <= capacityBytes) {
                high = middle;
            } else {
                low = middle;
            }
        }
        for (int full = high; full <= most; full++) {
            if (bytes(rank, layers, full, false) <= capacityBytes) {
                return full;
            }
        }
        return -1;
    }

    /** Layers that can be recomputed before the rank's step takes longer than the limit; -1 where not even none can. */
    private int mostInTime(int rank, int layers) {
        double spare = limitSeconds - boundSeconds(rank, layers);
        double each = tuple.microBatches() * (shape.fullLayerSeconds() - layerSeconds);
        if (spare < 0) {
            return -1;
        }
        return each <= 0 ? layers : (int) Math.min(layers, spare / each);
    }

    private boolean chunksLegal(int rank, int layers) {
        int[] chunks = chunks(rank, layers);
        for (int chunk = 0; chunk < chunks.length; chunk++) {
            if (emptyIsIllegal(rank, chunk, chunks[chunk])) {
                return false;
            }
        }
        return true;
    }

    /** Layers of each chunk; only the last rank's depend on more than their sum. */
    private int[] chunks(int rank, int layers) {
        int[][] known = chunksOf[rank == tuple.pp() - 1 ? 1 : 0];
        if (known[layers] == null) {
            known[layers] = Layouts.chunks(layers, shape.layers, rank, tuple.pp(), tuple.vpp());
        }
        return known[layers];
    }

    private boolean emptyIsIllegal(int rank, int chunk, int layers) {
        boolean edge = (rank == 0 && chunk == 0) || (rank == tuple.pp() - 1 && chunk == tuple.vpp() - 1);
        return layers == 0 && !edge;
    }

    /** Reserved bytes of the rank, as {@code MemoryWalk} would give them, or at least. */
    private long bytes(int rank, int layers, int full, boolean least) {
        int vpp = tuple.vpp();
        int pp = tuple.pp();
        int[] chunks = chunks(rank, layers);
        int[] fullByChunk = Layouts.spreadFull(chunks, full);
        for (int chunk = 0; chunk < vpp; chunk++) {
            boolean first = rank == 0 && chunk == 0;
            boolean last = rank == pp - 1 && chunk == vpp - 1;
            stage(chunk * pp + rank, chunks[chunk], fullByChunk[chunk], first, last);
        }
        statics(rank, layers);
        ScheduleKind kind = tuple.schedule();
        long activations = least
                ? PeakFormula.leastActivationBytes(probe, kind, pp, vpp, tuple.microBatches(), rank)
                : PeakFormula.activationBytes(probe, kind, pp, vpp, tuple.microBatches(), rank);
        long allocated = MemoryWalk.staticBytes(probe, rank) + activations;
        return allocated + (long) Math.ceil(allocated * probe.fragmentation());
    }

    private void stage(int q, int layers, int full, boolean first, boolean last) {
        peaks.start(tuple.zero(), tuple.shards());
        peaks.add(shape.head, Level.NONE, last ? 1 : 0);
        peaks.add(shape.fullest, mode, layers - full);
        peaks.add(shape.fullest, Level.FULL, full);
        peaks.add(shape.embedding, Level.NONE, first ? 1 : 0);
        if (!last && tuple.pp() > 1 && (layers > 0 || first)) {
            peaks.sends(layers > 0 ? shape.layer : shape.embedding);
        }
        probe.savedBytes()[q] = peaks.savedBytes();
        probe.forwardPeakBytes()[q] = peaks.forwardPeakBytes();
        probe.backwardPeakBytes()[q] = peaks.backwardPeakBytes();
    }

    private void statics(int rank, int layers) {
        boolean first = rank == 0;
        boolean last = rank == tuple.pp() - 1;
        long embedding = first ? shape.embedding.elements() : 0;
        long head = last ? shape.head.elements() : 0;
        long edges = embedding + head;
        if (tuple.pp() == 1) {
            edges -= Math.min(shape.embedding.sharedElements(), shape.head.sharedElements());
        }
        long layer = layers > 0 ? shape.fullest.weights() : 0;
        long elements = layers * shape.fullest.elements() + edges;
        long experts = layers * shape.fullest.expertElements();
        long dense = elements - experts;
        BlockCost.Frozen frozen = frozen(layers, first, last);
        int shards = tuple.shards();
        int expertRanks = shards / shape.experts.ranks();
        int zero = tuple.zero();
        probe.parametersBytes()[rank] = pricer.parametersBytes(dense, zero, shards)
                + pricer.parametersBytes(experts, zero, expertRanks)
                + pricer.frozenBytes(frozen, zero, shards, expertRanks);
        probe.gradientsBytes()[rank] =
                pricer.gradientsBytes(dense, zero, shards) + pricer.gradientsBytes(experts, zero, expertRanks);
        probe.optimizerBytes()[rank] =
                pricer.optimizerBytes(dense, zero, shards) + pricer.optimizerBytes(experts, zero, expertRanks);
        probe.stepBytes()[rank] = pricer.stepBytes(dense, zero, shards) + pricer.stepBytes(experts, zero, expertRanks);
        long embeddingWeights = first ? shape.embedding.weights() : 0;
        long headWeights = last ? shape.head.weights() : 0;
        long edgeWeights = Math.max(0, embeddingWeights + headWeights - embedding - head) + edges;
        probe.otherBytes()[rank] = pricer.workingSetBytes(
                layer, edgeWeights, Math.max(embeddingWeights, headWeights), elements, zero, shards);
    }

    private BlockCost.Frozen frozen(int layers, boolean first, boolean last) {
        BlockCost.Frozen each = shape.fullest.frozen();
        long elements = layers * each.elements();
        elements += first ? shape.embedding.frozen().elements() : 0;
        elements += last ? shape.head.frozen().elements() : 0;
        if (tuple.pp() == 1) {
            elements -= Math.min(
                    shape.embedding.frozen().shared(), shape.head.frozen().shared());
        }
        return elements == 0 ? BlockCost.Frozen.NONE : new BlockCost.Frozen(elements, 0, layers * each.expert());
    }
}
