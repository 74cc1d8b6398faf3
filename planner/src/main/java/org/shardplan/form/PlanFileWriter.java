package org.shardplan.form;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.shardplan.cluster.Cluster;
import org.shardplan.cluster.Factor;
import org.shardplan.graph.TransformerSizes;
import org.shardplan.plan.Placement;
import org.shardplan.plan.Plan;
import org.shardplan.plan.PlanText;
import org.shardplan.plan.ScheduleTable;
import org.shardplan.plan.Stage;
import org.shardplan.workload.Tuning;
import org.shardplan.workload.Workload;

/** Writes a {@code plan.json}. Keys stand in a fixed order. */
final class PlanFileWriter {
    private final JsonGenerator json;

    PlanFileWriter(JsonGenerator json) {
        this.json = json;
    }

    static void write(PlanFile file, OutputStream out, PlanFile.PredictionWriter prediction) throws IOException {
        JsonGenerator json = new JsonFactory().createGenerator(out);
        json.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
        json.setPrettyPrinter(new DefaultPrettyPrinter(
                        Separators.createDefaultInstance().withObjectFieldValueSpacing(Separators.Spacing.AFTER))
                .withObjectIndenter(new DefaultIndenter("  ", "\n")));
        new PlanFileWriter(json).write(file, prediction);
        json.writeRaw('\n');
        json.close();
    }

    private void write(PlanFile file, PlanFile.PredictionWriter prediction) throws IOException {
        json.writeStartObject();
        json.writeStringField("format", PlanFile.FORMAT + "/1");
        json.writeStringField("tool", file.tool());
        json.writeObjectFieldStart("model");
        json.writeStringField("source", file.modelSource());
        json.writeStringField("hash", file.modelHash());
        json.writeFieldName("sizes");
        sizes(file.sizes());
        json.writeEndObject();
        json.writeFieldName("cluster");
        cluster(file.cluster());
        json.writeFieldName("workload");
        workload(file.workload());
        json.writeStringField("framework", file.framework());
        json.writeNumberField("memory_margin", file.memoryMargin());
        json.writeFieldName("plan");
        plan(file.plan());
        json.writeFieldName("prediction");
        prediction.write(json);
        json.writeEndObject();
    }

    /** As in a file of its own: {@link ScheduleFile}. */
    private void table(ScheduleTable table) throws IOException {
        json.writeStartObject();
        json.writeNumberField("micro-batches", table.microBatches());
        json.writeNumberField("copies", table.copies());
        json.writeArrayFieldStart("chunks");
        for (int rank : table.rankOfChunk()) {
            json.writeNumber(rank);
        }
        json.writeEndArray();
        json.writeArrayFieldStart("ranks");
        for (List<ScheduleTable.Entry> order : table.orders()) {
            json.writeString(ScheduleFile.words(order));
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    void sizes(TransformerSizes sizes) throws IOException {
        json.writeStartObject();
        json.writeStringField("name", sizes.name());
        json.writeNumberField("layers", sizes.layers());
        json.writeNumberField("hidden", sizes.hidden());
        json.writeNumberField("ffn", sizes.ffn());
        json.writeNumberField("heads", sizes.heads());
        json.writeNumberField("kv_heads", sizes.kvHeads());
        json.writeNumberField("head_dim", sizes.headDim());
        json.writeNumberField("vocab", sizes.vocab());
        json.writeNumberField("max_positions", sizes.maxPositions());
        json.writeNumberField("seq_len", sizes.seqLen());
        json.writeBooleanField("gated_mlp", sizes.gatedMlp());
        json.writeStringField("norm_placement", lower(sizes.normPlacement()));
        json.writeStringField("norm", lower(sizes.norm()));
        json.writeStringField("positions", lower(sizes.positions()));
        json.writeNumberField("rotary_fraction", sizes.rotaryFraction());
        json.writeStringField("qk_norm", lower(sizes.qkNorm()));
        json.writeObjectFieldStart("bias");
        json.writeBooleanField("qkv", sizes.bias().qkv());
        json.writeBooleanField("attention_out", sizes.bias().attentionOut());
        json.writeBooleanField("mlp_in", sizes.bias().mlpIn());
        json.writeBooleanField("mlp_out", sizes.bias().mlpOut());
        json.writeBooleanField("head", sizes.bias().head());
        json.writeEndObject();
        json.writeBooleanField("tied_embeddings", sizes.tiedEmbeddings());
        json.writeBooleanField("embedding_norm", sizes.embeddingNorm());
        json.writeBooleanField("final_norm", sizes.finalNorm());
        json.writeNumberField("window", sizes.window());
        json.writeNumberField("window_every", sizes.windowEvery());
        json.writeBooleanField("logit_soft_cap", sizes.logitSoftCap());
        json.writeBooleanField("dropout", sizes.dropout());
        json.writeNumberField("extra_position_rows", sizes.extraPositionRows());
        if (sizes.experts().count() > 0) {
            json.writeFieldName("experts");
            experts(sizes.experts());
        }
        if (sizes.latent().exists()) {
            json.writeObjectFieldStart("latent_attention");
            json.writeNumberField("query_rank", sizes.latent().queryRank());
            json.writeNumberField("key_value_rank", sizes.latent().keyValueRank());
            json.writeNumberField("nope_dim", sizes.latent().nopeDim());
            json.writeNumberField("rope_dim", sizes.latent().ropeDim());
            json.writeNumberField("value_dim", sizes.latent().valueDim());
            json.writeEndObject();
        }
        ExtensionsForm.write(json, sizes.extensions());
        json.writeEndObject();
    }

    private void experts(TransformerSizes.Experts experts) throws IOException {
        json.writeStartObject();
        json.writeNumberField("count", experts.count());
        json.writeNumberField("topk", experts.topk());
        json.writeNumberField("ffn", experts.ffn());
        json.writeNumberField("shared_ffn", experts.sharedFfn());
        json.writeNumberField("first_dense", experts.firstDense());
        json.writeNumberField("every", experts.every());
        json.writeNumberField("groups", experts.groups());
        json.writeNumberField("group_topk", experts.groupTopk());
        json.writeBooleanField("router_bias", experts.routerBias());
        json.writeNumberField("capacity_factor", experts.capacityFactor());
        json.writeEndObject();
    }

    static String lower(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    /** A cluster file as JSON, the device written out even where the catalog has it. */
    private void cluster(Cluster cluster) throws IOException {
        YamlNode.Mapping form = YamlTree.parse(ClusterFile.write(cluster), "cluster");
        form.entries().put("device", YamlTree.parse(DeviceFile.write(cluster.device(), ""), "device"));
        tree(form);
    }

    private void tree(YamlNode node) throws IOException {
        switch (node) {
            case YamlNode.Mapping mapping -> {
                json.writeStartObject();
                for (Map.Entry<String, YamlNode> entry : mapping.entries().entrySet()) {
                    json.writeFieldName(entry.getKey());
                    tree(entry.getValue());
                }
                json.writeEndObject();
            }
            case YamlNode.Sequence sequence -> {
                json.writeStartArray();
                for (YamlNode item : sequence.items()) {
                    tree(item);
                }
                json.writeEndArray();
            }
            case YamlNode.Scalar scalar -> scalar(scalar);
        }
    }

    private void scalar(YamlNode.Scalar scalar) throws IOException {
        if (scalar.plain() && scalar.text().matches("0|[1-9][0-9]{0,8}")) {
            json.writeNumber(Integer.parseInt(scalar.text()));
        } else {
            json.writeString(scalar.text());
        }
    }

    private void workload(Workload workload) throws IOException {
        json.writeStartObject();
        json.writeNumberField("global_batch", workload.globalBatch());
        json.writeNumberField("seq_len", workload.seqLen());
        json.writeStringField("precision", workload.precision().text());
        json.writeStringField("optimizer", lower(workload.optimizer()).replace('_', '-'));
        if (!workload.tuning().equals(Tuning.PRETRAIN)) {
            json.writeStringField("task", workload.tuning().text());
        }
        json.writeEndObject();
    }

    private void plan(Plan plan) throws IOException {
        json.writeStartObject();
        json.writeStringField("text", PlanText.print(plan.shorthand()));
        json.writeArrayFieldStart("mesh");
        for (Factor factor : plan.mesh().factors()) {
            json.writeStartObject();
            json.writeStringField("name", factor.name());
            json.writeNumberField("size", factor.size());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeNumberField("micro_batches", plan.microBatches());
        json.writeStringField("schedule", plan.shorthand().schedule().text());
        if (plan.shorthand().schedule().table().isPresent()) {
            json.writeFieldName("schedule_table");
            table(ScheduleTable.of(plan.schedule()));
        }
        json.writeArrayFieldStart("stages");
        for (Stage stage : plan.stages()) {
            json.writeStartObject();
            json.writeNumberField("rank", stage.rank());
            json.writeNumberField("first_layer", stage.firstLayer());
            json.writeNumberField("layers", stage.layers());
            json.writeNumberField("full_recompute_layers", stage.fullRecomputeLayers());
            json.writeBooleanField("embedding", stage.embedding());
            json.writeBooleanField("head", stage.head());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeObjectFieldStart("placements");
        for (Map.Entry<String, Placement> entry : new TreeMap<>(plan.placements()).entrySet()) {
            json.writeObjectFieldStart(entry.getKey());
            for (Map.Entry<String, List<String>> axis :
                    new TreeMap<>(entry.getValue().axisToDims()).entrySet()) {
                if (!axis.getValue().isEmpty()) {
                    json.writeStringField(axis.getKey(), String.join(" ", axis.getValue()));
                }
            }
            json.writeEndObject();
        }
        json.writeEndObject();
        json.writeEndObject();
    }
}
