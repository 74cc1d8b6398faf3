package org.shardplan.search;

/**
 * When a search stops before it has proven its answer.
 *
 * @param nanos wall time, {@code Long.MAX_VALUE} = none; a search that stops by it is not reproducible
 * @param evaluations plans scored, {@code Long.MAX_VALUE} = none
 */
public record Budget(long nanos, long evaluations) {
    public static final Budget NONE = new Budget(Long.MAX_VALUE, Long.MAX_VALUE);
}
