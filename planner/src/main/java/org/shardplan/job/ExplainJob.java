package org.shardplan.job;

import org.shardplan.search.SearchObserver;

/** Compares the plan of a plan.json with others: the first plan of the answer is the one explained, the rest are what it is compared with. */
public final class ExplainJob {
    private ExplainJob() {}

    /** @throws org.shardplan.units.UserError on any mistake in the request or its files */
    public static PlanAnswer run(ExplainRequest request, SearchObserver observer) {
        throw new IllegalStateException("lead fills: " + request);
    }
}
