package org.shardplan.search;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The best plans so far, at most one of each kind, fewest nanoseconds first. */
final class TopPlans {
    private static final Comparator<Score> ORDER =
            Comparator.comparingLong(Score::stepNanos).thenComparingLong(Score::number);

    private final int top;
    private final List<Score> scores = new ArrayList<>();

    TopPlans(int top) {
        this.top = top;
    }

    void add(Score score) {
        for (int i = 0; i < scores.size(); i++) {
            if (scores.get(i).kind().equals(score.kind())) {
                if (ORDER.compare(score, scores.get(i)) < 0) {
                    scores.set(i, score);
                    scores.sort(ORDER);
                }
                return;
            }
        }
        scores.add(score);
        scores.sort(ORDER);
        if (scores.size() > top) {
            scores.removeLast();
        }
    }

    /** A plan that takes longer can't enter. */
    long thresholdNanos() {
        return scores.size() < top ? Long.MAX_VALUE : scores.getLast().stepNanos();
    }

    List<Score> list() {
        return List.copyOf(scores);
    }
}
