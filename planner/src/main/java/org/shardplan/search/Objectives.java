package org.shardplan.search;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.shardplan.cluster.Cluster;

/**
 * What a method that minimises time can be asked besides: the least memory or the fewest devices that keep a limit on time, by bisection
 * over what is allowed.
 */
public final class Objectives {
    /** Memory is bisected to this share. */
    private static final double PRECISION = 0.005;

    /** What one search beside the main one may take, and all of them together beyond the budget. */
    private static final long SIDE_NANOS = 5_000_000_000L;

    private final Method method;
    private final Function<Problem, Evaluation> evaluations;
    private final Budget budget;
    private final SearchObserver observer;
    private final long start = System.nanoTime();
    private @Nullable Evaluation last;

    public Objectives(
            Method method, Function<Problem, Evaluation> evaluations, Budget budget, SearchObserver observer) {
        this.method = method;
        this.evaluations = evaluations;
        this.budget = budget;
        this.observer = observer;
    }

    /** Plans best first by the problem's objective. */
    public SearchResult run(Problem problem) {
        SearchResult byTime = time(problem);
        if (byTime.scores().isEmpty()) {
            return byTime;
        }
        return switch (problem.objective()) {
            case TIME, COST -> byTime;
            case MEMORY -> leastMemory(problem, byTime);
            case DEVICES -> fewestDevices(problem, byTime);
        };
    }

    /** The fastest plans under the problem's limits. */
    public SearchResult time(Problem problem) {
        return method.search(problem, evaluation(problem), budget.atMost(leftNanos()), observer);
    }

    /** Whether budget and side searches have taken all that a user waits. */
    public boolean outOfTime() {
        return leftNanos() == 0;
    }

    /** Whether plans were passed over because the simulator's clock can't hold their step. */
    public boolean beyondClock() {
        Evaluation known = last;
        return known != null && known.beyondClock();
    }

    private long leftNanos() {
        long most = budget.nanos();
        if (most > Long.MAX_VALUE - SIDE_NANOS) {
            return Long.MAX_VALUE;
        }
        return Math.max(0, most + SIDE_NANOS - (System.nanoTime() - start));
    }

    /** The fastest plan that takes at most so much memory; none where time is out. */
    public Optional<Score> within(Problem problem, long bytes) {
        return search(problem, bytes, SIDE_NANOS)
                .flatMap(found -> found.scores().stream().findFirst());
    }

    /** Likewise, none where that is not found out within so much time. */
    public Optional<Score> provenWithin(Problem problem, long bytes, long nanos) {
        return search(problem, bytes, nanos)
                .filter(found -> !found.statistics().stopped().equals("time"))
                .flatMap(found -> found.scores().stream().findFirst());
    }

    private Optional<SearchResult> search(Problem problem, long bytes, long nanos) {
        Problem smaller = problem.withCapacity(bytes).withTop(1);
        if (outOfTime()) {
            return Optional.empty();
        }
        Budget side = budget.atMost(Math.min(nanos, leftNanos()));
        return Optional.of(method.search(smaller, evaluation(smaller), side, observer));
    }

    /** Prices do not depend on limits or fixed choices: one evaluation serves all problems on the same cluster. */
    private Evaluation evaluation(Problem problem) {
        Evaluation known = last;
        if (known == null || !known.isFor(problem)) {
            known = evaluations.apply(problem);
            last = known;
        }
        return known;
    }

    private SearchResult leastMemory(Problem problem, SearchResult byTime) {
        Score best = byTime.scores().getFirst();
        long low = 0;
        long high = best.peakBytes();
        while (high - low > high * PRECISION && !outOfTime() && !observer.stopRequested()) {
            long middle = low + (high - low) / 2;
            Optional<Score> found = within(problem, middle);
            if (found.isPresent()) {
                best = found.get();
                high = best.peakBytes();
            } else {
                low = middle;
            }
        }
        return first(best, byTime);
    }

    private SearchResult fewestDevices(Problem problem, SearchResult byTime) {
        Score best = byTime.scores().getFirst();
        int low = 0;
        int high = best.plan().devices();
        while (high - low > 1 && !outOfTime() && !observer.stopRequested()) {
            int middle = low + (high - low) / 2;
            SearchResult found =
                    time(problem.withCluster(part(problem.cluster(), middle)).withTop(1));
            if (found.scores().isEmpty()) {
                low = middle;
            } else {
                best = found.scores().getFirst();
                high = Math.min(middle, best.plan().devices());
            }
        }
        return first(best, byTime);
    }

    /** The first so many devices of a uniform cluster. */
    public static Cluster part(Cluster cluster, int devices) {
        return new Cluster(
                cluster.name(),
                List.of(new Cluster.Pool(cluster.device(), devices)),
                cluster.levels(),
                cluster.torus(),
                cluster.networkEfficiencyNote(),
                cluster.blockingLaunches(),
                cluster.economics(),
                cluster.disturbances());
    }

    private static SearchResult first(Score best, SearchResult rest) {
        List<Score> scores = new ArrayList<>(List.of(best));
        rest.scores().stream()
                .filter(score -> !score.plan().equals(best.plan()))
                .forEach(scores::add);
        return new SearchResult(scores, rest.statistics());
    }
}
