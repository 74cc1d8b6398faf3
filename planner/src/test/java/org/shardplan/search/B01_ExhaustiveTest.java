package org.shardplan.search;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.shardplan.cost.Calibration;
import org.shardplan.cost.CalibrationFile;
import org.shardplan.cost.CollectiveModel;
import org.shardplan.cost.KernelModel;
import org.shardplan.cost.KernelTables;
import org.shardplan.plan.FixedChoices;
import org.shardplan.plan.PlanText;
import org.shardplan.plan.Shorthand;
import org.shardplan.search.EveryPlan.Scored;

/** The search finds what trying every plan finds, on small problems where memory is anything from ample to not enough. */
class B01_ExhaustiveTest {
    private static final int PROBLEMS = Integer.getInteger("exhaustive.problems", 200);
    private static final int MOST_PLANS = Integer.getInteger("exhaustive.plans", 4_000);
    private static final int TOP = 4;

    private final KernelTables tables = KernelTables.load();
    private final Calibration calibration = CalibrationFile.load();
    private final KernelModel kernels = new KernelModel(tables, calibration);
    private final CollectiveModel collectives = new CollectiveModel(tables);
    private final AtomicLong plans = new AtomicLong();
    private final AtomicLong split = new AtomicLong();
    private final AtomicLong replicated = new AtomicLong();
    private final AtomicLong searches = new AtomicLong();
    private final AtomicLong bound = new AtomicLong();
    private final AtomicLong beyond = new AtomicLong();
    private final LongAccumulator mostBeyond = new LongAccumulator(Math::max, 0);

    @Test
    void searchAgreesWithExhaustiveEnumeration() {
        List<String> wrong = IntStream.range(0, PROBLEMS)
                .parallel()
                .mapToObj(this::compare)
                .flatMap(List::stream)
                .toList();
        System.out.printf(
                "exhaustive: %d problems of %,d plans in all (%,d with cp, %,d with replicas), %,d searches, memory binds in %,d;"
                        + " a plan outside the space (layouts, short parts of sequences) would be faster in %d, by %.1f %% at most%n",
                PROBLEMS,
                plans.get(),
                split.get(),
                replicated.get(),
                searches.get(),
                bound.get(),
                beyond.get(),
                mostBeyond.get() / 10.0);
        assertTrue(wrong.isEmpty(), () -> wrong.size() + " disagree:\n" + String.join("\n", wrong));
    }

    private List<String> compare(int seed) {
        try {
            return disagreements(seed);
        } catch (RuntimeException failed) {
            Throwable cause = failed.getCause() == null ? failed : failed.getCause();
            return List.of("problem " + seed + ": " + cause + " at " + List.of(cause.getStackTrace()));
        }
    }

    private List<String> disagreements(int seed) {
        Random random = new Random(seed);
        Problem problem;
        EveryPlan every;
        Evaluation evaluation;
        List<List<Shorthand>> tuples;
        do {
            problem = SmallProblems.draw(random);
            evaluation = new Evaluation(problem, kernels, collectives, calibration);
            every = new EveryPlan(problem);
            tuples = every.alike(every.tuples(), evaluation);
        } while (every.count(tuples, MOST_PLANS) >= MOST_PLANS);
        List<Scored> scored = every.score(tuples, evaluation);
        plans.addAndGet(scored.size());
        split.addAndGet(scored.stream().filter(plan -> plan.plan().cp() > 1).count());
        replicated.addAndGet(
                scored.stream().filter(plan -> plan.plan().replicas() > 1).count());
        List<String> wrong = new ArrayList<>();
        Evaluation shared = new Evaluation(problem, kernels, collectives, calibration);
        for (long capacity : capacities(scored, random)) {
            compare(seed, problem.withCapacity(capacity), shared, scored).ifPresent(wrong::add);
            Problem pinned = problem.withCapacity(capacity).withFixed(pins(scored, random));
            compare(seed, pinned, shared, scored).ifPresent(wrong::add);
        }
        Problem drawn = problem;
        long space = new Hybrid(1)
                .search(problem, evaluation, Budget.NONE, SearchObserver.NONE)
                .statistics()
                .space();
        long distinct = tuples.stream()
                .filter(alike ->
                        alike.stream().anyMatch(EveryPlan::offered) && EveryPlan.inSpace(alike.getFirst(), drawn))
                .count();
        if (space != distinct) {
            wrong.add("problem " + seed + ": space " + space + ", but " + distinct + " distinct tuples");
        }
        return wrong;
    }

    /** Everything fits; the fastest just fits, misses by a byte; a plan drawn at random just fits; nothing fits. */
    private static List<Long> capacities(List<Scored> scored, Random random) {
        long most = scored.stream().mapToLong(Scored::peakBytes).max().orElseThrow();
        long least = scored.stream().mapToLong(Scored::peakBytes).min().orElseThrow();
        Scored best = fastest(scored, most).orElseThrow();
        List<Long> capacities = new ArrayList<>(List.of(most, best.peakBytes() - 1, least, least - 1));
        Optional<Scored> next = fastest(scored, best.peakBytes() - 1);
        while (next.isPresent() && capacities.size() < 8) {
            long between = Math.max(least, (long) (next.get().peakBytes() * (0.8 + 0.2 * random.nextDouble())));
            capacities.add(between);
            next = fastest(scored, between - 1);
        }
        return capacities;
    }

    private static Optional<Scored> fastest(List<Scored> scored, long capacity) {
        Scored best = null;
        for (Scored plan : scored) {
            boolean faster = best == null || plan.stepNanos() < best.stepNanos();
            if (plan.peakBytes() <= capacity && faster) {
                best = plan;
            }
        }
        return Optional.ofNullable(best);
    }

    /** Some of the choices of a plan drawn at random. */
    private static FixedChoices pins(List<Scored> scored, Random random) {
        Shorthand plan = scored.get(random.nextInt(scored.size())).plan();
        return new FixedChoices(
                maybe(random, plan.tp()),
                maybe(random, plan.pp()),
                maybe(random, plan.vpp()),
                maybe(random, plan.dp()),
                maybe(random, plan.microBatch()),
                random.nextInt(4) == 0 ? Optional.of(plan.sequenceParallel()) : Optional.empty(),
                maybe(random, plan.zero()),
                random.nextInt(4) == 0 ? Optional.of(plan.recompute()) : Optional.empty(),
                random.nextInt(4) == 0 ? Optional.of(plan.schedule()) : Optional.empty(),
                random.nextInt(4) == 0 ? Optional.of(plan.order()) : Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                maybe(random, plan.ep()),
                maybe(random, plan.etp()),
                maybe(random, plan.cp()),
                random.nextInt(4) == 0 ? Optional.of(plan.context().type()) : Optional.empty(),
                maybe(random, plan.replicas()));
    }

    private static OptionalInt maybe(Random random, int value) {
        return random.nextInt(4) == 0 ? OptionalInt.of(value) : OptionalInt.empty();
    }

    /** Steps of the best plans of different kinds, as the search and the enumeration see them. */
    private Optional<String> compare(int seed, Problem problem, Evaluation evaluation, List<Scored> scored) {
        searches.incrementAndGet();
        List<Scored> allowed =
                scored.stream().filter(plan -> plan.allowed(problem.fixed())).toList();
        List<Scored> anyLayout = allowed.stream()
                .filter(plan -> plan.peakBytes() <= problem.capacityBytes())
                .toList();
        List<Scored> fitting = anyLayout.stream()
                .filter(plan -> plan.searched() && plan.within(problem))
                .toList();
        List<Scored> surpassed = anyLayout.stream()
                .filter(plan -> plan.searched() && plan.surpassed(problem))
                .toList();
        countBeyond(anyLayout, fitting);
        Optional<Scored> unlimited = fastest(allowed, Long.MAX_VALUE);
        Optional<Scored> best = fastest(fitting, Long.MAX_VALUE);
        bound.addAndGet(best.equals(unlimited) ? 0 : 1);
        SearchResult one = search(problem, evaluation, 1, 1);
        SearchResult two = search(problem, evaluation, 2, TOP);
        List<Long> wanted = stepsByKind(fitting);
        List<Long> found = two.scores().stream().map(Score::stepNanos).toList();
        String where = "problem " + seed + ", capacity " + problem.capacityBytes() + pinned(problem.fixed()) + ": ";
        if (one.scores().isEmpty() != best.isEmpty()
                || (best.isPresent()
                        && one.scores().getFirst().stepNanos() != best.get().stepNanos())) {
            return Optional.of(where + "search "
                    + one.scores().stream().map(B01_ExhaustiveTest::print).toList() + ", exhaustive "
                    + best.map(plan -> PlanText.print(plan.plan()) + " " + plan.stepNanos() + " ns " + plan.peakBytes()
                            + " bytes"));
        }
        Optional<Scored> left = fastest(surpassed, Long.MAX_VALUE);
        if (left.isPresent()
                && best.stream()
                        .noneMatch(plan -> plan.stepNanos() <= left.get().stepNanos())) {
            return Optional.of(where + "what is left out as surpassed is faster: "
                    + PlanText.print(left.get().plan()) + " " + left.get().stepNanos() + " ns, search "
                    + one.scores().stream().map(B01_ExhaustiveTest::print).toList());
        }
        if (!found.equals(wanted)) {
            return Optional.of(where + "top " + TOP + " by search " + found + ", exhaustive " + wanted);
        }
        boolean claims = one.statistics().optimal() == best.isPresent()
                && two.statistics().optimal() == best.isPresent();
        return claims ? Optional.empty() : Optional.of(where + "does not claim what it proved: " + one.statistics());
    }

    private void countBeyond(List<Scored> anyLayout, List<Scored> searched) {
        Optional<Scored> any = fastest(anyLayout, Long.MAX_VALUE);
        Optional<Scored> best = fastest(searched, Long.MAX_VALUE);
        if (any.isPresent() && !any.equals(best)) {
            beyond.incrementAndGet();
            long step = best.map(Scored::stepNanos).orElse(Long.MAX_VALUE);
            mostBeyond.accumulate(1000 * (step - any.get().stepNanos()) / step);
        }
    }

    private SearchResult search(Problem problem, int threads, int top) {
        return search(problem, new Evaluation(problem, kernels, collectives, calibration), threads, top);
    }

    private static SearchResult search(Problem problem, Evaluation evaluation, int threads, int top) {
        return new Hybrid(threads).search(problem.withTop(top), evaluation, Budget.NONE, SearchObserver.NONE);
    }

    private static List<Long> stepsByKind(List<Scored> fitting) {
        Map<List<Object>, Long> best = new HashMap<>();
        for (Scored scored : fitting) {
            Shorthand plan = scored.plan();
            List<Object> kind = List.of(
                    plan.tp(),
                    plan.pp(),
                    plan.vpp(),
                    plan.dp(),
                    plan.microBatch(),
                    plan.parameterRanks() > 1 ? plan.zero() : 0,
                    plan.cp(),
                    plan.replicas(),
                    plan.recompute(),
                    plan.ep(),
                    plan.etp());
            best.merge(kind, scored.stepNanos(), Math::min);
        }
        return best.values().stream().sorted().limit(TOP).toList();
    }

    private static String pinned(FixedChoices fixed) {
        return fixed.toString()
                .replaceAll("FixedChoices|Optional(Int)?|[a-zA-Z]+=Optional(Int)?\\.empty,? ?", "")
                .replaceAll("^", ", pinned ");
    }

    private static String print(Score score) {
        return PlanText.print(score.plan()) + " " + score.stepNanos() + " ns " + score.peakBytes() + " bytes";
    }

    @Test
    void sameAnswerOnAnyNumberOfThreadsAndEachTime() {
        for (int seed = 0; seed < 40; seed++) {
            Problem problem = SmallProblems.draw(new Random(1000 + seed));
            List<Score> once = search(problem, 1, TOP).scores();
            assertEquals(once, search(problem, 1, TOP).scores(), "again, problem " + seed);
            assertEquals(once, search(problem, 2, TOP).scores(), "two threads, problem " + seed);
            assertEquals(once, search(problem, 3, TOP).scores(), "three threads, problem " + seed);
        }
    }
}
