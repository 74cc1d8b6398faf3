package org.shardplan.report;

import java.util.Locale;

/** Predicted against measured for people: a line a row, then a summary a source. */
public final class ValidationReport {
    private ValidationReport() {}

    /** The whole report, ends with a line break. */
    public static String print(Validation validation, Style style) {
        StringBuilder text = new StringBuilder();
        TextTable rows = new TextTable(
                "id", "what", "cluster", "framework", ">measured", ">predicted", ">error", ">GiB", ">pred.", "fits");
        for (ValidationRow row : validation.rows()) {
            String skipped = row.skipped();
            rows.add(
                    row.id(),
                    row.what(),
                    row.cluster(),
                    row.framework(),
                    measured(row),
                    skipped == null ? Figures.seconds(row.predictedStepSeconds()) : "",
                    blankNaN(row.errorPercent(), Figures.signedPercent(row.errorPercent())),
                    blankNaN(row.measuredMemoryBytes(), Figures.gib(row.measuredMemoryBytes())),
                    blankNaN(row.predictedMemoryBytes(), Figures.gib(row.predictedMemoryBytes())),
                    skipped != null
                            ? "skipped: " + skipped
                            : fits(row) + (row.aside() == null ? "" : "  " + scored(row)));
        }
        text.append(rows.print("", style)).append('\n').append(tables(validation, style));
        for (String note : validation.notes()) {
            text.append(Notes.wrapped(note, style.width()));
        }
        return text.toString();
    }

    /** The summary a source, each source by the others' factors, and the ledger of the rows that count. */
    public static String tables(Validation validation, Style style) {
        StringBuilder tables = new StringBuilder(summary(validation, style));
        if (!validation.heldOut().isEmpty()) {
            tables.append('\n').append(heldOut(validation, style));
        }
        if (!validation.ledger().sources().isEmpty()) {
            tables.append('\n').append(LedgerReport.print(validation.ledger(), style));
        }
        if (!validation.kinds().isEmpty()) {
            tables.append('\n').append(KindReport.print(validation.kinds(), style));
        }
        if (!validation.pairs().isEmpty()) {
            tables.append('\n').append(KindReport.pairs(validation.pairs(), style));
        }
        return tables.toString();
    }

    private static String scored(ValidationRow row) {
        RunKind kind = row.kind();
        return kind == null ? "not scored: " + row.aside() : kind.text() + ": " + row.aside();
    }

    private static String measured(ValidationRow row) {
        return row.ranOutOfMemory()
                ? "oom"
                : blankNaN(row.measuredStepSeconds(), Figures.seconds(row.measuredStepSeconds()));
    }

    private static String fits(ValidationRow row) {
        Boolean fits = row.fits();
        return fits == null ? "" : fits ? "yes" : "no";
    }

    private static String blankNaN(double value, String text) {
        return Double.isNaN(value) ? "" : text;
    }

    /** All rows of the files, a line a source. */
    public static String summary(Validation validation, Style style) {
        TextTable table = new TextTable(
                "source",
                ">rows",
                ">evaluated",
                ">skipped",
                ">median |error|",
                ">worst",
                ">bias",
                ">in interval",
                ">memory median",
                ">worst",
                ">fits right");
        validation.bySource().forEach(source -> add(table, source));
        if (validation.bySource().size() != 1) {
            add(table, validation.all());
        }
        return table.print("", style);
    }

    /** Each source by factors that were fitted on the others, a line for each generation that ran it. */
    public static String heldOut(Validation validation, Style style) {
        TextTable table = new TextTable(
                "each source, factors fitted without it",
                "framework",
                ">rows",
                ">median |error|",
                ">worst",
                ">bias",
                ">factor",
                ">shipped",
                ">median |error|",
                "factor fitted on");
        for (HeldOut of : validation.heldOut()) {
            table.add(
                    of.source(),
                    of.framework(),
                    Figures.count(of.rows()),
                    Figures.percent(of.medianPercent() / 100),
                    Figures.percent(of.worstPercent() / 100),
                    Figures.signedPercent(of.biasPercent()),
                    factor(of.factor()),
                    factor(of.shipped()),
                    Figures.percent(of.shippedMedianPercent() / 100),
                    of.factorFrom());
        }
        return table.print("", style);
    }

    private static String factor(double factor) {
        return String.format(Locale.ROOT, "%.3f", factor);
    }

    private static void add(TextTable table, Validation.Summary of) {
        table.add(
                of.source(),
                Figures.count(of.rows()),
                Figures.count(of.evaluated()),
                Figures.count(of.skipped()),
                blankNaN(of.medianPercent(), Figures.percent(of.medianPercent() / 100)),
                blankNaN(of.worstPercent(), Figures.percent(of.worstPercent() / 100)),
                blankNaN(of.biasPercent(), Figures.signedPercent(of.biasPercent())),
                of.timed() == 0 ? "" : of.withinInterval() + "/" + of.timed(),
                blankNaN(of.memoryMedianPercent(), Figures.percent(of.memoryMedianPercent() / 100)),
                blankNaN(of.memoryWorstPercent(), Figures.percent(of.memoryWorstPercent() / 100)),
                of.fitsJudged() == 0 ? "" : of.fitsRight() + "/" + of.fitsJudged());
    }
}
