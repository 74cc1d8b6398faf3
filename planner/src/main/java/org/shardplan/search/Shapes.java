package org.shardplan.search;

import java.util.ArrayList;
import java.util.List;
import org.shardplan.plan.ContextParallel;

/** The prefixes of tuples that fix what one micro-batch costs: (tp, micro-batch, sp, cp, ep, etp). */
final class Shapes {
    /** Tokens that people leave to each rank when they split sequences. */
    private static final int LONG = 8192;

    /**
     * One of them.
     *
     * @param index its place among all
     * @param leastSeconds a bound on every plan of it, 0 = none known
     */
    record Shape(
            int tp,
            int microBatch,
            boolean sequenceParallel,
            ContextParallel context,
            ExpertChoice experts,
            int index,
            double leastSeconds) {
        Shape with(double least) {
            return new Shape(tp, microBatch, sequenceParallel, context, experts, index, least);
        }
    }

    private final Problem problem;
    private final SearchSpace space;
    private final Evaluation evaluation;
    private final IdealBound ideal;

    Shapes(Problem problem, SearchSpace space, Evaluation evaluation) {
        this.problem = problem;
        this.space = space;
        this.evaluation = evaluation;
        ideal = new IdealBound(problem, space, evaluation.pricer());
    }

    List<Shape> all() {
        List<Shape> shapes = new ArrayList<>();
        for (int tp : space.tps) {
            for (int microBatch : space.microBatches) {
                for (boolean sp : space.sequenceParallel(tp)) {
                    for (ContextParallel context : space.contexts(tp, sp)) {
                        for (ExpertChoice experts : space.experts(tp, sp, context, microBatch)) {
                            shapes.add(new Shape(tp, microBatch, sp, context, experts, shapes.size(), 0));
                        }
                    }
                }
            }
        }
        return shapes;
    }

    /** Small micro-batches, tensor parallelism within a node, with sequence parallelism, long sequences split: what people try first. */
    boolean usual(Shape shape) {
        boolean small = shape.microBatch <= 4 || shape.microBatch == space.microBatches[0];
        boolean near = shape.tp <= problem.cluster().nodeSize() || shape.tp == space.tps[0];
        boolean sp = space.sequenceParallel(shape.tp).getLast() == shape.sequenceParallel;
        List<ContextParallel> contexts = space.contexts(shape.tp, shape.sequenceParallel);
        boolean context = shape.context.equals(contexts.getFirst())
                || problem.workload().seqLen() >= (long) LONG * shape.context.ranks();
        return small && near && sp && context;
    }

    /** What the devices could do at best. */
    double idealSeconds() {
        double least = Double.POSITIVE_INFINITY;
        for (int tp : space.tps) {
            for (int microBatch : space.microBatches) {
                for (ContextParallel context : space.contexts(tp, false)) {
                    least = Math.min(least, ideal.seconds(tp, context.ranks(), microBatch, 0));
                }
            }
        }
        return Double.isInfinite(least) || least == 0 ? 1e-3 : least;
    }

    /** Those that could reach the limit. */
    List<Shape> near(double limit) {
        List<Shape> near = new ArrayList<>();
        for (Shape shape : all()) {
            int cp = shape.context.ranks();
            double least = ideal.seconds(shape.tp, cp, shape.microBatch, 0);
            if (least <= limit) {
                double exposed = evaluation.leastTensorSeconds(shape.tp, shape.sequenceParallel) / cp
                        + evaluation.leastContextSeconds(shape.tp, shape.context);
                least = ideal.seconds(shape.tp, cp, shape.microBatch, exposed);
            }
            if (least <= limit) {
                near.add(shape.with(least));
            }
        }
        return near;
    }
}
