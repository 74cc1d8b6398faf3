package org.shardplan.search;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToDoubleFunction;
import org.shardplan.cost.BlockCost;
import org.shardplan.cost.CostRun;
import org.shardplan.cost.DataGroups;
import org.shardplan.cost.PricingInput;
import org.shardplan.cost.ProgramPricer;
import org.shardplan.cost.RankGroups;
import org.shardplan.graph.Block;
import org.shardplan.graph.OperatorGraph;
import org.shardplan.plan.ContextParallel;
import org.shardplan.plan.ExpertMesh;
import org.shardplan.plan.Layouts;
import org.shardplan.plan.MeshOrder;
import org.shardplan.plan.Recompute;
import org.shardplan.plan.Schedule;
import org.shardplan.plan.Shorthand;
import org.shardplan.plan.Stage;
import org.shardplan.program.BlockCache;
import org.shardplan.program.BlockProgram;
import org.shardplan.program.GroupPattern;
import org.shardplan.program.StageProgram.Level;

/**
 * What one micro-batch costs under one (tp, cp, micro-batch, sp, ep, etp): lowered and swept blocks, as numbers. For bounds, where layers differ
 * (windows), the cheapest stands for all; a plan's stages are exact.
 */
final class ShapeCost {
    final int tp;
    final int microBatch;
    final boolean sequenceParallel;
    final ContextParallel context;
    final ExpertMesh experts;
    final int layers;
    final BlockCost layer;
    /** The layer with the most parameters, and the one with the fewest. */
    final BlockCost fullest;

    final BlockCost leanest;
    /** Parameters of a layer that all data ranks hold, at the least. */
    final long leastDenseElements;

    final BlockCost embedding;
    final BlockCost head;
    /** Seconds of the cheapest layer, residual factor included. */
    final double forwardSeconds;

    final double backwardSeconds;
    final double selectiveSeconds;
    final double fullSeconds;
    private final double residual;
    private final long elements;
    private final long denseElements;
    private final long leastSavedBytes;
    private final long leastSavedSelectiveBytes;
    /** Price of each layer of the chain. */
    private final BlockCost[] chain;
    /** Whether all layers have the same price. */
    private final boolean alike;

    private final Map<Integer, List<CostRun>> inner = new ConcurrentHashMap<>();

    ShapeCost(
            OperatorGraph graph,
            BlockCache blocks,
            ProgramPricer pricer,
            int tp,
            int microBatch,
            boolean sequenceParallel,
            boolean data,
            ContextParallel context,
            ExpertMesh experts) {
        this.tp = tp;
        this.microBatch = microBatch;
        this.sequenceParallel = sequenceParallel;
        this.context = context;
        this.experts = experts;
        this.layers = graph.layers();
        RankGroups groups = RankGroups.of(new GroupPattern(tp, 1), context.ranks(), experts);
        chain = new BlockCost[layers];
        BlockCost first = null;
        BlockCost last = null;
        int next = 0;
        for (Block block : graph.blocks()) {
            BlockProgram program = blocks.get(block, tp, sequenceParallel, microBatch, data, context, experts);
            BlockCost cost = pricer.blocks().price(program, groups);
            switch (block.kind()) {
                case EMBEDDING -> first = cost;
                case HEAD -> last = cost;
                case LAYER -> {
                    for (int i = 0; i < block.repeat(); i++) {
                        chain[next++] = cost;
                    }
                }
            }
        }
        if (first == null || last == null || next == 0) {
            throw new IllegalArgumentException(graph.name() + " is not embedding, layers, head");
        }
        embedding = first;
        head = last;
        layer = chain[0];
        fullest = Collections.max(List.of(chain), Comparator.comparingLong(BlockCost::weights));
        leanest = Collections.min(List.of(chain), Comparator.comparingLong(BlockCost::weights));
        leastDenseElements = (long) least(BlockCost::denseElements);
        residual = pricer.residual();
        long edges = first.elements() + last.elements();
        elements = edges + Arrays.stream(chain).mapToLong(BlockCost::elements).sum();
        denseElements =
                edges + Arrays.stream(chain).mapToLong(BlockCost::denseElements).sum();
        alike = Arrays.stream(chain).allMatch(cost -> cost == layer);
        forwardSeconds = residual * least(BlockCost::forwardSeconds);
        backwardSeconds = residual * least(BlockCost::backwardSeconds);
        selectiveSeconds = residual * least(BlockCost::selectiveSeconds);
        fullSeconds = residual * least(BlockCost::fullSeconds);
        leastSavedBytes = (long) least(BlockCost::savedBytes);
        leastSavedSelectiveBytes = (long) least(BlockCost::savedSelectiveBytes);
    }

    /** Of all layers the one that has least of it. */
    private double least(ToDoubleFunction<BlockCost> of) {
        return Arrays.stream(chain).mapToDouble(of).min().orElseThrow();
    }

    /** Context ranks. */
    int cp() {
        return context.ranks();
    }

    double seconds(BlockCost cost) {
        return residual * (cost.forwardSeconds() + cost.backwardSeconds());
    }

    /** Likewise where weight gradients may stand apart, and passes may run beside each other: the least of it. */
    double leastSeconds(BlockCost cost) {
        double apart = cost.split().inputSeconds() + cost.split().weightSeconds();
        double backward = Double.isNaN(apart) ? cost.backwardSeconds() : Math.min(cost.backwardSeconds(), apart);
        return residual * (cost.forwardSeconds() + backward - cost.split().hiddenSeconds());
    }

    /** Of any layer under a policy. */
    double leastLayerSeconds(Recompute recompute) {
        double least = Double.POSITIVE_INFINITY;
        for (BlockCost cost : chain) {
            least = Math.min(least, leastSeconds(cost));
        }
        return least
                + (recompute.isFull()
                        ? fullSeconds
                        : recompute.mode() == Recompute.Mode.SELECTIVE ? selectiveSeconds : 0);
    }

    /** Backward seconds of a layer under a policy. */
    double backwardSeconds(Recompute recompute) {
        return backwardSeconds
                + (recompute.isFull()
                        ? fullSeconds
                        : recompute.mode() == Recompute.Mode.SELECTIVE ? selectiveSeconds : 0);
    }

    /** Forward and backward seconds of a layer under a policy. */
    double layerSeconds(Recompute recompute) {
        return forwardSeconds + backwardSeconds(recompute);
    }

    /** Forward and backward seconds of a layer that is recomputed in full. */
    double fullLayerSeconds() {
        return forwardSeconds + backwardSeconds + fullSeconds;
    }

    /** What a layer keeps, at the least. */
    long savedBytes(Recompute.Mode mode) {
        return mode == Recompute.Mode.SELECTIVE ? leastSavedSelectiveBytes : leastSavedBytes;
    }

    /** What a layer keeps, at the most. */
    long mostSavedBytes() {
        return Arrays.stream(chain).mapToLong(BlockCost::savedBytes).max().orElse(0);
    }

    /** Trained elements of the whole model on one tensor rank. */
    long elements() {
        return elements;
    }

    /** Whether all layers take the same memory, so that it does not matter which ones a rank holds. */
    boolean sameMemory() {
        return fullest.weights() == leanest.weights();
    }

    /** Of the elements, those that all data ranks hold. */
    long denseElements() {
        return denseElements;
    }

    /** Likewise where one rank has them all: a tensor that embedding and head share counts once. */
    long elementsOnOneRank() {
        return elements() - sharedElements();
    }

    /** Elements that embedding and head share. */
    long sharedElements() {
        return Math.min(embedding.sharedElements(), head.sharedElements());
    }

    /** The plan's stages as priced blocks: what lowering its program and pricing that would give. */
    PricingInput input(Shorthand plan, Schedule schedule) {
        List<List<CostRun>> stages = new ArrayList<>();
        Level base = plan.recompute().mode() == Recompute.Mode.SELECTIVE ? Level.SELECTIVE : Level.NONE;
        for (Stage stage : Layouts.stages(plan, layers)) {
            stages.add(alike && !stage.embedding() && !stage.head() ? inner(stage, base) : runs(stage, base));
        }
        boolean dataNearer = plan.order() == MeshOrder.PP_DP_TP;
        return new PricingInput(
                schedule,
                new GroupPattern(tp, 1),
                DataGroups.of(plan.parameterRanks(), dataNearer ? tp : tp * plan.pp(), experts, plan.replicas()),
                plan.cp(),
                dataNearer ? tp * plan.parameterRanks() : tp,
                plan.zero(),
                stages);
    }

    /** Stages of equal layers share a list of runs: pricing knows them by it. */
    private List<CostRun> inner(Stage stage, Level base) {
        int key = (stage.layers() * (layers + 1) + stage.fullRecomputeLayers()) * 4 + base.ordinal();
        List<CostRun> known = inner.get(key);
        if (known == null) {
            known = runs(stage, base);
            inner.put(key, known);
        }
        return known;
    }

    private List<CostRun> runs(Stage stage, Level base) {
        List<CostRun> runs = new ArrayList<>();
        if (stage.embedding()) {
            runs.add(new CostRun(embedding, 1, Level.NONE));
        }
        int full = stage.firstLayer() + stage.fullRecomputeLayers();
        addLayers(runs, stage.firstLayer(), full, Level.FULL);
        addLayers(runs, full, stage.firstLayer() + stage.layers(), base);
        if (stage.head()) {
            runs.add(new CostRun(head, 1, Level.NONE));
        }
        return runs;
    }

    private void addLayers(List<CostRun> runs, int from, int to, Level level) {
        int start = from;
        for (int i = from + 1; i <= to; i++) {
            if (i == to || chain[i] != chain[start]) {
                runs.add(new CostRun(chain[start], i - start, level));
                start = i;
            }
        }
    }
}
