package org.shardplan.job;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.shardplan.search.Objective;
import org.shardplan.search.Problem;
import org.shardplan.search.Score;
import org.shardplan.search.SearchStatistics;

/**
 * Which of the fastest plans stands first. One that uses all devices goes before one that leaves some idle and is less than
 * 1 % faster; of plans that a comparison can't tell apart, the one with most memory to spare.
 */
final class Preference {
    private static final double IDLE = 0.01;

    /** So many of the fastest are looked at, however many are listed: the best plan is the same for any {@code --top}. */
    static final int SHORTLIST = 10;
    /** Peaks that differ by less than this share of the capacity count as equal: then the faster plan stands first. */
    private static final double MEMORY = 0.01;

    private Preference() {}

    /** As given, the preferred one moved to the front; only where time is what counts. */
    static List<Score> order(List<Score> scores, Problem problem, double comparisonError) {
        if (problem.objective() != Objective.TIME || scores.isEmpty()) {
            return scores;
        }
        long fastest = fastest(scores);
        int devices = problem.cluster().devices();
        List<Score> shortlist = scores.subList(0, Math.min(SHORTLIST, scores.size()));
        List<Score> full = shortlist.stream()
                .filter(score -> score.plan().devices() == devices)
                .toList();
        boolean near = !full.isEmpty() && fastest(full) <= fastest * (1 + IDLE);
        List<Score> pool = near ? full : shortlist;
        double limit = Math.max(fastest(pool), fastest * (1 + comparisonError));
        double rung = Math.max(1, problem.capacityBytes() * MEMORY);
        Score preferred = pool.stream()
                .filter(score -> score.stepNanos() <= limit)
                .min(Comparator.<Score>comparingLong(score -> Math.round(score.peakBytes() / rung))
                        .thenComparingLong(Score::stepNanos)
                        .thenComparingLong(Score::number))
                .orElse(pool.getFirst());
        List<Score> ordered = new ArrayList<>(List.of(preferred));
        scores.stream().filter(score -> score != preferred).forEach(ordered::add);
        return ordered;
    }

    private static long fastest(List<Score> scores) {
        return scores.stream().mapToLong(Score::stepNanos).min().orElseThrow();
    }

    /** How many of the listed plans the model can't tell from the fastest. */
    static SearchStatistics count(SearchStatistics statistics, List<Score> scores, double comparisonError) {
        double limit = fastest(scores) * (1 + comparisonError);
        long within =
                scores.stream().filter(score -> score.stepNanos() <= limit).count();
        return new SearchStatistics(
                statistics.method(),
                statistics.evaluator(),
                statistics.space(),
                statistics.evaluated(),
                statistics.pruned(),
                statistics.wallSeconds(),
                statistics.optimal(),
                statistics.lowerBoundSeconds(),
                statistics.stopped(),
                within);
    }
}
