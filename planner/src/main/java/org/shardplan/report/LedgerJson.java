package org.shardplan.report;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.List;
import java.util.function.Function;

/** The ledger's part of the document of {@code validate}: {@code summary.ledger}. */
final class LedgerJson {
    private LedgerJson() {}

    /** One field {@code ledger}. */
    static void write(JsonGenerator json, Ledger ledger) throws IOException {
        json.writeObjectFieldStart("ledger");
        fields(json, ledger);
        json.writeEndObject();
    }

    /** One field {@code kinds}: a ledger a kind. */
    static void kinds(JsonGenerator json, List<KindLedger> kinds) throws IOException {
        json.writeArrayFieldStart("kinds");
        for (KindLedger kind : kinds) {
            json.writeStartObject();
            json.writeStringField("kind", kind.kind().text());
            fields(json, kind.ledger());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    /** One field {@code pairs}: a line an effect. */
    static void pairs(JsonGenerator json, List<PairScore> pairs) throws IOException {
        json.writeArrayFieldStart("pairs");
        for (PairScore pair : pairs) {
            json.writeStartObject();
            json.writeStringField("effect", pair.effect());
            json.writeNumberField("pairs", pair.pairs());
            json.writeNumberField("right_sign", pair.rightSign());
            JsonText.number(json, "median_off_percent", pair.medianOffPercent());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private static void fields(JsonGenerator json, Ledger ledger) throws IOException {
        json.writeNumberField("rows", ledger.rows());
        json.writeNumberField("evaluated", ledger.evaluated());
        json.writeObjectFieldStart("means");
        means(json, "left_out", ledger.means(SourceScore::leftOut));
        means(json, "left_out_device_shared", ledger.means(SourceScore::leftOut, SourceScore::sharesDevice));
        means(json, "own_scale", ledger.means(SourceScore::scaled));
        means(json, "in_sample", ledger.means(SourceScore::inSample));
        means(json, "formula_left_out", ledger.means(SourceScore::formulaLeftOut));
        means(json, "formula_in_sample", ledger.means(SourceScore::formulaInSample));
        json.writeEndObject();
        nearer(json, "formula_nearer_left_out", ledger, SourceScore::leftOut, SourceScore::formulaLeftOut);
        nearer(json, "formula_nearer_in_sample", ledger, SourceScore::inSample, SourceScore::formulaInSample);
        coverage(json, ledger.coverage());
        json.writeArrayFieldStart("sources");
        for (SourceScore source : ledger.sources()) {
            source(json, source);
        }
        json.writeEndArray();
        json.writeArrayFieldStart("ranking");
        for (RankingScore ranking : ledger.ranking()) {
            ranking(json, ranking);
        }
        json.writeEndArray();
        comparison(json, ledger.comparison());
        json.writeArrayFieldStart("skipped_reasons");
        for (Ledger.Skip skip : ledger.skips()) {
            json.writeStartObject();
            json.writeStringField("source", skip.source());
            json.writeNumberField("rows", skip.rows());
            json.writeStringField("reason", skip.reason());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeArrayFieldStart("faults");
        for (Ledger.Fault fault : ledger.faults()) {
            json.writeStartObject();
            json.writeStringField("id", fault.id());
            json.writeStringField("source", fault.source());
            json.writeStringField("reason", fault.reason());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private static void source(JsonGenerator json, SourceScore of) throws IOException {
        json.writeStartObject();
        json.writeStringField("source", of.source());
        json.writeBooleanField("composed", of.composed());
        json.writeNumberField("rows", of.rows());
        json.writeNumberField("evaluated", of.evaluated());
        json.writeBooleanField("device_shared", of.sharesDevice());
        errors(json, "left_out", of.leftOut());
        errors(json, "in_sample", of.inSample());
        errors(json, "own_scale", of.scaled());
        errors(json, "formula_left_out", of.formulaLeftOut());
        errors(json, "formula_in_sample", of.formulaInSample());
        JsonText.number(json, "inside_share", of.insideShare());
        JsonText.number(json, "half_width_percent", of.halfWidthPercent());
        json.writeStringField("memory_kind", of.memoryKind().isEmpty() ? null : of.memoryKind());
        errors(json, "memory", of.memory());
        json.writeNumberField("fits_judged", of.fitsJudged());
        json.writeNumberField("fits_right", of.fitsRight());
        json.writeNumberField("out_of_memory", of.outOfMemory());
        json.writeNumberField("out_of_memory_right", of.outOfMemoryRight());
        json.writeEndObject();
    }

    private static void errors(JsonGenerator json, String key, Errors of) throws IOException {
        json.writeObjectFieldStart(key);
        json.writeNumberField("rows", of.rows());
        JsonText.number(json, "median_error_percent", of.medianPercent());
        JsonText.number(json, "p90_error_percent", of.p90Percent());
        JsonText.number(json, "mean_size_error_percent", of.meanSizePercent());
        JsonText.number(json, "mean_error_percent", of.meanPercent());
        JsonText.number(json, "worst_error_percent", of.worstPercent());
        json.writeEndObject();
    }

    private static void means(JsonGenerator json, String key, Means of) throws IOException {
        json.writeObjectFieldStart(key);
        json.writeNumberField("sources", of.sources());
        JsonText.number(json, "mean_of_medians_percent", of.medianPercent());
        JsonText.number(json, "median_of_p90_percent", of.p90Percent());
        JsonText.number(json, "mean_error_percent", of.meanPercent());
        json.writeEndObject();
    }

    private static void nearer(
            JsonGenerator json,
            String key,
            Ledger ledger,
            Function<SourceScore, Errors> ours,
            Function<SourceScore, Errors> formula)
            throws IOException {
        JsonText.strings(json, key, ledger.formulaIsNearer(ours, formula));
    }

    private static void coverage(JsonGenerator json, Coverage of) throws IOException {
        json.writeObjectFieldStart("intervals");
        JsonText.number(json, "inside_share", of.insideShare());
        JsonText.number(json, "least_inside_share", of.leastShare());
        JsonText.number(json, "half_width_percent", of.halfWidthPercent());
        json.writeEndObject();
    }

    private static void ranking(JsonGenerator json, RankingScore of) throws IOException {
        json.writeStartObject();
        json.writeStringField("source", of.source());
        json.writeBooleanField("composed", of.composed());
        json.writeNumberField("jobs", of.groups());
        json.writeNumberField("plans", of.plans());
        order(json, "ours", of.ours());
        order(json, "formula", of.formula());
        json.writeArrayFieldStart("by_job");
        for (RankingScore.Job job : of.jobs()) {
            json.writeStartObject();
            json.writeStringField("job", job.name());
            json.writeNumberField("plans", job.plans());
            errors(json, "in_sample", job.errors());
            JsonText.number(json, "spearman", job.spearman());
            JsonText.number(json, "regret_percent", job.regretPercent());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void order(JsonGenerator json, String key, RankingScore.Order of) throws IOException {
        json.writeObjectFieldStart(key);
        JsonText.number(json, "median_spearman", of.medianSpearman());
        JsonText.number(json, "mean_spearman", of.meanSpearman());
        JsonText.number(json, "pairs_in_order", of.pairOrder());
        JsonText.number(json, "median_regret_percent", of.medianRegretPercent());
        JsonText.number(json, "p90_regret_percent", of.p90RegretPercent());
        json.writeEndObject();
    }

    private static void comparison(JsonGenerator json, ComparisonError of) throws IOException {
        json.writeObjectFieldStart("comparison");
        json.writeNumberField("pairs", of.pairs());
        JsonText.number(json, "median_percent", of.medianPercent());
        JsonText.number(json, "p90_percent", of.p90Percent());
        json.writeEndObject();
    }
}
