package org.shardplan.plan;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Which virtual stage holds which layers. Stage q of the chain runs on rank q mod pp (chunk-major); the embedding is at the
 * start of the first one, the head at the end of the last one, and these two may hold no layer besides.
 */
public final class Layouts {
    private Layouts() {}

    /**
     * Layers of each virtual stage: the plan's own layout, else the even one.
     *
     * @param layers of the model
     */
    public static List<Integer> of(Shorthand plan, int layers) {
        return plan.layout().isEmpty() ? even(plan, layers) : plan.layout();
    }

    /** The even layout under the plan's schedule: over ranks where their chunks take turns, else over virtual stages. */
    public static List<Integer> even(Shorthand plan, int layers) {
        return plan.schedule().isClassic()
                ? even(layers, plan.pp(), plan.vpp())
                : even(layers, plan.virtualStages(), 1);
    }

    /**
     * Layers shared out as evenly as they divide. What remains goes to ranks from the last but one backwards, then to the
     * first: the last rank has the head, the first one the embedding and most micro-batches in flight.
     */
    public static List<Integer> even(int layers, int pp, int vpp) {
        int[] byRank = new int[pp];
        Arrays.fill(byRank, layers / pp);
        int rest = layers % pp;
        for (int i = 0; i < rest; i++) {
            byRank[Math.floorMod(pp - 2 - i, pp)]++;
        }
        return ofRanks(byRank, vpp);
    }

    /**
     * Rank totals as nanotron shares blocks out: one after another to the same rank, until their summed cost passes the rank's share
     * of the whole (nanotron/models/base.py, build_model). The head has a cost, the embedding none.
     */
    public static int[] byCost(int layers, double layerCost, double headCost, int pp) {
        int[] byRank = new int[pp];
        double all = layers * layerCost + headCost;
        int rank = 0;
        for (int layer = 0; layer < layers; layer++) {
            byRank[rank]++;
            if ((layer + 1) * layerCost > all * ((rank + 1.0) / pp) && rank < pp - 1) {
                rank++;
            }
        }
        return byRank;
    }

    /**
     * Rank totals with given ends: the ranks between share the rest evenly, what remains from the last but one backwards. Interleaved
     * plans are searched over these; 1F1B and GPipe over all totals.
     */
    public static int[] withEnds(int layers, int pp, int first, int last) {
        return withEnds(layers, pp, first, last, 0);
    }

    /**
     * Likewise, but the first {@code lean} ranks between hold one layer less than an even share: they have most micro-batches in
     * flight, and may have no memory for more.
     */
    public static int[] withEnds(int layers, int pp, int first, int last, int lean) {
        int[] byRank = new int[pp];
        byRank[pp - 1] = last;
        byRank[0] = pp == 1 ? layers : first;
        int inner = pp - 2;
        int left = layers - first - last;
        int less = inner > 0 ? Math.max(0, left / inner - 1) : 0;
        for (int rank = 1; rank <= lean; rank++) {
            byRank[rank] = less;
            left -= less;
        }
        int others = inner - lean;
        for (int i = 0; i < others; i++) {
            byRank[pp - 2 - i] = left / others + (i < left % others ? 1 : 0);
        }
        return byRank;
    }

    /**
     * The canonical layout of ranks that hold so many layers each: {@link #chunks} of each.
     *
     * @param layersByRank totals, embedding and head not counted
     */
    public static List<Integer> ofRanks(int[] layersByRank, int vpp) {
        int pp = layersByRank.length;
        int layers = Arrays.stream(layersByRank).sum();
        Integer[] layout = new Integer[Math.multiplyExact(pp, vpp)];
        for (int rank = 0; rank < pp; rank++) {
            int[] chunks = chunks(layersByRank[rank], layers, rank, pp, vpp);
            for (int chunk = 0; chunk < vpp; chunk++) {
                layout[chunk * pp + rank] = chunks[chunk];
            }
        }
        return List.of(layout);
    }

    /**
     * Layers of each chunk of a rank: spread evenly, what remains to the latest chunks, which have the fewest micro-batches in
     * flight. Ranks with equally many layers so have equal chunks, and none waits for another within a round. Where the last rank has
     * less than the even share, the share's last chunks lose what it lacks: the head stands there.
     *
     * @param total layers of the rank, of all {@code layers}
     */
    public static int[] chunks(int total, int layers, int rank, int pp, int vpp) {
        // a last rank with fewer layers than chunks has its empty one at the end, where the head is
        int share = rank == pp - 1 && pp > 1 ? Math.max(vpp, Math.ceilDiv(layers, pp)) : total;
        int[] chunks = spread(Math.max(share, total), vpp);
        int over = Math.max(share, total) - total;
        for (int chunk = vpp - 1; over > 0; chunk--) {
            int taken = Math.min(over, chunks[chunk]);
            chunks[chunk] -= taken;
            over -= taken;
        }
        return chunks;
    }

    private static int[] spread(int total, int chunks) {
        int[] share = new int[chunks];
        Arrays.fill(share, total / chunks);
        for (int i = 0; i < total % chunks; i++) {
            share[chunks - 1 - i]++;
        }
        return share;
    }

    /** Layers that each rank holds over all its chunks, under the plan's schedule: a layer once for each copy. */
    public static int[] layersByRank(Shorthand plan, int layers) {
        List<Integer> layout = of(plan, layers);
        int[] byRank = new int[plan.pp()];
        for (int q = 0; q < layout.size() * plan.schedule().copies(); q++) {
            byRank[plan.schedule().rankOf(q, plan.pp())] += layout.get(q % layout.size());
        }
        return byRank;
    }

    /** Layers that each rank holds over all its chunks, these taking turns. */
    public static int[] layersByRank(List<Integer> layout, int pp) {
        int[] byRank = new int[pp];
        for (int stage = 0; stage < layout.size(); stage++) {
            byRank[stage % pp] += layout.get(stage);
        }
        return byRank;
    }

    /**
     * The virtual stages in order of execution. A rank's fully recomputed layers are spread over its chunks as evenly as
     * the chunks allow, the remainder to the earliest: they have the most micro-batches in flight.
     *
     * @param layers of the model
     * @throws IllegalArgumentException if the layout is not one of this model: see {@link Legality}
     */
    public static List<Stage> stages(Shorthand plan, int layers) {
        List<Integer> layout = of(plan, layers);
        int pp = plan.pp();
        if (layout.size() != plan.virtualStages()
                || layout.stream().mapToInt(Integer::intValue).sum() != layers) {
            throw new IllegalArgumentException(
                    "layout " + layout + " is not one of " + layers + " layers on pp=" + pp + " vpp=" + plan.vpp());
        }
        int copies = plan.schedule().copies();
        int[] full = full(plan, layout);
        List<Stage> stages = new ArrayList<>();
        for (int copy = 0; copy < copies; copy++) {
            int first = 0;
            for (int i = 0; i < layout.size(); i++) {
                int q = copy * layout.size() + i;
                int rank = plan.schedule().rankOf(q, pp);
                stages.add(new Stage(rank, first, layout.get(i), full[q], i == 0, i == layout.size() - 1));
                first += layout.get(i);
            }
        }
        return stages;
    }

    /** Fully recomputed layers of each virtual stage. */
    private static int[] full(Shorthand plan, List<Integer> layout) {
        int[] full = new int[layout.size() * plan.schedule().copies()];
        for (int rank = 0; rank < plan.pp(); rank++) {
            int own = rank;
            int[] stages = IntStream.range(0, full.length)
                    .filter(q -> plan.schedule().rankOf(q, plan.pp()) == own)
                    .toArray();
            int[] chunks = Arrays.stream(stages)
                    .map(q -> layout.get(q % layout.size()))
                    .toArray();
            int held = Arrays.stream(chunks).sum();
            int[] share = spreadFull(chunks, Math.min(fullLayers(plan, rank), held));
            for (int chunk = 0; chunk < chunks.length; chunk++) {
                full[stages[chunk]] = share[chunk];
            }
        }
        return full;
    }

    /** Layers that a rank recomputes in full, not yet limited by what it holds. */
    private static int fullLayers(Shorthand plan, int rank) {
        return plan.fullRecomputeByStage().isEmpty()
                ? plan.recompute().fullLayers()
                : plan.fullRecomputeByStage().get(rank);
    }

    /** So many fully recomputed layers over a rank's chunks, as evenly as the chunks allow, the remainder to the earliest. */
    public static int[] spreadFull(int[] chunkLayers, int total) {
        int[] full = new int[chunkLayers.length];
        int left = total;
        while (left > 0) {
            for (int chunk = 0; chunk < full.length && left > 0; chunk++) {
                if (full[chunk] < chunkLayers[chunk]) {
                    full[chunk]++;
                    left--;
                }
            }
        }
        return full;
    }

    /** What each rank holds: {@code E+12}, {@code 12}, {@code 11+H}. */
    public static List<String> printRanks(Shorthand plan, int layers) {
        int[] byRank = layersByRank(plan, layers);
        int stages = plan.virtualStages() * plan.schedule().copies();
        List<String> printed = new ArrayList<>();
        for (int rank = 0; rank < byRank.length; rank++) {
            String before = "";
            String after = "";
            for (int q = 0; q < stages; q++) {
                boolean here = plan.schedule().rankOf(q, plan.pp()) == rank;
                before = here && q % plan.virtualStages() == 0 ? "E+" : before;
                after = here && q % plan.virtualStages() == plan.virtualStages() - 1 ? "+H" : after;
            }
            printed.add(before + byRank[rank] + after);
        }
        return printed;
    }
}
