package org.shardplan.search;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.shardplan.plan.Layouts;
import org.shardplan.plan.Recompute;
import org.shardplan.plan.Shorthand;

/**
 * The best layout of one outer tuple: how many layers each rank holds and recomputes.
 *
 * <p>A dynamic program over (rank, layers left) gives the least possible bottleneck under each rank's memory; it bounds a depth-first
 * search over ranks, whose leaves are scored by sweep. Exact unless {@link #LEAVES} layouts of equal promise were scored.
 */
final class LayoutSearch {
    /** Layouts scored for one tuple at most. */
    static final int LEAVES = 400;

    private final Tuple tuple;
    private final RankOptions options;
    private final ShapeCost shape;
    private final Scorer scorer;
    private final long capacityBytes;
    private final double tailSeconds;
    private final int[] layersByRank;
    /** Least bottleneck seconds of a micro-batch for ranks from r on with so many layers left. */
    private final double[][] bottleneck;

    private long thresholdNanos;
    private Optional<Score> best = Optional.empty();
    private int leaves;

    LayoutSearch(
            Tuple tuple,
            RankOptions options,
            ShapeCost shape,
            Scorer scorer,
            long capacityBytes,
            double tailSeconds,
            long thresholdNanos) {
        this.tuple = tuple;
        this.options = options;
        this.shape = shape;
        this.scorer = scorer;
        this.capacityBytes = capacityBytes;
        this.tailSeconds = tailSeconds;
        this.thresholdNanos = thresholdNanos;
        layersByRank = new int[tuple.pp()];
        bottleneck = new double[tuple.pp() + 1][shape.layers + 1];
    }

    /** Runs it; the score of the best layout that beats the threshold. */
    Optional<Score> run(boolean unevenLayouts, Optional<List<Integer>> fixedLayout) {
        if (fixedLayout.isPresent()) {
            if (fixedLayout.get().size() == tuple.pp() * tuple.vpp()) {
                System.arraycopy(Layouts.layersByRank(fixedLayout.get(), tuple.pp()), 0, layersByRank, 0, tuple.pp());
                score(plan(fixedLayout.get()));
            }
            return best;
        }
        if (!unevenLayouts || tuple.pp() == 1) {
            Arrays.fill(layersByRank, shape.layers / tuple.pp());
            leaf();
            return best;
        }
        fillBottlenecks();
        if (promising(bottleneck[0][shape.layers], 0)) {
            descend(0, shape.layers, 0);
        }
        return best;
    }

    /** Whether the limit on leaves cut the search short. */
    boolean exhausted() {
        return leaves >= LEAVES;
    }

    int leaves() {
        return leaves;
    }

    private boolean promising(double microBatchSeconds, double prefixSeconds) {
        double seconds = tuple.microBatches() * microBatchSeconds + prefixSeconds + tailSeconds;
        return seconds * 1e9 * (1 - 2e-6) <= thresholdNanos;
    }

    private int most(int rank, int left) {
        int others = Math.max(0, (tuple.pp() - rank - 1) * tuple.vpp() - 1);
        return Math.max(0, left - others);
    }

    private void fillBottlenecks() {
        Arrays.fill(bottleneck[tuple.pp()], Double.POSITIVE_INFINITY);
        bottleneck[tuple.pp()][0] = 0;
        for (int rank = tuple.pp() - 1; rank >= 0; rank--) {
            Arrays.fill(bottleneck[rank], Double.POSITIVE_INFINITY);
            for (int layers = 0; layers <= shape.layers; layers++) {
                double seconds = options.seconds(rank, layers);
                if (Double.isInfinite(seconds)) {
                    continue;
                }
                if (!promising(seconds, 0)) {
                    break;
                }
                for (int left = layers; left <= shape.layers; left++) {
                    double both = Math.max(seconds, bottleneck[rank + 1][left - layers]);
                    bottleneck[rank][left] = Math.min(bottleneck[rank][left], both);
                }
            }
        }
    }

    /** What a rank adds to the way of the first micro-batch to the ranks after it and back. */
    private double prefix(int rank, int layers) {
        if (tuple.vpp() == 1) {
            return options.seconds(rank, layers);
        }
        return layers / tuple.vpp() * shape.layerSeconds(tuple.recompute().mode());
    }

    private void descend(int rank, int left, double prefixSeconds) {
        if (rank == tuple.pp()) {
            leaf();
            return;
        }
        record Choice(int layers, double bound) {}
        List<Choice> choices = new ArrayList<>();
        for (int layers = 0; layers <= most(rank, left); layers++) {
            double own = options.seconds(rank, layers);
            double later = bottleneck[rank + 1][left - layers];
            if (!Double.isInfinite(own) && !Double.isInfinite(later)) {
                choices.add(new Choice(layers, Math.max(own, later)));
            }
        }
        choices.sort(Comparator.comparingDouble(Choice::bound).thenComparingInt(Choice::layers));
        for (Choice choice : choices) {
            int layers = choice.layers;
            double next = prefixSeconds + prefix(rank, layers);
            boolean hopeful = promising(options.seconds(rank, layers), prefixSeconds)
                    && promising(bottleneck[rank + 1][left - layers], next);
            if (hopeful && leaves < LEAVES) {
                layersByRank[rank] = layers;
                descend(rank + 1, left - layers, next);
            }
        }
    }

    private void leaf() {
        score(plan(Layouts.ofRanks(layersByRank, tuple.vpp())));
    }

    private void score(Shorthand plan) {
        leaves++;
        Optional<Score> score = scorer.score(plan, thresholdNanos, capacityBytes, tuple.number());
        if (score.isPresent()) {
            best = score;
            thresholdNanos = score.get().stepNanos() - 1;
        }
    }

    /** The tuple with this layout and the least recomputation; choices that are the default are left out. */
    private Shorthand plan(List<Integer> layout) {
        boolean even = layout.equals(Layouts.even(shape.layers, tuple.pp(), tuple.vpp()));
        List<Integer> full = new ArrayList<>();
        for (int rank = 0; rank < tuple.pp(); rank++) {
            full.add(Math.max(0, options.fullLayers(rank, layersByRank[rank])));
        }
        boolean uniform = tuple.recompute().isFull() || full.stream().distinct().count() == 1;
        Recompute recompute = tuple.recompute().isFull() || !uniform
                ? tuple.recompute()
                : new Recompute(tuple.recompute().mode(), full.getFirst());
        return new Shorthand(
                tuple.tp(),
                tuple.pp(),
                tuple.vpp(),
                tuple.dp(),
                tuple.microBatch(),
                tuple.sequenceParallel(),
                tuple.zero(),
                recompute,
                tuple.schedule(),
                tuple.order(),
                even ? List.of() : layout,
                uniform ? List.of() : full);
    }
}
