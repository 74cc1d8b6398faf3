package org.shardplan.report;

/**
 * How well plans of one job are put in order, over the jobs of a source of which four plans or more were measured.
 *
 * @param source who published them
 * @param composed as in {@link SourceScore}
 * @param groups jobs
 * @param plans in all of them
 * @param ours of the model
 * @param formula of the formula
 */
public record RankingScore(String source, boolean composed, int groups, int plans, Order ours, Order formula) {

    /**
     * Order predicted against order measured.
     *
     * @param medianSpearman median over jobs of Spearman's rank correlation
     * @param meanSpearman mean of it
     * @param pairOrder share of pairs of plans put in the right order, mean over jobs
     * @param medianRegretPercent measured time of the plan predicted best over that of the best, less one; median over jobs
     * @param p90RegretPercent its 90th percentile
     */
    public record Order(
            double medianSpearman,
            double meanSpearman,
            double pairOrder,
            double medianRegretPercent,
            double p90RegretPercent) {}
}
