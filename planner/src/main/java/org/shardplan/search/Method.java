package org.shardplan.search;

/** How a space is explored. One file each; {@code --method} names it. */
public interface Method {

    /** What a method says of itself: {@code shardplan methods}. */
    record Description(String name, String space, String evaluator, String optimality, String source) {}

    Description description();

    /**
     * Searches.
     *
     * @param budget when to stop early
     * @param observer hears of progress, may ask to stop
     */
    SearchResult search(Problem problem, Evaluation evaluation, Budget budget, SearchObserver observer);
}
