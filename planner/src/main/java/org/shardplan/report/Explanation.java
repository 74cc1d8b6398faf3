package org.shardplan.report;

import java.util.List;
import org.shardplan.search.PlanningResult;
import org.shardplan.sim.Prediction;

/**
 * Why a plan.
 *
 * @param result the first plan is the one that is explained, the rest are what it is held against
 * @param neighbours legal plans one choice away, whether they fit or not
 * @param usableBytes what a plan may take: the device's memory without the margin
 * @param comparisonError plans whose times differ by less than this share can't be told apart
 */
public record Explanation(PlanningResult result, List<Neighbour> neighbours, long usableBytes, double comparisonError) {
    public Explanation {
        neighbours = List.copyOf(neighbours);
    }

    /**
     * A plan that differs in one choice.
     *
     * @param change for example {@code tp=4 (8)}: the new value, and the old one in parentheses
     * @param prediction of it
     */
    public record Neighbour(String change, Prediction prediction) {}
}
