package org.shardplan.job;

import org.shardplan.search.SearchObserver;

/** Searches for the best plans of a model on a cluster. */
public final class PlanJob {
    private PlanJob() {}

    /** @throws org.shardplan.units.UserError on any mistake in the request or its files */
    public static PlanAnswer run(PlanRequest request, SearchObserver observer) {
        throw new IllegalStateException("lead fills: " + request);
    }
}
