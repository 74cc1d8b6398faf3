package org.shardplan.report;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Optional;
import org.shardplan.search.Campaign;
import org.shardplan.search.ParetoPoint;
import org.shardplan.search.PlanOutcome;
import org.shardplan.search.PlanningResult;
import org.shardplan.search.PlanningSubject;
import org.shardplan.search.SearchStatistics;
import org.shardplan.search.TrainingRun;
import org.shardplan.sim.Prediction;
import org.shardplan.sim.Prediction.StageUse;

/** The result document {@code shardplan.result/1}. Keys stand in a fixed order; an unknown number is null. */
public final class JsonReport {
    public static final String FORMAT = "shardplan.result/1";

    private JsonReport() {}

    /** Writes the document with a line break at its end; leaves {@code out} open. */
    public static void write(PlanningResult result, OutputStream out) throws IOException {
        try (JsonGenerator json = JsonText.pretty(out)) {
            json.writeStartObject();
            json.writeStringField("format", FORMAT);
            subject(json, result.subject());
            search(json, result.search());
            json.writeArrayFieldStart("plans");
            for (Prediction plan : plans(result)) {
                plan(json, plan, result.campaign());
            }
            json.writeEndArray();
            nearestMiss(json, result.outcome());
            front(json, result.outcome());
            JsonText.strings(json, "notes", result.subject().notes());
            json.writeEndObject();
        }
    }

    /** A plan that was given is listed even if it does not fit. */
    private static List<Prediction> plans(PlanningResult result) {
        boolean given = result.search().method().equals("given");
        return switch (result.outcome()) {
            case PlanOutcome.Found found -> found.plans();
            case PlanOutcome.NothingFits no -> given ? List.of(no.nearest()) : List.of();
            case PlanOutcome.NoneWithin no -> given ? List.of(no.nearest()) : List.of();
        };
    }

    private static void subject(JsonGenerator json, PlanningSubject subject) throws IOException {
        json.writeStringField("tool", subject.tool());
        json.writeStringField("calibration", subject.calibration());
        json.writeNumberField("seed", subject.seed());
        json.writeObjectFieldStart("model");
        json.writeStringField("name", subject.model());
        json.writeNumberField("parameters", subject.parameters());
        json.writeEndObject();
        json.writeObjectFieldStart("cluster");
        json.writeStringField("name", subject.cluster());
        json.writeNumberField("devices", subject.devices());
        json.writeStringField("text", subject.clusterText());
        json.writeEndObject();
        json.writeObjectFieldStart("workload");
        json.writeNumberField("global_batch", subject.globalBatch());
        json.writeNumberField("seq_len", subject.seqLen());
        json.writeStringField("precision", subject.precision());
        json.writeStringField("optimizer", subject.optimizer());
        json.writeEndObject();
        json.writeObjectFieldStart("framework");
        json.writeStringField("name", subject.framework());
        json.writeStringField("title", subject.frameworkTitle());
        json.writeEndObject();
        JsonText.number(json, "memory_margin", subject.memoryMargin());
        if (subject.objective().isEmpty()) {
            json.writeNullField("objective");
        } else {
            json.writeStringField("objective", subject.objective());
        }
    }

    private static void search(JsonGenerator json, SearchStatistics search) throws IOException {
        json.writeObjectFieldStart("search");
        json.writeStringField("method", search.method());
        json.writeStringField("evaluator", search.evaluator());
        json.writeNumberField("space", search.space());
        json.writeNumberField("evaluated", search.evaluated());
        json.writeNumberField("pruned", search.pruned());
        JsonText.number(json, "wall_seconds", search.wallSeconds());
        json.writeBooleanField("optimal", search.optimal());
        JsonText.number(json, "lower_bound_seconds", search.lowerBoundSeconds());
        json.writeStringField("stopped", search.stopped());
        json.writeNumberField("within_comparison_error", search.withinComparisonError());
        json.writeEndObject();
    }

    /** One plan with its prediction, as in the result document and in {@code plan.json}. */
    public static void plan(JsonGenerator json, Prediction plan) throws IOException {
        plan(json, plan, Optional.empty());
    }

    private static void plan(JsonGenerator json, Prediction plan, Optional<Campaign> campaign) throws IOException {
        json.writeStartObject();
        json.writeStringField("plan", plan.planText());
        json.writeArrayFieldStart("mesh");
        for (String factor :
                plan.mesh().isBlank() ? new String[0] : plan.mesh().strip().split("\\s+", -1)) {
            int equals = factor.indexOf('=');
            json.writeStartObject();
            json.writeStringField("name", factor.substring(0, equals));
            json.writeNumberField("size", Integer.parseInt(factor.substring(equals + 1)));
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeNumberField("devices", plan.devices());
        json.writeNumberField("devices_idle", plan.devicesIdle());
        json.writeStringField("framework", plan.framework());
        json.writeStringField("evaluator", plan.evaluator());
        JsonText.number(json, "step_seconds", plan.stepSeconds());
        JsonText.numbers(json, "step_seconds_interval", plan.stepLowSeconds(), plan.stepHighSeconds());
        json.writeStringField("interval_basis", plan.intervalNote());
        JsonText.number(json, "tokens_per_second_per_device", plan.tokensPerSecondPerDevice());
        JsonText.number(json, "model_tflops_per_device", plan.modelTflopsPerDevice());
        JsonText.number(json, "mfu", plan.mfu());
        JsonText.number(json, "hfu", plan.hfu());
        JsonText.number(json, "mfu_causal", plan.mfuCausal());
        json.writeNumberField("micro_batches", plan.microBatches());
        JsonText.number(json, "bubble_fraction", plan.bubbleFraction());
        json.writeObjectFieldStart("time");
        for (Share share : Share.of(plan.time())) {
            JsonText.number(json, share.key() + "_seconds", share.seconds());
        }
        json.writeEndObject();
        memory(json, plan);
        if (campaign.isPresent()) {
            training(json, TrainingSection.run(campaign.get(), plan));
        }
        json.writeEndObject();
    }

    private static void training(JsonGenerator json, TrainingRun run) throws IOException {
        json.writeObjectFieldStart("training");
        json.writeNumberField("tokens", run.tokens());
        json.writeNumberField("steps", run.steps());
        JsonText.number(json, "days", run.days());
        JsonText.numbers(json, "days_interval", run.lowDays(), run.highDays());
        JsonText.number(json, "expected_days", run.expectedDays());
        JsonText.number(json, "goodput", run.goodput().share());
        JsonText.number(json, "failures", run.failures());
        JsonText.number(json, "mtbf_seconds", run.goodput().mtbfSeconds());
        JsonText.number(json, "checkpoint_bytes", run.checkpointBytes());
        JsonText.number(json, "checkpoint_seconds", run.goodput().checkpointSeconds());
        JsonText.number(json, "checkpoint_interval_seconds", run.goodput().intervalSeconds());
        json.writeNumberField("devices_charged", run.devicesCharged());
        JsonText.number(json, "dollars", run.dollars());
        JsonText.number(json, "kilowatt_hours", run.kilowattHours());
        json.writeEndObject();
    }

    private static void memory(JsonGenerator json, Prediction plan) throws IOException {
        json.writeObjectFieldStart("memory");
        json.writeNumberField("capacity_bytes", plan.capacityBytes());
        json.writeNumberField("peak_bytes", plan.peakBytes());
        json.writeArrayFieldStart("stages");
        for (StageUse stage : plan.stages()) {
            json.writeStartObject();
            json.writeStringField("layout", stage.layout());
            json.writeNumberField("parameters_bytes", stage.parametersBytes());
            json.writeNumberField("gradients_bytes", stage.gradientsBytes());
            json.writeNumberField("optimizer_bytes", stage.optimizerBytes());
            json.writeNumberField("activations_bytes", stage.activationsBytes());
            json.writeNumberField("other_bytes", stage.otherBytes());
            json.writeNumberField("allocated_bytes", stage.allocatedBytes());
            json.writeNumberField("reserved_bytes", stage.reservedBytes());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void nearestMiss(JsonGenerator json, PlanOutcome outcome) throws IOException {
        switch (outcome) {
            case PlanOutcome.Found found -> {}
            case PlanOutcome.NothingFits no -> {
                json.writeObjectFieldStart("nearest_miss");
                json.writeStringField("reason", "memory");
                json.writeNumberField("stage", no.stage());
                json.writeNumberField("need_bytes", no.needBytes());
                json.writeNumberField("have_bytes", no.haveBytes());
                json.writeStringField("maybe", no.nearestChange());
                json.writeFieldName("plan");
                plan(json, no.nearest());
                json.writeEndObject();
            }
            case PlanOutcome.NoneWithin no -> {
                json.writeObjectFieldStart("nearest_miss");
                json.writeStringField("reason", "limit");
                json.writeStringField("limit", no.limit());
                json.writeStringField("reached", no.reached());
                json.writeStringField("maybe", no.nearestChange());
                json.writeFieldName("plan");
                plan(json, no.nearest());
                json.writeEndObject();
            }
        }
    }

    private static void front(JsonGenerator json, PlanOutcome outcome) throws IOException {
        json.writeArrayFieldStart("pareto");
        if (outcome instanceof PlanOutcome.Found found) {
            for (ParetoPoint point : found.front()) {
                json.writeStartObject();
                json.writeStringField("plan", point.planText());
                JsonText.number(json, "step_seconds", point.stepSeconds());
                json.writeNumberField("peak_bytes", point.peakBytes());
                json.writeEndObject();
            }
        }
        json.writeEndArray();
    }
}
