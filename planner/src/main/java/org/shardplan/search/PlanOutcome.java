package org.shardplan.search;

import java.util.List;
import org.shardplan.sim.Prediction;

/** The answer of a search, or of the pricing of one plan. */
public sealed interface PlanOutcome {

    /**
     * Plans that fit.
     *
     * @param plans best first, at least one
     * @param front time × memory, fastest first; may be empty
     */
    record Found(List<Prediction> plans, List<ParetoPoint> front) implements PlanOutcome {
        public Found {
            plans = List.copyOf(plans);
            front = List.copyOf(front);
            if (plans.isEmpty()) {
                throw new IllegalArgumentException("found, but no plan");
            }
        }

        public Prediction best() {
            return plans.getFirst();
        }
    }

    /**
     * No plan fits in memory, or the given one does not.
     *
     * @param nearest the plan that misses by least, priced as if it fitted
     * @param stage pipeline rank of it that is over
     * @param needBytes reserved memory, context included
     * @param haveBytes what a plan may take: the driver's leavings without the margin, or the user's limit
     * @param nearestChange the smallest change that fits, as a line that starts with "Maybe"; empty = none known
     */
    record NothingFits(Prediction nearest, int stage, long needBytes, long haveBytes, String nearestChange)
            implements PlanOutcome {}

    /**
     * Plans fit in memory, but none keeps within the user's limits.
     *
     * @param limit the limit that is broken, as given: {@code step=25s}
     * @param reached what the nearest plan reaches: {@code 27.1 s}
     * @param nearest the plan that misses by least
     * @param nearestChange a line that starts with "Maybe"; empty = none known
     */
    record NoneWithin(String limit, String reached, Prediction nearest, String nearestChange) implements PlanOutcome {}
}
