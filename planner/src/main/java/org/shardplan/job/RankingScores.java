package org.shardplan.job;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.shardplan.report.ComparisonError;
import org.shardplan.report.Errors;
import org.shardplan.report.RankingScore;

/** How plans of one job are put in order, by source, and by how much comparisons are off. */
final class RankingScores {
    /** Plans are hard to tell apart where their predicted steps differ by less than this share. */
    private static final double NEAR = 0.10;

    private RankingScores() {}

    /** One line a source that has groups, in order of first appearance. */
    static List<RankingScore> of(List<ScoredRow> rows) {
        Map<String, List<ScoredRow>> bySource = new LinkedHashMap<>();
        rows.forEach(row ->
                bySource.computeIfAbsent(row.source(), _ -> new ArrayList<>()).add(row));
        List<RankingScore> scores = new ArrayList<>();
        bySource.forEach((source, mine) -> {
            List<PlanGroup> groups = PlanGroup.of(mine, RankingScores::predicted);
            if (!groups.isEmpty()) {
                scores.add(new RankingScore(
                        source,
                        mine.stream().allMatch(row -> row.result().composed()),
                        groups.size(),
                        groups.stream().mapToInt(PlanGroup::plans).sum(),
                        order(groups),
                        order(PlanGroup.of(mine, ScoredRow::formulaSeconds))));
            }
        });
        return scores;
    }

    private static double predicted(ScoredRow row) {
        return row.result().predictedStepSeconds();
    }

    private static RankingScore.Order order(List<PlanGroup> groups) {
        double[] spearman = sorted(groups, PlanGroup::spearman);
        double[] regret = sorted(groups, group -> 100 * group.regret());
        return new RankingScore.Order(
                Errors.quantile(spearman, 0.5),
                mean(groups, PlanGroup::spearman),
                mean(groups, PlanGroup::pairOrder),
                Errors.quantile(regret, 0.5),
                Errors.quantile(regret, 0.9));
    }

    private static double mean(List<PlanGroup> groups, ToDoubleFunction<PlanGroup> value) {
        return groups.stream()
                .mapToDouble(value)
                .filter(x -> !Double.isNaN(x))
                .average()
                .orElse(Double.NaN);
    }

    private static double[] sorted(List<PlanGroup> groups, ToDoubleFunction<PlanGroup> value) {
        return groups.stream()
                .mapToDouble(value)
                .filter(x -> !Double.isNaN(x))
                .sorted()
                .toArray();
    }

    /** Over all jobs of the rows, jobs weighing the same; of plans that are predicted near to each other. */
    static ComparisonError comparisons(List<ScoredRow> rows) {
        record Pair(double error, double weight) {}
        List<Pair> pairs = new ArrayList<>();
        for (PlanGroup group : PlanGroup.of(rows, RankingScores::predicted)) {
            double[] errors = group.comparisons(NEAR);
            for (double error : errors) {
                pairs.add(new Pair(error, 1.0 / errors.length));
            }
        }
        pairs.sort(Comparator.comparingDouble(Pair::error));
        double all = pairs.stream().mapToDouble(Pair::weight).sum();
        double median = Double.NaN;
        double p90 = Double.NaN;
        double below = 0;
        for (Pair pair : pairs) {
            below += pair.weight;
            median = Double.isNaN(median) && below >= 0.5 * all ? 100 * pair.error : median;
            p90 = Double.isNaN(p90) && below >= 0.9 * all - 1e-9 ? 100 * pair.error : p90;
        }
        return new ComparisonError(pairs.size(), median, p90);
    }
}
