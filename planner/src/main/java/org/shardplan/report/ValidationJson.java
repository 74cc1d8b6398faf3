package org.shardplan.report;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.OutputStream;

/** The document of {@code validate}: {@code {"rows": […], "summary": {…}}}. */
public final class ValidationJson {
    public static final String FORMAT = "shardplan.validation/1";

    private ValidationJson() {}

    /** Writes the document with a line break at its end; leaves {@code out} open. */
    public static void write(Validation validation, OutputStream out) throws IOException {
        try (JsonGenerator json = JsonText.pretty(out)) {
            json.writeStartObject();
            json.writeStringField("format", FORMAT);
            json.writeArrayFieldStart("rows");
            for (ValidationRow row : validation.rows()) {
                row(json, row);
            }
            json.writeEndArray();
            json.writeObjectFieldStart("summary");
            figures(json, validation.all());
            json.writeArrayFieldStart("sources");
            for (Validation.Summary source : validation.bySource()) {
                json.writeStartObject();
                json.writeStringField("source", source.source());
                figures(json, source);
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeArrayFieldStart("leave_one_source_out");
            for (HeldOut heldOut : validation.heldOut()) {
                heldOut(json, heldOut);
            }
            json.writeEndArray();
            LedgerJson.write(json, validation.ledger());
            LedgerJson.kinds(json, validation.kinds());
            LedgerJson.pairs(json, validation.pairs());
            json.writeEndObject();
            JsonText.strings(json, "notes", validation.notes());
            json.writeEndObject();
        }
    }

    private static void row(JsonGenerator json, ValidationRow row) throws IOException {
        json.writeStartObject();
        json.writeStringField("id", row.id());
        json.writeStringField("source", row.source());
        json.writeStringField("cluster", row.cluster());
        json.writeStringField("framework", row.framework());
        JsonText.number(json, "measured_step_seconds", row.measuredStepSeconds());
        JsonText.number(json, "predicted_step_seconds", row.predictedStepSeconds());
        JsonText.number(json, "error_percent", row.errorPercent());
        JsonText.numbers(json, "interval_seconds", row.lowSeconds(), row.highSeconds());
        JsonText.number(json, "exposed_share", row.exposedShare());
        JsonText.number(json, "measured_memory_bytes", row.measuredMemoryBytes());
        JsonText.number(json, "predicted_memory_bytes", row.predictedMemoryBytes());
        json.writeStringField("memory_kind", row.memoryKind());
        if (row.fits() == null) {
            json.writeNullField("fits");
        } else {
            json.writeBooleanField("fits", row.fits());
        }
        json.writeBooleanField("ran_out_of_memory", row.ranOutOfMemory());
        json.writeStringField("skipped", row.skipped());
        json.writeStringField("left_aside", row.aside());
        RunKind kind = row.kind();
        json.writeStringField("kind", kind == null ? null : kind.text());
        json.writeEndObject();
    }

    private static void heldOut(JsonGenerator json, HeldOut heldOut) throws IOException {
        json.writeStartObject();
        json.writeStringField("source", heldOut.source());
        json.writeStringField("framework", heldOut.framework());
        json.writeNumberField("rows", heldOut.rows());
        JsonText.number(json, "shipped_factor", heldOut.shipped());
        JsonText.number(json, "shipped_median_error_percent", heldOut.shippedMedianPercent());
        JsonText.number(json, "factor", heldOut.factor());
        json.writeStringField("factor_from", heldOut.factorFrom());
        JsonText.number(json, "median_error_percent", heldOut.medianPercent());
        JsonText.number(json, "worst_error_percent", heldOut.worstPercent());
        JsonText.number(json, "bias_percent", heldOut.biasPercent());
        json.writeEndObject();
    }

    private static void figures(JsonGenerator json, Validation.Summary summary) throws IOException {
        json.writeNumberField("rows", summary.rows());
        json.writeNumberField("evaluated", summary.evaluated());
        json.writeNumberField("skipped", summary.skipped());
        json.writeNumberField("timed", summary.timed());
        JsonText.number(json, "median_error_percent", summary.medianPercent());
        JsonText.number(json, "worst_error_percent", summary.worstPercent());
        JsonText.number(json, "bias_percent", summary.biasPercent());
        json.writeNumberField("within_interval", summary.withinInterval());
        json.writeNumberField("memory_rows", summary.memoryRows());
        JsonText.number(json, "memory_median_error_percent", summary.memoryMedianPercent());
        JsonText.number(json, "memory_worst_error_percent", summary.memoryWorstPercent());
        json.writeNumberField("fits_judged", summary.fitsJudged());
        json.writeNumberField("fits_right", summary.fitsRight());
    }
}
