package org.shardplan.form;

import java.util.ArrayList;
import java.util.List;
import org.shardplan.cluster.Torus;

/** How a number of TPU chips lies on the pods of a generation: equal slices, each as near to a cube as the pod allows. */
final class TorusShape {
    private TorusShape() {}

    static int chips(List<Integer> shape) {
        return shape.stream().reduce(1, Math::multiplyExact);
    }

    /** The fewest equal slices that hold {@code chips}; 0 when they do not divide into that many slices of legal shape. */
    static int slices(int chips, List<Integer> pod) {
        int slices = Math.ceilDiv(chips, chips(pod));
        return chips % slices == 0 && !of(chips / slices, pod).isEmpty() ? slices : 0;
    }

    /** The shape of a slice: of whole rings, as far as there are any, else as {@link #of(int, List)}. */
    static List<Integer> of(int chips, Torus pod) {
        int wrap = pod.wrap();
        int block = (int) Math.pow(wrap, pod.shape().size());
        if (wrap > 1 && chips % block == 0) {
            List<Integer> blocks = of(
                    chips / block, pod.shape().stream().map(side -> side / wrap).toList());
            if (!blocks.isEmpty()) {
                return blocks.stream().map(side -> side * wrap).toList();
            }
        }
        return of(chips, pod.shape());
    }

    /** The shape with the smallest sum of sides whose sides, sorted, stay within the pod's; empty when there is none. */
    static List<Integer> of(int chips, List<Integer> pod) {
        List<Integer> limits = pod.stream().sorted().toList();
        return best(chips, limits, 0, 1);
    }

    private static List<Integer> best(int chips, List<Integer> limits, int dimension, int least) {
        int limit = limits.get(dimension);
        if (dimension == limits.size() - 1) {
            return chips >= least && chips <= limit ? List.of(chips) : List.of();
        }
        List<Integer> best = List.of();
        for (int side = least; side <= limit && side <= chips; side++) {
            if (chips % side != 0) {
                continue;
            }
            List<Integer> rest = best(chips / side, limits, dimension + 1, side);
            if (!rest.isEmpty() && (best.isEmpty() || side + sum(rest) < sum(best))) {
                best = new ArrayList<>(rest);
                best.addFirst(side);
            }
        }
        return List.copyOf(best);
    }

    private static int sum(List<Integer> shape) {
        return shape.stream().mapToInt(Integer::intValue).sum();
    }

    /** The legal number of chips nearest to {@code chips}, the larger one first. */
    static int nearest(int chips, List<Integer> pod) {
        for (int distance = 1; distance < chips; distance++) {
            if (slices(chips + distance, pod) > 0) {
                return chips + distance;
            }
            if (slices(chips - distance, pod) > 0) {
                return chips - distance;
            }
        }
        return 1;
    }
}
