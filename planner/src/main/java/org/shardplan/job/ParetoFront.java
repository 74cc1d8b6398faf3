package org.shardplan.job;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.shardplan.plan.PlanText;
import org.shardplan.search.Objectives;
import org.shardplan.search.ParetoPoint;
import org.shardplan.search.Problem;
import org.shardplan.search.Score;

/** Time against memory: the fastest plan under each of a ladder of memory limits. Each point is optimal for its limit. */
final class ParetoFront {
    /** Each rung allows this share of the one before. */
    private static final double RUNG = 0.8;

    private static final int RUNGS = 4;

    /** What all rungs together may take: on 100,000 devices each is a search of seconds. One that is not done by then is left out. */
    private static final long LONG_NANOS = 2_500_000_000L;

    private ParetoFront() {}

    static List<ParetoPoint> of(Objectives search, Problem problem, List<Score> scores) {
        List<Score> front = new ArrayList<>();
        scores.forEach(score -> add(front, score));
        long start = System.nanoTime();
        for (int rung = 0; rung < RUNGS && !front.isEmpty(); rung++) {
            long left = LONG_NANOS - (System.nanoTime() - start);
            long limit = (long) (front.getLast().peakBytes() * RUNG);
            Optional<Score> found = left > 0 ? search.provenWithin(problem, limit, left) : Optional.<Score>empty();
            if (found.isEmpty()) {
                break;
            }
            add(front, found.get());
        }
        return front.stream()
                .map(score -> new ParetoPoint(score.stepNanos() / 1e9, score.peakBytes(), PlanText.print(score.plan())))
                .toList();
    }

    /** Scores come fastest first: one joins where it takes less memory than all before it. */
    private static void add(List<Score> front, Score score) {
        if (front.isEmpty() || score.peakBytes() < front.getLast().peakBytes()) {
            front.add(score);
        }
    }
}
