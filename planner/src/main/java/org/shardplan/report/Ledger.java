package org.shardplan.report;

import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * How near predictions come to measured runs, source by source. Only rows that count are in it.
 *
 * @param sources in order of first appearance
 * @param ranking a line a source that measured four plans or more of one job
 * @param comparison error of comparing two plans of one job, over those jobs
 * @param skips reasons for which rows that count were not predicted, most frequent first
 * @param faults rows that stand in no score because something is wrong with them
 * @param points rows that count, each predicted by factors fitted on the other sources
 */
public record Ledger(
        List<SourceScore> sources,
        List<RankingScore> ranking,
        ComparisonError comparison,
        List<Skip> skips,
        List<Fault> faults,
        List<Point> points) {
    public static final Ledger EMPTY = new Ledger(
            List.of(), List.of(), new ComparisonError(0, Double.NaN, Double.NaN), List.of(), List.of(), List.of());

    public Ledger {
        sources = List.copyOf(sources);
        ranking = List.copyOf(ranking);
        skips = List.copyOf(skips);
        faults = List.copyOf(faults);
        points = List.copyOf(points);
    }

    /** So many rows of a source were not predicted, and why. */
    public record Skip(String source, int rows, String reason) {}

    /** A row that stands in no score, and what is wrong with it. */
    public record Fault(String id, String source, String reason) {}

    /** A step, measured and predicted by factors fitted without its source. */
    public record Point(String source, double measuredSeconds, double predictedSeconds) {}

    /** The same with other scores of its sources. */
    public Ledger with(List<SourceScore> otherSources) {
        return new Ledger(otherSources, ranking, comparison, skips, faults, points);
    }

    /** Over all sources that count. */
    public Means means(Function<SourceScore, Errors> errors) {
        return means(errors, source -> true);
    }

    /** Over sources that count and fulfil a condition. */
    public Means means(Function<SourceScore, Errors> errors, Predicate<SourceScore> which) {
        return Means.of(sources.stream()
                .filter(source -> !source.composed())
                .filter(which)
                .map(errors)
                .toList());
    }

    /** How often intervals hold. */
    public Coverage coverage() {
        return Coverage.of(sources.stream().filter(source -> !source.composed()).toList());
    }

    /** Sources on which the formula is nearer than the model. */
    public List<String> formulaIsNearer(Function<SourceScore, Errors> ours, Function<SourceScore, Errors> formula) {
        return sources.stream()
                .filter(source -> !source.composed() && ours.apply(source).counts())
                .filter(source -> formula.apply(source).medianPercent()
                        < ours.apply(source).medianPercent())
                .map(SourceScore::source)
                .toList();
    }

    /** Rows that count. */
    public int rows() {
        return sources.stream()
                .filter(source -> !source.composed())
                .mapToInt(SourceScore::rows)
                .sum();
    }

    /** Of these, predicted. */
    public int evaluated() {
        return sources.stream()
                .filter(source -> !source.composed())
                .mapToInt(SourceScore::evaluated)
                .sum();
    }
}
