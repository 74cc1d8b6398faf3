package org.shardplan.job;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.shardplan.search.Campaign;
import org.shardplan.search.Objectives;
import org.shardplan.search.Problem;
import org.shardplan.search.Score;
import org.shardplan.search.SearchResult;
import org.shardplan.search.SearchStatistics;

/**
 * The objective {@code cost}: which part of a cluster trains all tokens for the fewest dollars. Parts are numbers of nodes that divide the
 * cluster's; for each, the fastest plans are the cheapest, for a part is paid for whether its devices are busy or not.
 */
final class CheapestPart {
    private CheapestPart() {}

    /** @param mostDays limit on the run, infinity = none */
    static SearchResult search(Objectives search, Problem problem, Campaign campaign, double mostDays) {
        int devices = problem.cluster().devices();
        int node = Math.min(campaign.nodeDevices(), devices);
        List<Score> all = new ArrayList<>();
        SearchStatistics sum = null;
        for (int part = devices; part >= node; part -= node) {
            if (devices % part != 0) {
                continue;
            }
            double limit = Math.min(problem.mostStepSeconds(), campaign.stepSecondsWithin(mostDays, part));
            Problem smaller = (part == devices
                            ? problem
                            : problem.withCluster(Objectives.part(problem.cluster(), part)))
                    .withStepLimit(limit);
            SearchResult found = search.time(smaller);
            all.addAll(found.scores());
            sum = sum == null ? found.statistics() : sum(sum, found.statistics());
        }
        all.sort(Comparator.<Score>comparingDouble(score -> dollars(score, campaign))
                .thenComparingLong(Score::stepNanos)
                .thenComparingLong(Score::number));
        return new SearchResult(
                all.subList(0, Math.min(problem.top(), all.size())),
                sum == null ? search.time(problem).statistics() : sum);
    }

    private static double dollars(Score score, Campaign campaign) {
        return campaign.dollars(score.stepNanos() / 1e9, score.plan().devices());
    }

    /** Of all searches together; no bound on time holds for them all. */
    private static SearchStatistics sum(SearchStatistics a, SearchStatistics b) {
        return new SearchStatistics(
                a.method(),
                a.evaluator(),
                a.space() + b.space(),
                a.evaluated() + b.evaluated(),
                a.pruned() + b.pruned(),
                a.wallSeconds() + b.wallSeconds(),
                a.optimal() && b.optimal(),
                Double.NaN,
                a.stopped().equals("done") ? b.stopped() : a.stopped(),
                1);
    }
}
