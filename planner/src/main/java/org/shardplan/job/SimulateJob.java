package org.shardplan.job;

/** Predicts one given plan. */
public final class SimulateJob {
    private SimulateJob() {}

    /** @throws org.shardplan.units.UserError on any mistake in the request or its files */
    public static PlanAnswer run(SimulateRequest request) {
        throw new IllegalStateException("lead fills: " + request);
    }
}
