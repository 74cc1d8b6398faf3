package org.shardplan.search;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.shardplan.plan.Recompute;
import org.shardplan.search.BoundScan.Promise;
import org.shardplan.workload.Framework;

/**
 * Exact search over data, tensor, sequence, context and pipeline parallelism of a chain of repeated blocks.
 *
 * <p>A few plans of the usual kind are scored first; the k-th best of them is a limit. All tuples whose bound is below the limit are then
 * taken in order of bound, their layouts solved and scored by sweep, the limit falling as better plans are found. What was never
 * looked at can't be better. Where the first plans do not fit, the limit starts low and rises instead. Batches have a fixed size, so that the
 * answer does not depend on the number of threads.
 */
public final class Hybrid implements Method {
    /** Tuples that are scored against one threshold. */
    private static final int BATCH = 32;

    /** Plans of the usual kind that are scored first. */
    private static final int SEEDS = 64;

    /** Of these, those that are scored against one threshold: the first ones against none. */
    private static final int SEED_BATCH = 16;

    private static final double FIRST_RISE = 1.05;

    private final int threads;

    public Hybrid(int threads) {
        this.threads = threads;
    }

    @Override
    public Description description() {
        return new Description(
                "hybrid",
                "tp · pp · vpp · dp · cp · micro-batch · sp · ZeRO · replicas · recomputation · schedule · mesh order, layouts inside",
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
        private final Shapes shapes;
        private final TopPlans best;
        private final ThreadLocal<Scorer> scorers;
        private final long start = System.nanoTime();
        private long scored;
        private long leaves;
        private boolean exact = true;
        private String stopped = "done";

        Run(Problem problem, Evaluation evaluation, Budget budget, SearchObserver observer, Workers workers) {
            this.problem = problem;
            this.evaluation = evaluation;
            this.budget = budget;
            this.observer = observer;
            this.workers = workers;
            space = new SearchSpace(problem);
            shapes = new Shapes(problem, space, evaluation);
            scorers = ThreadLocal.withInitial(evaluation::scorer);
            best = new TopPlans(Math.max(1, problem.top()));
        }

        SearchResult run() {
            seed();
            double proven = 0;
            double rise = FIRST_RISE;
            Double limit = null;
            while (stopped.equals("done")) {
                limit = limit(limit, rise);
                List<BoundScan> scans = scans(limit);
                double ceiling = Double.isInfinite(kthSeconds())
                        ? Math.min(ceiling(), problem.mostStepSeconds())
                        : problem.mostStepSeconds();
                round(scans, proven, Math.min(limit, ceiling));
                if (stopped.equals("done")) {
                    proven = Math.min(limit, ceiling);
                }
                if (proven >= kthSeconds() || proven >= ceiling) {
                    break;
                }
                rise *= rise;
            }
            return result(proven);
        }

        /** The k-th best plan's seconds where there are k, else a limit that rises from what the devices could do at best. */
        private double limit(@Nullable Double before, double rise) {
            double kth = kthSeconds();
            if (!Double.isInfinite(kth)) {
                return kth;
            }
            if (before != null) {
                return before * rise;
            }
            List<Score> some = best.list();
            double first =
                    some.isEmpty() ? shapes.idealSeconds() : some.getLast().stepNanos() / 1e9;
            return first * FIRST_RISE;
        }

        /** Seconds of the k-th best plan: infinite until there are k. */
        private double kthSeconds() {
            long nanos = Math.min(best.thresholdNanos(), mostNanos());
            return best.thresholdNanos() == Long.MAX_VALUE ? Double.POSITIVE_INFINITY : nanos / 1e9;
        }

        /** No legal tuple's bound is above this. */
        private double ceiling() {
            List<Shapes.Shape> smallest = shapes.all().stream()
                    .filter(shape -> shape.microBatch() == space.microBatches[0])
                    .toList();
            return scans(smallest).stream()
                            .mapToDouble(BoundScan::ceiling)
                            .max()
                            .orElse(0)
                    * 2;
        }

        /** Scores plans as people make them: even layouts, all devices, small micro-batches, sequence parallel, most ZeRO. */
        private void seed() {
            List<BoundScan> scans =
                    scans(shapes.all().stream().filter(shapes::usual).toList());
            List<Promise> promises = new ArrayList<>();
            for (List<Promise> some : workers.map(scans, BoundScan::usual)) {
                promises.addAll(some);
            }
            promises = workers.map(promises, this::withMemory);
            sort(promises);
            int count = Math.min(SEEDS, promises.size());
            for (int i = 0; i < count; i += SEED_BATCH) {
                score(promises.subList(i, Math.min(count, i + SEED_BATCH)), true);
            }
            scored = 0;
            leaves = 0;
            exact = true;
            if (late()) {
                checkBudget();
            }
        }

        /** The promise with what its even layout must recompute to fit. */
        private Promise withMemory(Promise promise) {
            Tuple tuple = promise.tuple();
            if (!tuple.schedule().isClassic()) {
                return promise;
            }
            ShapeCost shape = evaluation.shape(tuple);
            RankOptions options = options(tuple, shape);
            double worst = promise.boundSeconds();
            int layers = shape.layers / tuple.pp();
            for (int rank : new int[] {0, tuple.pp() - 1}) {
                worst = Math.max(worst, options.fullBoundSeconds(rank, layers) + promise.tailSeconds());
            }
            return new Promise(tuple, worst, promise.tailSeconds());
        }

        private RankOptions options(Tuple tuple, ShapeCost shape) {
            long context = evaluation
                    .pricer()
                    .memory()
                    .contextBytes(tuple.tp(), tuple.pp(), tuple.cp(), tuple.parameterRanks());
            return new RankOptions(
                    tuple,
                    shape,
                    evaluation.pricer().memory(),
                    new StepEnds(
                            problem.framework(),
                            evaluation.pricer(),
                            shape,
                            tuple.pp(),
                            tuple.dp(),
                            tuple.zero(),
                            tuple.order(),
                            tuple.replicas()),
                    SlotOverhead.of(
                            problem.framework(),
                            evaluation.pricer(),
                            shape,
                            tuple.pp(),
                            tuple.vpp(),
                            tuple.dp(),
                            tuple.order()),
                    problem.capacityBytes() - context,
                    problem.framework().memory().fragmentation(),
                    space.mayRecomputeMore(tuple.recompute()));
        }

        private static void sort(List<Promise> promises) {
            promises.sort(Comparator.comparingDouble(Promise::boundSeconds)
                    .thenComparingLong(promise -> promise.tuple().number()));
        }

        /** Scans of the shapes that could reach the limit. */
        private List<BoundScan> scans(double limit) {
            return scans(shapes.near(limit));
        }

        private List<BoundScan> scans(List<Shapes.Shape> some) {
            List<BoundScan> scans = new ArrayList<>();
            List<ShapeCost> costs = workers.map(
                    some,
                    shape -> evaluation.shape(
                            shape.tp(),
                            shape.microBatch(),
                            shape.sequenceParallel(),
                            shape.context(),
                            shape.experts().mesh()));
            for (int i = 0; i < costs.size(); i++) {
                for (int mode = 0; mode < space.recomputes.size(); mode++) {
                    Recompute recompute = space.recomputes.get(mode);
                    int number = some.get(i).index() * space.recomputes.size() + mode;
                    double least = some.get(i).leastSeconds();
                    ExpertChoice experts = some.get(i).experts();
                    scans.add(new BoundScan(
                            problem, space, evaluation.pricer(), costs.get(i), number, recompute, experts, least));
                }
            }
            return scans;
        }

        private void round(List<BoundScan> scans, double from, double to) {
            List<Promise> promises = new ArrayList<>();
            for (List<Promise> some : workers.map(scans, scan -> scan.between(from, to, this::overtime))) {
                promises.addAll(some);
            }
            if (overtime()) {
                checkBudget();
            }
            sort(promises);
            for (int i = 0; i < promises.size() && stopped.equals("done"); i += BATCH) {
                List<Promise> batch = promises.subList(i, Math.min(promises.size(), i + BATCH));
                if (batch.getFirst().boundSeconds() > kthSeconds()) {
                    break;
                }
                score(batch, false);
                checkBudget();
            }
        }

        private void score(List<Promise> batch, boolean evenOnly) {
            long threshold = Math.min(best.thresholdNanos(), mostNanos());
            for (Layout layout : workers.map(batch, promise -> layout(promise, threshold, evenOnly))) {
                scored++;
                leaves += layout.leaves;
                exact &= !layout.exhausted && layout.sameMemory;
                layout.score.ifPresent(best::add);
            }
            observer.progress(
                    scored,
                    0,
                    best.list().isEmpty() ? Double.NaN : best.list().getFirst().stepNanos() / 1e9);
        }

        private long mostNanos() {
            return Double.isInfinite(problem.mostStepSeconds())
                    ? Long.MAX_VALUE
                    : (long) (problem.mostStepSeconds() * 1e9);
        }

        private record Layout(Optional<Score> score, int leaves, boolean exhausted, boolean sameMemory) {}

        /** Whether to score no more: at once when interrupted, at the end of a time budget once there is a plan. */
        private boolean late() {
            return observer.stopRequested() || (overtime() && !best.list().isEmpty());
        }

        private boolean overtime() {
            return System.nanoTime() - start > budget.nanos();
        }

        /** When to leave the layouts of a tuple: as {@link #late}, and without any plan after half as much time again. */
        private BooleanSupplier patience() {
            boolean found = !best.list().isEmpty();
            long longest = budget.nanos() / 2 * 3;
            return () -> observer.stopRequested()
                    || (overtime() && (found || System.nanoTime() - start > longest || longest < budget.nanos()));
        }

        private Layout layout(Promise promise, long threshold, boolean evenOnly) {
            if (late()) {
                return new Layout(Optional.empty(), 0, true, true);
            }
            Tuple tuple = promise.tuple();
            ShapeCost shape = evaluation.shape(tuple);
            long capacity = problem.capacityBytes();
            Framework.Limits limits = problem.framework().limits();
            boolean uneven = limits.unevenLayouts() && !evenOnly;
            if (!tuple.schedule().isClassic()) {
                StageLayoutSearch search = new StageLayoutSearch(
                        tuple,
                        shape,
                        scorers.get(),
                        space,
                        capacity,
                        promise.tailSeconds(),
                        threshold,
                        limits.recomputeByRank(),
                        problem.framework().memory().fragmentation());
                Optional<Score> score = search.run(uneven, problem.fixed().layout());
                return new Layout(score, search.leaves(), search.exhausted(), true);
            }
            LayoutSearch search = new LayoutSearch(
                    tuple,
                    options(tuple, shape),
                    shape,
                    scorers.get(),
                    capacity,
                    promise.tailSeconds(),
                    threshold,
                    limits.recomputeByRank(),
                    patience());
            Optional<Score> score = search.run(uneven, problem.fixed().layout());
            return new Layout(score, search.leaves(), search.exhausted(), shape.sameMemory());
        }

        private void checkBudget() {
            if (observer.stopRequested()) {
                stopped = "interrupted";
            } else if (overtime()) {
                stopped = "time";
            } else if (leaves >= budget.evaluations()) {
                stopped = "evaluations";
            }
        }

        private SearchResult result(double proven) {
            List<Score> scores = best.list();
            long count = space.count();
            boolean optimal = stopped.equals("done") && exact && !scores.isEmpty();
            double fastest = scores.isEmpty()
                    ? Double.POSITIVE_INFINITY
                    : scores.getFirst().stepNanos() / 1e9;
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
