package org.shardplan.job;

/** A row that is not predicted; caught by {@link RowJob}, never seen outside this room. */
final class RowSkip extends Exception {
    private static final long serialVersionUID = 1L;

    private final String reason;

    RowSkip(String reason) {
        super(reason, null, false, false);
        this.reason = reason;
    }

    String reason() {
        return reason;
    }
}
