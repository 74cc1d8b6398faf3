package org.shardplan.search;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.shardplan.plan.Recompute;
import org.shardplan.search.BoundScan.Promise;

/**
 * Exact search over data, tensor, sequence and pipeline parallelism of a chain of repeated blocks.
 *
 * <p>Deepening: all tuples whose bound is below a limit are taken in order of bound and scored by sweep; the limit rises until
 * the k-th best plan is no slower than it. What was never looked at then can't be better. Batches have a fixed size, so that the
 * answer does not depend on the number of threads.
 */
public final class Hybrid implements Method {
    /** Tuples that are scored against one threshold. */
    private static final int BATCH = 16;

    private static final double FIRST_RISE = 1.02;
    private static final double RISE = 1.08;

    private final int threads;

    public Hybrid(int threads) {
        this.threads = threads;
    }

    @Override
    public Description description() {
        return new Description(
                "hybrid",
                "tp · pp · vpp · dp · micro-batch · sp · ZeRO · recomputation · schedule · mesh order, layouts inside",
                "closed form, then sweep",
                "optimal under this model and evaluator",
                "docs/search.md");
    }

    @Override
    public SearchResult search(Problem problem, Evaluation evaluation, Budget budget, SearchObserver observer) {
        try (Workers workers = new Workers(threads)) {
            return new Run(problem, evaluation, budget, observer, workers).run();
        }
    }

    /** One search. */
    private static final class Run {
        private final Problem problem;
        private final Evaluation evaluation;
        private final Budget budget;
        private final SearchObserver observer;
        private final Workers workers;
        private final SearchSpace space;
        private final TopPlans best;
        private final long start = System.nanoTime();
        private long scored;
        private long leaves;
        private boolean exact = true;
        private String stopped = "done";

        Run(
                Problem problem,
                Evaluation evaluation,
                Budget budget,
                SearchObserver observer,
                Workers workers) {
            this.problem = problem;
            this.evaluation = evaluation;
            this.budget = budget;
            this.observer = observer;
            this.workers = workers;
            space = new SearchSpace(problem);
            best = new TopPlans(Math.max(1, problem.top()));
        }

        SearchResult run() {
            List<BoundScan> scans = scans();
            double most = problem.mostStepSeconds();
            double limit = scans.stream().mapToDouble(BoundScan::prefixBound).min().orElse(most) * FIRST_RISE;
            double proven = 0;
            double rise = RISE;
            double ceiling = ceiling(scans);
            while (stopped.equals("done") && proven < Math.min(most, ceiling) && bestSeconds() > proven) {
                double to = Math.min(limit, most);
                round(scans, proven, to);
                if (stopped.equals("done")) {
                    proven = to;
                }
                limit = Math.min(limit * rise, Math.max(limit * (FIRST_RISE - 0.01), bestSeconds()));
                rise *= rise;
            }
            return result(proven);
        }

        /** Seconds of the k-th best plan: infinite until there are k. */
        private double bestSeconds() {
            long nanos = best.thresholdNanos();
            return nanos == Long.MAX_VALUE ? Double.POSITIVE_INFINITY : nanos / 1e9;
        }

        /** No legal tuple's bound is above this: one device does everything, recomputed, one sequence at a time. */
        private double ceiling(List<BoundScan> scans) {
            return scans.stream().mapToDouble(BoundScan::ceiling).max().orElse(0);
        }

        private List<BoundScan> scans() {
            record Shape(int tp, int microBatch, boolean sequenceParallel, int index) {}
            List<Shape> shapes = new ArrayList<>();
            for (int tp : space.tps) {
                for (int microBatch : space.microBatches) {
                    for (boolean sp : space.sequenceParallel(tp)) {
                        shapes.add(new Shape(tp, microBatch, sp, shapes.size()));
                    }
                }
            }
            List<BoundScan> scans = new ArrayList<>();
            List<ShapeCost> costs = workers.map(
                    shapes, shape -> evaluation.shape(shape.tp, shape.microBatch, shape.sequenceParallel));
            for (int i = 0; i < costs.size(); i++) {
                for (int mode = 0; mode < space.recomputes.size(); mode++) {
                    Recompute recompute = space.recomputes.get(mode);
                    int index = i * space.recomputes.size() + mode;
                    scans.add(new BoundScan(problem, space, evaluation.pricer(), costs.get(i), index, recompute));
                }
            }
            return scans;
        }

        private void round(List<BoundScan> scans, double from, double to) {
            List<Promise> promises = new ArrayList<>();
            for (List<Promise> some : workers.map(scans, scan -> scan.between(from, to))) {
                promises.addAll(some);
            }
            promises.sort(Comparator.comparingDouble(Promise::boundSeconds)
                    .thenComparingLong(promise -> promise.tuple().number()));
            for (int i = 0; i < promises.size() && stopped.equals("done"); i += BATCH) {
                List<Promise> batch = promises.subList(i, Math.min(promises.size(), i + BATCH));
                if (batch.getFirst().boundSeconds() > bestSeconds()) {
                    return;
                }
                score(batch);
                checkBudget();
            }
        }

        private void score(List<Promise> batch) {
            long threshold = Math.min(best.thresholdNanos(), mostNanos());
            for (Layout layout : workers.map(batch, promise -> layout(promise, threshold))) {
                scored++;
                leaves += layout.leaves;
                exact &= !layout.exhausted;
                layout.score.ifPresent(best::add);
            }
            observer.progress(scored, 0, best.list().isEmpty() ? Double.NaN : best.list().getFirst().stepNanos() / 1e9);
        }

        private long mostNanos() {
            return Double.isInfinite(problem.mostStepSeconds())
                    ? Long.MAX_VALUE
                    : (long) (problem.mostStepSeconds() * 1e9);
        }

        private record Layout(Optional<Score> score, int leaves, boolean exhausted) {}

        private Layout layout(Promise promise, long threshold) {
            Tuple tuple = promise.tuple();
            ShapeCost shape = evaluation.shape(tuple.tp(), tuple.microBatch(), tuple.sequenceParallel());
            long capacity = problem.capacityBytes();
            long context = evaluation.pricer().memory().contextBytes(tuple.tp(), tuple.pp(), tuple.dp());
            RankOptions options = new RankOptions(
                    tuple,
                    shape,
                    evaluation.pricer().memory(),
                    capacity - context,
                    problem.framework().memory().fragmentation(),
                    space.mayRecomputeMore(tuple.recompute()));
            LayoutSearch search = new LayoutSearch(
                    tuple, options, shape, evaluation.scorer(), capacity, promise.tailSeconds(), threshold);
            boolean uneven = problem.framework().limits().unevenLayouts();
            Optional<Score> score = search.run(uneven, problem.fixed().layout());
            return new Layout(score, search.leaves(), search.exhausted());
        }

        private void checkBudget() {
            if (observer.stopRequested()) {
                stopped = "interrupted";
            } else if (System.nanoTime() - start > budget.nanos()) {
                stopped = "time";
            } else if (leaves >= budget.evaluations()) {
                stopped = "evaluations";
            }
        }

        private SearchResult result(double proven) {
            List<Score> scores = best.list();
            long count = space.count();
            boolean optimal = stopped.equals("done") && exact && !scores.isEmpty();
            double fastest = scores.isEmpty() ? Double.POSITIVE_INFINITY : scores.getFirst().stepNanos() / 1e9;
            SearchStatistics statistics = new SearchStatistics(
                    "hybrid",
                    "sweep",
                    count,
                    scored,
                    Math.max(0, count - scored),
                    (System.nanoTime() - start) / 1e9,
                    optimal,
                    optimal ? fastest : Math.min(fastest, proven),
                    stopped,
                    0);
            return new SearchResult(scores, statistics);
        }
    }
}
