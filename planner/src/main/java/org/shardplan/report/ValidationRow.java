package org.shardplan.report;

import org.jspecify.annotations.Nullable;

/**
 * One measured run beside its prediction. NaN = unknown.
 *
 * @param id of the row
 * @param source that published it
 * @param what model and plan in a few words, for people
 * @param cluster which network it was priced on, and which rule chose it
 * @param framework generation it was priced with
 * @param measuredStepSeconds NaN where it ran out of memory
 * @param predictedStepSeconds NaN where skipped
 * @param lowSeconds lower end of the 90 % interval
 * @param highSeconds upper end
 * @param exposedShare of the predicted step, in communication that nothing hides
 * @param measuredMemoryBytes NaN where not published
 * @param predictedMemoryBytes of the kind that was measured
 * @param memoryKind {@code allocated}, {@code reserved} or {@code device}; null where memory was not measured
 * @param fits whether the plan is predicted to fit; null where skipped
 * @param ranOutOfMemory whether the run did not fit in fact
 * @param skipped why nothing was predicted; null = it was
 * @param aside why it is none of the rows that count in the first ledger; null = it is
 * @param kind whose ledger it counts in; null = something is wrong with it, or it is composed
 */
public record ValidationRow(
        String id,
        String source,
        String what,
        String cluster,
        String framework,
        double measuredStepSeconds,
        double predictedStepSeconds,
        double lowSeconds,
        double highSeconds,
        double exposedShare,
        double measuredMemoryBytes,
        double predictedMemoryBytes,
        @Nullable String memoryKind,
        @Nullable Boolean fits,
        boolean ranOutOfMemory,
        @Nullable String skipped,
        @Nullable String aside,
        @Nullable RunKind kind) {
    /** {@link #aside} of steps that were put together from measured layers: they have a line of their own. */
    public static final String COMPOSED = "composed by its authors, not measured";

    /** A row that is not predicted, and why. */
    public static ValidationRow skipped(
            String id,
            String source,
            String what,
            double measuredStepSeconds,
            boolean ranOutOfMemory,
            String why,
            @Nullable String aside,
            @Nullable RunKind kind) {
        double nan = Double.NaN;
        return new ValidationRow(
                id,
                source,
                what,
                "",
                "",
                measuredStepSeconds,
                nan,
                nan,
                nan,
                nan,
                nan,
                nan,
                null,
                null,
                ranOutOfMemory,
                why,
                aside,
                kind);
    }

    /** Whether it was put together by its authors from measured parts. */
    public boolean composed() {
        return COMPOSED.equals(aside);
    }

    /** Predicted over measured, signed, in per cent; NaN where either is unknown. */
    public double errorPercent() {
        return 100 * (predictedStepSeconds / measuredStepSeconds - 1);
    }

    /** As {@link #errorPercent}, of memory. */
    public double memoryErrorPercent() {
        return 100 * (predictedMemoryBytes / measuredMemoryBytes - 1);
    }

    /** Whether its time is scored in the first ledger. */
    public boolean timed() {
        return aside == null && !Double.isNaN(errorPercent());
    }

    /** Whether factors are fitted on it. */
    public boolean fitted() {
        return kind != null && kind.isFitted() && !Double.isNaN(errorPercent());
    }

    /** Whether the measured step lies in the interval. */
    public boolean withinInterval() {
        return lowSeconds <= measuredStepSeconds && measuredStepSeconds <= highSeconds;
    }
}
