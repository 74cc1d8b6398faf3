package org.shardplan.search;

/**
 * What a search looked at and what it proves.
 *
 * @param method for example {@code hybrid}; {@code given} where one plan was scored and nothing searched
 * @param evaluator that scored the plans, for example {@code sweep}
 * @param space legal, distinct outer tuples
 * @param evaluated of these, scored
 * @param pruned of these, ruled out by a bound
 * @param wallSeconds of the search alone
 * @param optimal whether the best is proven best under this model and evaluator
 * @param lowerBoundSeconds no plan of the space can be faster; NaN = none known
 * @param stopped why it ended: {@code done}, {@code time}, {@code evaluations}, {@code interrupted}
 * @param withinComparisonError plans that the model can't tell from the best, the best included
 */
public record SearchStatistics(
        String method,
        String evaluator,
        long space,
        long evaluated,
        long pruned,
        double wallSeconds,
        boolean optimal,
        double lowerBoundSeconds,
        String stopped,
        long withinComparisonError) {

    /** Of one plan that was given. */
    public static SearchStatistics given(String evaluator, double wallSeconds) {
        return new SearchStatistics("given", evaluator, 1, 1, 0, wallSeconds, false, Double.NaN, "done", 1);
    }
}
