package org.shardplan.job;

import org.shardplan.report.Validation;
import org.shardplan.search.SearchObserver;

/** Predicts measured runs. */
public final class ValidateJob {
    private ValidateJob() {}

    /** @throws org.shardplan.units.UserError where a file can't be read or lacks a required column */
    public static Validation run(ValidateRequest request, SearchObserver observer) {
        throw new IllegalStateException("lead fills: " + request);
    }
}
