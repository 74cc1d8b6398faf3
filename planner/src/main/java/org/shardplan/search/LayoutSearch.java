package org.shardplan.search;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.shardplan.plan.Layouts;
import org.shardplan.plan.Recompute;
import org.shardplan.plan.Shorthand;

/**
 * The best layout of one outer tuple: how many layers each rank holds and recomputes.
 *
 * <p>1F1B and GPipe: how many layers a rank can hold within the time and memory allowed leaves each rank a small range. A dynamic program over
 * (rank, layers left) gives the least possible bottleneck of the ranks to come; it bounds a depth-first search over ranks, whose leaves are
 * scored. Interleaved: layouts with any first and last rank and even ranks between ({@link Layouts#withEnds}),
 * or lean ones in front where memory is short. Exact unless {@link #LEAVES} layouts were looked at.
 */
final class LayoutSearch {
    /** Layouts looked at for one tuple at most. */
    static final int LEAVES = 4000;

    private final Tuple tuple;
    private final RankOptions options;
    private final ShapeCost shape;
    private final Scorer scorer;
    private final long capacityBytes;
    private final double tailSeconds;
    private final boolean recomputeByRank;
    private final BooleanSupplier stop;
    private boolean halted;
    private final int[] layersByRank;
    private final int[] fewest;
    private final int[] most;

    private double[][] bottleneck = {};
    private long thresholdNanos;
    private Optional<Score> best = Optional.empty();
    private int leaves;
    private int visited;

    /** @param stop whether to give up: what was found so far counts, and {@link #exhausted} says that it may not be the best */
    LayoutSearch(
            Tuple tuple,
            RankOptions options,
            ShapeCost shape,
            Scorer scorer,
            long capacityBytes,
            double tailSeconds,
            long thresholdNanos,
            boolean recomputeByRank,
            BooleanSupplier stop) {
        this.stop = stop;
        this.tuple = tuple;
        this.options = options;
        this.shape = shape;
        this.scorer = scorer;
        this.capacityBytes = capacityBytes;
        this.tailSeconds = tailSeconds;
        this.thresholdNanos = thresholdNanos;
        this.recomputeByRank = recomputeByRank;
        options.limit(limitSeconds());
        layersByRank = new int[tuple.pp()];
        fewest = new int[tuple.pp()];
        most = new int[tuple.pp()];
    }

    /** Runs it; the score of the best layout that beats the threshold. */
    Optional<Score> run(boolean unevenLayouts, Optional<List<Integer>> fixedLayout) {
        if (fixedLayout.isPresent()) {
            if (fixedLayout.get().size() == tuple.pp() * tuple.vpp()) {
                System.arraycopy(Layouts.layersByRank(fixedLayout.get(), tuple.pp()), 0, layersByRank, 0, tuple.pp());
                score(fixedLayout.get());
            }
            return best;
        }
        if (!unevenLayouts || tuple.pp() == 1) {
            Arrays.fill(layersByRank, shape.layers / tuple.pp());
            if (promising(options.fullBoundSeconds(0, layersByRank[0]))) {
                leaf();
            }
            return best;
        }
        boolean feasible = ranges();
        if (feasible && tuple.vpp() > 1) {
            ends();
        } else if (feasible) {
            fillBottlenecks();
            if (promising(bottleneck[0][shape.layers]) && !halt()) {
                descend(0, shape.layers, 0);
            }
        }
        return best;
    }

    /** Whether the limit on leaves, or the end of the budget, cut the search short. */
    boolean exhausted() {
        return visited >= LEAVES || halted;
    }

    private boolean halt() {
        halted = halted || stop.getAsBoolean();
        return halted;
    }

    int leaves() {
        return leaves;
    }

    private boolean promising(double seconds) {
        return seconds < Double.POSITIVE_INFINITY && seconds <= limitSeconds();
    }

    /** Seconds of slots that a layout may take: the threshold without tails, with room for rounding. */
    private double limitSeconds() {
        return thresholdNanos == Long.MAX_VALUE
                ? Double.POSITIVE_INFINITY
                : thresholdNanos / 1e9 * (1 + BoundScan.ROUNDING) - tailSeconds;
    }

    /**
     * What each rank may hold in time, by {@link RankOptions#boundSeconds}, then in memory too; false as soon as that is too little for all
     * layers.
     */
    private boolean ranges() {
        int pp = tuple.pp();
        double each = tuple.microBatches() * shape.layerSeconds(tuple.recompute());
        int sum = 0;
        for (int rank = 0; rank < pp && !halt(); rank++) {
            // the bound rises with layers: start where a rank that never waits would be
            int layers = (int) Math.min(shape.layers, limitSeconds() / each);
            while (layers >= 0 && !promising(options.boundSeconds(rank, layers))) {
                layers--;
            }
            if (layers < 0) {
                return false;
            }
            most[rank] = layers;
            sum += layers;
        }
        for (int rank = 0; rank < pp && sum >= shape.layers; rank++) {
            while (most[rank] > 0
                    && sum >= shape.layers
                    && !halt()
                    && !promising(options.fullBoundSeconds(rank, most[rank]))) {
                most[rank]--;
                sum--;
            }
        }
        for (int rank = 0; rank < pp; rank++) {
            fewest[rank] = Math.max(0, shape.layers - (sum - most[rank]));
        }
        return sum >= shape.layers && !halt();
    }

    /** Rank totals and their bound. */
    private record Ends(int first, int last, int lean, double bound) {}

    /** Interleaved: all layouts that differ in what the first and the last rank hold, the most promising first. */
    private void ends() {
        List<Ends> all = new ArrayList<>();
        int pp = tuple.pp();
        for (int first = fewest[0]; first <= most[0]; first++) {
            int mostLast = Math.min(most[pp - 1], shape.layers - first);
            for (int last = fewest[pp - 1]; last <= mostLast && !halt(); last++) {
                if (pp > 2 || first + last == shape.layers) {
                    ends(first, last, all);
                }
            }
        }
        all.sort(Comparator.comparingDouble(Ends::bound)
                .thenComparingInt(Ends::first)
                .thenComparingInt(Ends::last)
                .thenComparingInt(Ends::lean));
        for (Ends ends : all) {
            if (!promising(ends.bound) || halt()) {
                return;
            }
            int[] totals = Layouts.withEnds(shape.layers, pp, ends.first, ends.last, ends.lean);
            System.arraycopy(totals, 0, layersByRank, 0, pp);
            leaf();
        }
    }

    /** The even inner ranks; where one of them does not fit without more recomputation, also those with lean ranks in front. */
    private void ends(int first, int last, List<Ends> all) {
        int pp = tuple.pp();
        int[] even = Layouts.withEnds(shape.layers, pp, first, last);
        add(first, last, 0, even, all);
        boolean tight = false;
        for (int rank = 1; rank < pp - 1; rank++) {
            tight |= options.fullLayers(rank, even[rank]) != options.given(even[rank]);
        }
        for (int lean = 1; tight && lean < pp - 2 && !halt(); lean++) {
            add(first, last, lean, Layouts.withEnds(shape.layers, pp, first, last, lean), all);
        }
    }

    private void add(int first, int last, int lean, int[] totals, List<Ends> all) {
        double bound = bound(totals);
        if (promising(bound)) {
            all.add(new Ends(first, last, lean, bound));
        }
    }

    /** Least seconds of a layout: of its slowest rank, infinity where one does not fit. */
    private double bound(int[] totals) {
        for (int rank = 0; rank < totals.length; rank++) {
            if (totals[rank] > most[rank] || totals[rank] < fewest[rank]) {
                return Double.POSITIVE_INFINITY;
            }
        }
        return options.stepSeconds(totals, options::seconds);
    }

    /** Likewise with so many layers of each rank recomputed. */
    private double bound(int[] totals, List<Integer> full) {
        return options.stepSeconds(totals, (rank, layers) -> options.seconds(rank, layers, full.get(rank)));
    }

    private void fillBottlenecks() {
        bottleneck = new double[tuple.pp() + 1][shape.layers + 1];
        Arrays.fill(bottleneck[tuple.pp()], Double.POSITIVE_INFINITY);
        bottleneck[tuple.pp()][0] = 0;
        for (int rank = tuple.pp() - 1; rank >= 0; rank--) {
            double[] own = bottleneck[rank];
            double[] later = bottleneck[rank + 1];
            Arrays.fill(own, Double.POSITIVE_INFINITY);
            for (int layers = fewest[rank]; layers <= most[rank] && !halt(); layers++) {
                double seconds = options.fullBoundSeconds(rank, layers);
                if (!promising(seconds)) {
                    continue;
                }
                for (int left = layers; left <= shape.layers; left++) {
                    double both = Math.max(seconds, later[left - layers]);
                    own[left] = Math.min(own[left], both);
                }
            }
        }
    }

    private record Choice(int layers, double bound) {}

    private void descend(int rank, int left, double waySeconds) {
        if (rank == tuple.pp()) {
            leaf();
            return;
        }
        List<Choice> choices = new ArrayList<>();
        for (int layers = fewest[rank]; layers <= Math.min(most[rank], left); layers++) {
            double bound = Math.max(options.fullBoundSeconds(rank, layers), bottleneck[rank + 1][left - layers]);
            double behind = waySeconds + tuple.microBatches() * options.seconds(rank, layers);
            if (promising(Math.max(bound, behind))) {
                choices.add(new Choice(layers, bound));
            }
        }
        choices.sort(Comparator.comparingDouble(Choice::bound).thenComparingInt(Choice::layers));
        for (Choice choice : choices) {
            if (visited < LEAVES && promising(choice.bound) && !halt()) {
                layersByRank[rank] = choice.layers;
                descend(rank + 1, left - choice.layers, waySeconds + options.waySeconds(rank, choice.layers));
            }
        }
    }

    private void leaf() {
        visited++;
        score(Layouts.ofRanks(layersByRank, tuple.vpp()));
    }

    /** Scores a layout with the least recomputation that fits; where chunks must recompute alike, with the next number too. */
    private void score(List<Integer> layout) {
        List<Integer> full = new ArrayList<>();
        for (int rank = 0; rank < tuple.pp(); rank++) {
            full.add(Math.max(0, options.fullLayers(rank, layersByRank[rank])));
        }
        if (recomputeByRank || tuple.recompute().isFull()) {
            score(plan(layout, full));
            return;
        }
        int each = 0;
        while (!covers(alike(layout, each), full)) {
            each++;
        }
        for (int tries = each == 0 ? 1 : 2; tries > 0; tries--, each++) {
            List<Integer> all = alike(layout, each);
            if (promising(bound(layersByRank, all)) && score(plan(layout, all))) {
                return;
            }
        }
    }

    /** Fully recomputed layers of each rank if every chunk recomputes so many, or all that it has. */
    private List<Integer> alike(List<Integer> layout, int each) {
        int[] byRank = new int[tuple.pp()];
        for (int stage = 0; stage < layout.size(); stage++) {
            byRank[stage % tuple.pp()] += Math.min(each, layout.get(stage));
        }
        return Arrays.stream(byRank).boxed().toList();
    }

    private static boolean covers(List<Integer> all, List<Integer> needed) {
        for (int rank = 0; rank < needed.size(); rank++) {
            if (all.get(rank) < needed.get(rank)) {
                return false;
            }
        }
        return true;
    }

    private boolean score(Shorthand plan) {
        leaves++;
        Optional<Score> score = scorer.score(plan, shape, thresholdNanos, capacityBytes, tuple.number());
        if (score.isPresent()) {
            best = score;
            thresholdNanos = score.get().stepNanos() - 1;
            options.limit(limitSeconds());
        }
        return score.isPresent();
    }

    /** The tuple with this layout and recomputation; choices that are the default are left out. */
    private Shorthand plan(List<Integer> layout, List<Integer> full) {
        boolean even = layout.equals(Layouts.even(shape.layers, tuple.pp(), tuple.vpp()));
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
                uniform ? List.of() : full,
                tuple.ep(),
                tuple.etp(),
                tuple.context(),
                tuple.replicas());
    }
}
