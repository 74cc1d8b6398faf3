package org.shardplan.search;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.shardplan.cost.StageMemory;
import org.shardplan.plan.Layouts;
import org.shardplan.plan.Recompute;
import org.shardplan.plan.Shorthand;

/**
 * The best layout of one outer tuple whose schedule has no formulas: weight gradients apart, two directions, a user's table. Looks at
 * layouts of virtual stages in which the first and the last hold any number of layers up to the even share (of two stages: any), and those
 * between share the rest evenly; the recomputation of each rank is the least with which it fits. Exact unless {@link #LEAVES} layouts were looked at.
 */
final class StageLayoutSearch {
    /** Layouts priced for one tuple at most. */
    static final int LEAVES = 400;

    private final Tuple tuple;
    private final ShapeCost shape;
    private final Scorer scorer;
    private final SearchSpace space;
    private final long capacityBytes;
    private final double tailSeconds;
    private final boolean recomputeByRank;
    private final double fragmentation;
    private final int stages;
    private long thresholdNanos;
    private Optional<Score> best = Optional.empty();
    private int leaves;

    StageLayoutSearch(
            Tuple tuple,
            ShapeCost shape,
            Scorer scorer,
            SearchSpace space,
            long capacityBytes,
            double tailSeconds,
            long thresholdNanos,
            boolean recomputeByRank,
            double fragmentation) {
        this.fragmentation = fragmentation;
        this.tuple = tuple;
        this.shape = shape;
        this.scorer = scorer;
        this.space = space;
        this.capacityBytes = capacityBytes;
        this.tailSeconds = tailSeconds;
        this.thresholdNanos = thresholdNanos;
        this.recomputeByRank = recomputeByRank;
        stages = tuple.pp() * tuple.vpp();
    }

    boolean exhausted() {
        return leaves >= LEAVES;
    }

    int leaves() {
        return leaves;
    }

    private record Ends(int[] layout, double bound) {}

    /** Runs it; the score of the best layout that beats the threshold. */
    Optional<Score> run(boolean unevenLayouts, Optional<List<Integer>> fixedLayout) {
        if (fixedLayout.isPresent()) {
            if (fixedLayout.get().size() == stages) {
                score(fixedLayout.get());
            }
            return best;
        }
        if (!unevenLayouts) {
            if (shape.layers % stages == 0) {
                score(Layouts.even(shape.layers, stages, 1));
            }
            return best;
        }
        for (Ends ends : ends()) {
            if (!promising(ends.bound) || exhausted()) {
                break;
            }
            score(Arrays.stream(ends.layout).boxed().toList());
        }
        return best;
    }

    private List<Ends> ends() {
        List<Ends> all = new ArrayList<>();
        int share = Math.ceilDiv(shape.layers, stages);
        for (int first = 0; first <= (stages == 2 ? shape.layers : share); first++) {
            int least = stages == 2 ? shape.layers - first : 0;
            for (int last = least; last <= (stages == 2 ? least : share); last++) {
                if (stages > 2 && shape.layers - first - last < stages - 2) {
                    continue; // an inner stage would hold nothing
                }
                int[] layout = Layouts.withEnds(shape.layers, stages, first, last);
                double bound = Arrays.stream(rankSeconds(layout)).max().orElse(0);
                if (promising(bound)) {
                    all.add(new Ends(layout, bound));
                }
            }
        }
        all.sort(Comparator.comparingDouble(Ends::bound)
                .thenComparingInt(ends -> ends.layout[0])
                .thenComparingInt(ends -> ends.layout[stages - 1]));
        return all;
    }

    /** Seconds of all slots of each rank. */
    private double[] rankSeconds(int[] layout) {
        double[] byRank = new double[tuple.pp()];
        double layer = shape.leastLayerSeconds(tuple.recompute());
        int copies = tuple.schedule().copies();
        double share = (double) tuple.microBatches() / copies;
        for (int q = 0; q < stages * copies; q++) {
            int stage = q % stages;
            double seconds = layout[stage] * layer
                    + (stage == 0 ? shape.leastSeconds(shape.embedding) : 0)
                    + (stage == stages - 1 ? shape.leastSeconds(shape.head) : 0);
            byRank[tuple.schedule().rankOf(q, tuple.pp())] += share * seconds;
        }
        return byRank;
    }

    private boolean promising(double seconds) {
        return thresholdNanos == Long.MAX_VALUE
                || seconds <= thresholdNanos / 1e9 * (1 + BoundScan.ROUNDING) - tailSeconds;
    }

    private void score(List<Integer> layout) {
        leaves++;
        Optional<int[]> full =
                tuple.recompute().isFull() || recomputeByRank ? byRank(layout) : sameInEveryChunk(layout);
        if (full.isEmpty()) {
            return;
        }
        Shorthand plan = plan(layout, Arrays.stream(full.get()).boxed().toList());
        Optional<Score> score = scorer.score(plan, shape, thresholdNanos, capacityBytes, tuple.number());
        if (score.isPresent()) {
            best = score;
            thresholdNanos = score.get().stepNanos() - 1;
        }
    }

    /** Fewest layers that each rank must recompute in full to fit, in time; empty where some rank never does. */
    private Optional<int[]> byRank(List<Integer> layout) {
        int[] held = Layouts.layersByRank(plan(layout, List.of()), shape.layers);
        int[] full = new int[held.length];
        for (int rank = 0; rank < full.length; rank++) {
            full[rank] = Math.min(held[rank], tuple.recompute().fullLayers());
        }
        double[] seconds =
                rankSeconds(layout.stream().mapToInt(Integer::intValue).toArray());
        boolean more = space.mayRecomputeMore(tuple.recompute());
        for (boolean first = true; ; first = false) {
            StageMemory memory = memory(layout, full);
            boolean fits = true;
            for (int rank = 0; rank < full.length; rank++) {
                long over = bytes(memory, rank) - capacityBytes;
                if (over > 0) {
                    fits = false;
                    full[rank] += first ? (int) Math.min(held[rank] + 1, leastMore(rank, over)) : 1;
                    double longer = full[rank] * extraSeconds();
                    if (!more || full[rank] > held[rank] || !promising(seconds[rank] + longer)) {
                        return Optional.empty();
                    }
                }
            }
            if (fits) {
                return Optional.of(full);
            }
        }
    }

    /** Likewise the fewest of every virtual stage, the same for all. */
    private Optional<int[]> sameInEveryChunk(List<Integer> layout) {
        int most = layout.stream().mapToInt(Integer::intValue).max().orElse(0);
        boolean more = space.mayRecomputeMore(tuple.recompute());
        if (!more) {
            return byRank(layout);
        }
        for (int each = 0; each <= most; ) {
            int[] full = alike(layout, each);
            StageMemory memory = memory(layout, full);
            int next = each;
            for (int rank = 0; rank < full.length; rank++) {
                long over = bytes(memory, rank) - capacityBytes;
                if (over > 0) {
                    int chunks = Math.ceilDiv(stages * tuple.schedule().copies(), tuple.pp());
                    long step = Math.min(most + 1, Math.ceilDiv(leastMore(rank, over), chunks));
                    next = Math.max(next, each + (each == 0 ? (int) step : 1));
                }
            }
            if (next == each) {
                return Optional.of(full);
            }
            each = next;
        }
        return Optional.empty();
    }

    private StageMemory memory(List<Integer> layout, int[] full) {
        return scorer.memory(plan(layout, Arrays.stream(full).boxed().toList()), shape);
    }

    private long bytes(StageMemory memory, int rank) {
        return Scorer.rankBytes(memory, scorer.schedule(plan(List.of(), List.of())), rank);
    }

    /** No fewer layers than these make up for so many bytes: each that is recomputed frees what all micro-batches in flight keep of it. */
    private long leastMore(int rank, long over) {
        long each = shape.mostSavedBytes()
                * scorer.schedule(plan(List.of(), List.of())).counts().mostSaved(rank);
        return each <= 0 ? Long.MAX_VALUE : Math.max(1, (long) (over / (each * (1 + fragmentation))));
    }

    /** Of a layer that is recomputed in full instead of as the mode says, over all micro-batches of a rank. */
    private double extraSeconds() {
        double selective = tuple.recompute().mode() == Recompute.Mode.SELECTIVE ? shape.selectiveSeconds : 0;
        double share = (double) tuple.microBatches() / tuple.schedule().copies();
        return share * Math.max(0, shape.fullSeconds - selective);
    }

    /** Fully recomputed layers of each rank if every virtual stage recomputes so many, or all that it has. */
    private int[] alike(List<Integer> layout, int each) {
        int[] byRank = new int[tuple.pp()];
        for (int q = 0; q < stages * tuple.schedule().copies(); q++) {
            byRank[tuple.schedule().rankOf(q, tuple.pp())] += Math.min(each, layout.get(q % stages));
        }
        return byRank;
    }

    /** The tuple with this layout and recomputation; choices that are the default are left out. */
    private Shorthand plan(List<Integer> layout, List<Integer> full) {
        boolean even = layout.equals(Layouts.even(shape.layers, stages, 1));
        boolean uniform = tuple.recompute().isFull() || full.stream().distinct().count() <= 1;
        Recompute recompute = tuple.recompute().isFull() || !uniform || full.isEmpty()
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
