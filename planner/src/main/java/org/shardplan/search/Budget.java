package org.shardplan.search;

/**
 * When a search stops before it has proven its answer.
 *
 * @param nanos wall time, {@code Long.MAX_VALUE} = none; a search that stops by it is not reproducible
 * @param evaluations plans scored, {@code Long.MAX_VALUE} = none
 */
public record Budget(long nanos, long evaluations) {
    public static final Budget NONE = new Budget(Long.MAX_VALUE, Long.MAX_VALUE);

    /** Half a minute: what a user waits at most who gives no budget. */
    public static final Budget USUAL = new Budget(30_000_000_000L, Long.MAX_VALUE);

    /** The same, but no more than so much time. */
    Budget atMost(long most) {
        return new Budget(Math.min(nanos, most), evaluations);
    }
}
