package org.shardplan.report;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;

/**
 * Predicted against measured.
 *
 * @param rows in the order of the files
 * @param ledger scores of the rows that count, a line a source
 * @param kinds ledgers of all runs of a kind, where not all of them are in the first one
 * @param pairs how well the effect of one choice is told
 * @param heldOut each source predicted by factors fitted on the other ones
 * @param notes rules that were applied, a line each: which network stands for which, which constants were fitted on what
 */
public record Validation(
        List<ValidationRow> rows,
        Ledger ledger,
        List<KindLedger> kinds,
        List<PairScore> pairs,
        List<HeldOut> heldOut,
        List<String> notes) {
    public Validation {
        rows = List.copyOf(rows);
        kinds = List.copyOf(kinds);
        pairs = List.copyOf(pairs);
        heldOut = List.copyOf(heldOut);
        notes = List.copyOf(notes);
    }

    /**
     * Errors of one source, or of all.
     *
     * @param source its name, {@code all} for the whole
     * @param rows in the files
     * @param evaluated predicted
     * @param skipped not predicted
     * @param timed evaluated rows with a measured step that is not left aside
     * @param medianPercent median |error| of the step, NaN where none is timed
     * @param worstPercent largest |error|
     * @param biasPercent median signed error
     * @param withinInterval timed rows whose measured step lies in the interval
     * @param memoryRows evaluated rows with measured memory
     * @param memoryMedianPercent median |error| of memory
     * @param memoryWorstPercent largest |error| of memory
     * @param fitsJudged evaluated rows, all of which ran or ran out of memory
     * @param fitsRight of these, judged rightly
     */
    public record Summary(
            String source,
            int rows,
            int evaluated,
            int skipped,
            int timed,
            double medianPercent,
            double worstPercent,
            double biasPercent,
            int withinInterval,
            int memoryRows,
            double memoryMedianPercent,
            double memoryWorstPercent,
            int fitsJudged,
            int fitsRight) {}

    public Summary all() {
        return summary("all", row -> true);
    }

    /** One summary a source, in order of first appearance. */
    public List<Summary> bySource() {
        Set<String> sources = new LinkedHashSet<>();
        rows.forEach(row -> sources.add(row.source()));
        return sources.stream()
                .map(source -> summary(source, row -> row.source().equals(source)))
                .toList();
    }

    private Summary summary(String name, Predicate<ValidationRow> of) {
        List<ValidationRow> mine = rows.stream().filter(of).toList();
        List<ValidationRow> evaluated =
                mine.stream().filter(row -> row.skipped() == null).toList();
        List<ValidationRow> timed =
                evaluated.stream().filter(ValidationRow::timed).toList();
        double[] errors = sorted(timed, ValidationRow::errorPercent);
        double[] sizes = sorted(timed, row -> Math.abs(row.errorPercent()));
        double[] memory = sorted(evaluated, row -> Math.abs(row.memoryErrorPercent()));
        List<ValidationRow> judged =
                evaluated.stream().filter(row -> row.fits() != null).toList();
        return new Summary(
                name,
                mine.size(),
                evaluated.size(),
                mine.size() - evaluated.size(),
                errors.length,
                median(sizes),
                last(sizes),
                median(errors),
                (int) timed.stream().filter(ValidationRow::withinInterval).count(),
                memory.length,
                median(memory),
                last(memory),
                judged.size(),
                (int) judged.stream()
                        .filter(row -> Boolean.valueOf(!row.ranOutOfMemory()).equals(row.fits()))
                        .count());
    }

    /** Known values, ascending. */
    private static double[] sorted(List<ValidationRow> rows, ToDoubleFunction<ValidationRow> value) {
        return rows.stream()
                .mapToDouble(value)
                .filter(x -> !Double.isNaN(x))
                .sorted()
                .toArray();
    }

    private static double median(double[] sorted) {
        int n = sorted.length;
        return n == 0
                ? Double.NaN
                : Arrays.stream(sorted, (n - 1) / 2, n / 2 + 1).average().orElse(Double.NaN);
    }

    private static double last(double[] sorted) {
        return sorted.length == 0 ? Double.NaN : sorted[sorted.length - 1];
    }
}
