package org.shardplan.search;

import java.util.Optional;
import org.shardplan.sim.Timeline;

/**
 * All that plan, simulate and explain have to say: the record behind text, JSON and trace.
 *
 * @param subject what was planned
 * @param search how it was searched
 * @param outcome what was found
 * @param timeline of the best (or nearest) plan, where it was swept
 * @param campaign the whole run, where it was said how many tokens it has
 */
public record PlanningResult(
        PlanningSubject subject,
        SearchStatistics search,
        PlanOutcome outcome,
        Optional<Timeline> timeline,
        Optional<Campaign> campaign) {

    /** Of a step alone. */
    public PlanningResult(
            PlanningSubject subject, SearchStatistics search, PlanOutcome outcome, Optional<Timeline> timeline) {
        this(subject, search, outcome, timeline, Optional.empty());
    }
}
