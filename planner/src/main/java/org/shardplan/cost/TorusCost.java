package org.shardplan.cost;

import java.util.ArrayList;
import java.util.List;
import org.shardplan.cluster.Torus;
import org.shardplan.program.GroupPattern;
import org.shardplan.program.Task.CollectiveKind;

/**
 * Collectives on a torus: rings in both directions along every dimension that the group spans, all at work at once
 * (the multi-dimensional ring of TPU pods).
 *
 * <p>Mesh dimensions are laid on whole dimensions of the torus where their sizes are those of some (as JAX's {@code mesh_utils} lays
 * them); else ranks fill the torus's first dimension first, and a group that has a part of a dimension has no ring there. A line is half
 * as fast as a ring, and groups whose members stand {@code step} chips apart share each link with as many others
 * (jax-ml/scaling-book, sharding).
 */
final class TorusCost {
    private TorusCost() {}

    /**
     * A group along one dimension.
     *
     * @param members of the group
     * @param step chips from one to the next
     * @param ring whether the last is a step from the first
     */
    private record Span(int members, int step, boolean ring) {
        /** Links of a chip that the group has for itself, one way each. */
        double links() {
            return (ring ? 2.0 : 1.0) / step;
        }

        double hops() {
            return ring ? Math.ceil(members / 2.0) * step : (members - 1.0) * step;
        }
    }

    /** Seconds of a group of {@code members}, {@code stride} chips apart (as {@link GroupPattern} counts). */
    static double seconds(CollectiveKind kind, long bytes, int members, int stride, Torus torus, double efficiency) {
        List<Span> spans = aligned(members, stride, torus);
        if (spans.isEmpty()) {
            spans = spans(members, stride, torus.shape(), torus);
        }
        double links = Math.max(1, links(spans));
        double hops = 0;
        for (Span span : spans) {
            hops += span.hops();
        }
        double rate = links * torus.linkBytesPerSecond() * efficiency;
        double wire = CollectiveModel.wireShare(kind, members, false) * bytes;
        if (kind == CollectiveKind.ALL_TO_ALL) {
            // each byte travels a quarter of a ring on average instead of one hop
            wire *= Math.max(1, hops / 2);
        }
        double passes = kind == CollectiveKind.ALL_REDUCE ? 2 : 1;
        return passes * Math.max(1, hops) * torus.latencySeconds() + wire / rate;
    }

    /** Adds {@code times} the seconds for which it keeps each dimension's links of a chip busy. */
    static void addBusy(
            double[] busy,
            double times,
            CollectiveKind kind,
            long bytes,
            int members,
            int stride,
            Torus torus,
            double efficiency) {
        double onTheWire = seconds(kind, bytes, members, stride, torus, efficiency)
                - seconds(kind, 0, members, stride, torus, efficiency);
        double end = (double) stride * members;
        double below = 1;
        for (int dim = 0; dim < torus.shape().size(); dim++) {
            double above = below * torus.shape().get(dim);
            if (Math.min(above, end) / Math.max(below, stride) > 1) {
                busy[dim] += times * onTheWire;
            }
            below = above;
        }
    }

    private static double links(List<Span> spans) {
        double links = 0;
        for (Span span : spans) {
            links += span.links();
        }
        return links;
    }

    /** Spans under the order of dimensions that gives the group whole ones, the fastest such order; empty where there is none. */
    private static List<Span> aligned(int members, int stride, Torus torus) {
        List<Span> best = List.of();
        for (List<Integer> order : orders(torus.shape())) {
            long below = 1;
            boolean starts = stride == 1;
            boolean ends = false;
            for (int size : order) {
                below *= size;
                starts |= below == stride;
                ends |= below == (long) stride * members;
            }
            if (starts && ends) {
                List<Span> spans = spans(members, stride, order, torus);
                best = links(spans) > links(best) ? spans : best;
            }
        }
        return best;
    }

    private static List<List<Integer>> orders(List<Integer> shape) {
        if (shape.size() <= 1) {
            return List.of(shape);
        }
        List<List<Integer>> all = new ArrayList<>();
        for (int first = 0; first < shape.size(); first++) {
            List<Integer> rest = new ArrayList<>(shape);
            Integer size = rest.remove(first);
            for (List<Integer> order : orders(rest)) {
                List<Integer> whole = new ArrayList<>(order);
                whole.addFirst(size);
                all.add(whole);
            }
        }
        return all;
    }

    private static List<Span> spans(int members, int stride, List<Integer> order, Torus torus) {
        List<Span> spans = new ArrayList<>();
        double end = (double) stride * members;
        double below = 1;
        for (int size : order) {
            double above = below * size;
            int step = (int) Math.max(1, stride / below);
            // chips of the dimension from the group's first to past its last
            double reach = Math.min(above, end) / below;
            int along = (int) Math.ceil(reach / step);
            if (along > 1 && reach > step) {
                spans.add(new Span(along, step, along * step == size && torus.closes(size)));
            }
            below = above;
        }
        return spans;
    }
}
