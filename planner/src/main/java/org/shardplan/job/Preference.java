package org.shardplan.job;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.shardplan.search.Objective;
import org.shardplan.search.Problem;
import org.shardplan.search.Score;
import org.shardplan.search.SearchStatistics;

/** Which of plans that a comparison can't tell apart stands first: one that uses all devices, then the one with most memory to spare. */
final class Preference {
    /** A plan that leaves devices idle must be this much faster than one that uses all. */
    private static final double IDLE = 0.01;

    private Preference() {}

    /** Best first by time, the preferred one moved to the front. */
    static List<Score> order(List<Score> scores, Problem problem, double comparisonError) {
        if (problem.objective() != Objective.TIME) {
            return scores;
        }
        double fastest = scores.getFirst().stepNanos();
        int devices = problem.cluster().devices();
        boolean fullIsNear = scores.stream()
                .anyMatch(score -> score.plan().devices() == devices && score.stepNanos() <= fastest * (1 + IDLE));
        Score preferred = scores.stream()
                .filter(score -> score.stepNanos() <= fastest * (1 + Math.max(IDLE, comparisonError)))
                .filter(score -> !fullIsNear || score.plan().devices() == devices)
                .filter(score -> score.stepNanos()
                        <= fastest * (1 + (fullIsNear ? Math.max(IDLE, comparisonError) : comparisonError)))
                .min(Comparator.comparingLong(Score::peakBytes))
                .orElse(scores.getFirst());
        List<Score> ordered = new ArrayList<>(List.of(preferred));
        scores.stream().filter(score -> score != preferred).forEach(ordered::add);
        return ordered;
    }

    /** How many of the listed plans the model can't tell from the fastest. */
    static SearchStatistics count(SearchStatistics statistics, List<Score> scores, double comparisonError) {
        double fastest = scores.stream().mapToLong(Score::stepNanos).min().orElse(0);
        long within = scores.stream()
                .filter(score -> score.stepNanos() <= fastest * (1 + comparisonError))
                .count();
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
