package org.shardplan.search;

import java.util.Arrays;
import org.shardplan.cost.BlockCost;
import org.shardplan.cost.MemoryPricer;
import org.shardplan.cost.StageMemory;
import org.shardplan.plan.Layouts;
import org.shardplan.plan.Recompute;
import org.shardplan.program.StageProgram.Level;
import org.shardplan.sim.PeakFormula;

/**
 * What a pipeline rank of one tuple can hold: for each number of layers the fewest that must be recomputed in full to fit, and the
 * seconds of one micro-batch. Memory is that of the scored program exactly; seconds are a lower bound.
 */
final class RankOptions {
    private final Tuple tuple;
    private final ShapeCost shape;
    private final MemoryPricer pricer;
    private final long capacityBytes;
    private final int mostLayers;
    private final boolean mayRecomputeMore;
    private final Level mode;
    private final StageMemory probe;
    /** By rank and layers; -2 = not yet known, -1 = does not fit. */
    private final int[][] fullLayers;

    RankOptions(
            Tuple tuple,
            ShapeCost shape,
            MemoryPricer pricer,
            long capacityBytes,
            double fragmentation,
            boolean mayRecomputeMore) {
        this.tuple = tuple;
        this.shape = shape;
        this.pricer = pricer;
        this.capacityBytes = capacityBytes;
        this.mayRecomputeMore = mayRecomputeMore;
        mostLayers = shape.layers;
        mode = tuple.recompute().mode() == Recompute.Mode.SELECTIVE ? Level.SELECTIVE : Level.NONE;
        int stages = tuple.pp() * tuple.vpp();
        probe = new StageMemory(
                new long[tuple.pp()],
                new long[tuple.pp()],
                new long[tuple.pp()],
                new long[tuple.pp()],
                new long[stages],
                new long[stages],
                new long[stages],
                fragmentation,
                0,
                capacityBytes);
        fullLayers = new int[tuple.pp()][mostLayers + 1];
        for (int[] row : fullLayers) {
            Arrays.fill(row, -2);
        }
    }

    /** Fewest layers recomputed in full with which {@code layers} fit on a rank, or -1 where none do. */
    int fullLayers(int rank, int layers) {
        if (fullLayers[rank][layers] == -2) {
            fullLayers[rank][layers] = solve(rank, layers);
        }
        return fullLayers[rank][layers];
    }

    /** Forward and backward seconds of one micro-batch on the rank, infinity where it does not fit. */
    double seconds(int rank, int layers) {
        int full = fullLayers(rank, layers);
        if (full < 0) {
            return Double.POSITIVE_INFINITY;
        }
        double seconds = full * shape.fullLayerSeconds()
                + (layers - full) * shape.layerSeconds(tuple.recompute().mode());
        if (rank == 0) {
            seconds += shape.embeddingSeconds;
        }
        if (rank == tuple.pp() - 1) {
            seconds += shape.headSeconds;
        }
        return seconds;
    }

    private int solve(int rank, int layers) {
        int given = Math.min(layers, tuple.recompute().fullLayers());
        int full = given;
        while (true) {
            long over = totalBytes(rank, layers, full) - capacityBytes;
            if (over <= 0) {
                return full;
            }
            if (!mayRecomputeMore || full >= layers) {
                return -1;
            }
            full++;
        }
    }

    private boolean emptyIsIllegal(int rank, int chunk, int layers) {
        boolean edge = (rank == 0 && chunk == 0) || (rank == tuple.pp() - 1 && chunk == tuple.vpp() - 1);
        return layers == 0 && !edge;
    }

    /** Reserved and context bytes of the rank, as {@code MemoryWalk} would give them; the most there is for a hole in the layout. */
    private long totalBytes(int rank, int layers, int full) {
        int vpp = tuple.vpp();
        int pp = tuple.pp();
        int[] chunks = Layouts.spread(layers, vpp, rank == pp - 1 && pp > 1);
        int[] fullByChunk = Layouts.spreadFull(chunks, full);
        for (int chunk = 0; chunk < vpp; chunk++) {
            if (emptyIsIllegal(rank, chunk, chunks[chunk])) {
                return Long.MAX_VALUE;
            }
            boolean first = rank == 0 && chunk == 0;
            boolean last = rank == pp - 1 && chunk == vpp - 1;
            stage(chunk * pp + rank, chunks[chunk], fullByChunk[chunk], first, last);
        }
        statics(rank, layers);
        long allocated = PeakFormula.allocatedBytes(probe, tuple.schedule(), pp, vpp, tuple.microBatches(), rank);
        long reserved = allocated + (long) Math.ceil(allocated * probe.fragmentation());
        return reserved;
    }

    private void stage(int q, int layers, int full, boolean first, boolean last) {
        probe.savedBytes()[q] = 0;
        probe.forwardPeakBytes()[q] = 0;
        probe.backwardPeakBytes()[q] = 0;
        add(q, shape.layer, Level.FULL, full);
        add(q, shape.layer, mode, layers - full);
        add(q, shape.embedding, Level.NONE, first ? 1 : 0);
        add(q, shape.head, Level.NONE, last ? 1 : 0);
    }

    private void add(int q, BlockCost cost, Level level, int repeats) {
        if (repeats > 0) {
            probe.savedBytes()[q] += repeats * MemoryPricer.savedBytes(cost, level);
            probe.forwardPeakBytes()[q] =
                    Math.max(probe.forwardPeakBytes()[q], MemoryPricer.forwardPeakBytes(cost));
            probe.backwardPeakBytes()[q] =
                    Math.max(probe.backwardPeakBytes()[q], MemoryPricer.backwardPeakBytes(cost, level));
        }
    }

    private void statics(int rank, int layers) {
        boolean first = rank == 0;
        boolean last = rank == tuple.pp() - 1;
        long elements = layers * shape.layer.elements();
        long largest = layers > 0 ? shape.layer.elements() : 0;
        if (first) {
            elements += shape.embedding.elements();
            largest = Math.max(largest, shape.embedding.elements());
        }
        if (last) {
            elements += shape.head.elements();
            largest = Math.max(largest, shape.head.elements());
        }
        if (tuple.pp() == 1) {
            elements -= shape.sharedElements;
        }
        int zero = tuple.zero();
        probe.parametersBytes()[rank] = pricer.parametersBytes(elements, zero, tuple.dp());
        probe.gradientsBytes()[rank] = pricer.gradientsBytes(elements, zero, tuple.dp());
        probe.optimizerBytes()[rank] = pricer.optimizerBytes(elements, zero, tuple.dp());
        probe.otherBytes()[rank] = tuple.dp() > 1 ? pricer.workingSetBytes(largest, zero) : 0;
    }
}
