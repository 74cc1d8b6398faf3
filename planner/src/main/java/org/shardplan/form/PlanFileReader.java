package org.shardplan.form;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import org.shardplan.cluster.Cluster;
import org.shardplan.cluster.DeviceMesh;
import org.shardplan.graph.DataType;
import org.shardplan.graph.TransformerSizes;
import org.shardplan.graph.TransformerSizes.Bias;
import org.shardplan.graph.TransformerSizes.Experts;
import org.shardplan.graph.TransformerSizes.LatentAttention;
import org.shardplan.graph.TransformerSizes.Norm;
import org.shardplan.graph.TransformerSizes.NormPlacement;
import org.shardplan.graph.TransformerSizes.Positions;
import org.shardplan.graph.TransformerSizes.QkNorm;
import org.shardplan.plan.Placement;
import org.shardplan.plan.Plan;
import org.shardplan.plan.PlanText;
import org.shardplan.plan.Schedules;
import org.shardplan.plan.Shorthand;
import org.shardplan.plan.Stage;
import org.shardplan.units.UserError;
import org.shardplan.workload.Tuning;
import org.shardplan.workload.Workload;

/** Reads a {@code plan.json}. JSON is YAML too, so the reader of cluster files reads it, with lines in its messages. */
final class PlanFileReader {
    private static final int MOST = Integer.MAX_VALUE;
    private static final int MOST_LAYERS = 100_000;

    private PlanFileReader() {}

    static PlanFile read(String text, String file) {
        YamlNode.Mapping root = YamlTree.parse(text, file);
        if (!root.entries().containsKey("format")) {
            throw new UserError(
                    file + " is not a plan.json: it has no format",
                    "Maybe it is a model's config.json: give --cluster, --global-batch and --plan with it");
        }
        Fields fields = Fields.file(text, file, PlanFile.FORMAT);
        fields.allow(
                List.of("tool", "model", "cluster", "workload", "framework", "memory_margin", "plan", "prediction"));
        fields.done();
        Fields model = fields.needMapping("model");
        TransformerSizes sizes = sizes(model.needMapping("sizes"));
        Cluster cluster = cluster(root, file);
        Workload workload = workload(fields.needMapping("workload"));
        return new PlanFile(
                fields.textOr("tool", "unknown"),
                model.text("source"),
                model.text("hash"),
                sizes,
                cluster,
                workload,
                framework(fields),
                fields.numberOr("memory_margin", 0, 0.99, 0.05),
                plan(fields.needMapping("plan"), cluster, sizes, workload));
    }

    private static String framework(Fields fields) {
        String name = fields.text("framework");
        try {
            return FrameworkCatalog.get(name).name();
        } catch (UserError e) {
            throw fields.error("framework", String.valueOf(e.getMessage()), e.maybe());
        }
    }

    private static Cluster cluster(YamlNode.Mapping root, String file) {
        YamlNode cluster = root.entries().get("cluster");
        if (!(cluster instanceof YamlNode.Mapping mapping)) {
            throw new UserError(file + ": cluster is missing", "Maybe write it again with plan -o");
        }
        // each line break goes where the file has it, so that messages name the right line
        StringBuilder text = new StringBuilder("\n".repeat(Math.max(0, mapping.line() - 1)));
        write(mapping, text);
        return ClusterFile.read(text.toString(), file);
    }

    private static void write(YamlNode node, StringBuilder text) {
        int lines = (int) text.chars().filter(c -> c == '\n').count();
        text.append("\n".repeat(Math.max(0, node.line() - 1 - lines)));
        switch (node) {
            case YamlNode.Mapping mapping -> {
                text.append('{');
                mapping.entries().forEach((key, value) -> {
                    text.append(Exact.quoted(key)).append(": ");
                    write(value, text);
                    text.append(", ");
                });
                text.append('}');
            }
            case YamlNode.Sequence sequence -> {
                text.append('[');
                sequence.items().forEach(item -> {
                    write(item, text);
                    text.append(", ");
                });
                text.append(']');
            }
            case YamlNode.Scalar scalar -> text.append(Exact.quoted(scalar.text()));
        }
    }

    static TransformerSizes sizes(Fields of) {
        TransformerSizes sizes = new TransformerSizes(
                of.text("name"),
                of.count("layers", 1, MOST_LAYERS),
                of.count("hidden", 1, MOST),
                of.count("ffn", 1, MOST),
                of.count("heads", 1, MOST),
                of.count("kv_heads", 1, MOST),
                of.count("head_dim", 1, MOST),
                of.count("vocab", 1, MOST),
                of.count("max_positions", 0, MOST),
                of.count("seq_len", 1, MOST),
                of.flag("gated_mlp"),
                constant(of, "norm_placement", NormPlacement.values()),
                constant(of, "norm", Norm.values()),
                constant(of, "positions", Positions.values()),
                of.number("rotary_fraction", 0, 1),
                constant(of, "qk_norm", QkNorm.values()),
                bias(of.needMapping("bias")),
                of.flag("tied_embeddings"),
                of.flag("embedding_norm"),
                of.flag("final_norm"),
                of.count("window", 0, MOST),
                of.count("window_every", 0, MOST_LAYERS),
                of.flag("logit_soft_cap"),
                of.flag("dropout"),
                of.count("extra_position_rows", 0, MOST),
                of.has("experts") ? experts(of.needMapping("experts")) : Experts.NONE,
                of.has("latent_attention") ? latent(of.needMapping("latent_attention")) : LatentAttention.NONE,
                ExtensionsForm.read(of));
        of.done();
        return sizes;
    }

    private static Experts experts(Fields of) {
        int count = of.count("count", 1, MOST_LAYERS);
        int groups = of.count("groups", 1, count);
        Experts experts = new Experts(
                count,
                of.count("topk", 1, count),
                of.count("ffn", 1, MOST),
                of.count("shared_ffn", 0, MOST),
                of.count("first_dense", 0, MOST_LAYERS),
                of.count("every", 1, MOST_LAYERS),
                groups,
                of.count("group_topk", 1, groups),
                of.flag("router_bias"),
                of.number("capacity_factor", 0, 1000));
        of.done();
        return experts;
    }

    private static LatentAttention latent(Fields of) {
        LatentAttention latent = new LatentAttention(
                of.count("query_rank", 0, MOST),
                of.count("key_value_rank", 1, MOST),
                of.count("nope_dim", 1, MOST),
                of.count("rope_dim", 0, MOST),
                of.count("value_dim", 1, MOST));
        of.done();
        return latent;
    }

    private static Bias bias(Fields of) {
        return new Bias(
                of.flag("qkv"), of.flag("attention_out"), of.flag("mlp_in"), of.flag("mlp_out"), of.flag("head"));
    }

    static <E extends Enum<E>> E constant(Fields fields, String key, E[] values) {
        String text = fields.text(key);
        StringJoiner known = new StringJoiner(", ");
        for (E value : values) {
            if (PlanFileWriter.lower(value).equals(text)) {
                return value;
            }
            known.add(PlanFileWriter.lower(value));
        }
        throw fields.error(key, "\"" + text + "\" is not known", "Maybe one of: " + known + ".");
    }

    private static Workload workload(Fields of) {
        String optimizer = of.text("optimizer");
        Optional<Workload.Optimizer> found = Optional.empty();
        for (Workload.Optimizer known : Workload.Optimizer.values()) {
            if (PlanFileWriter.lower(known).replace('_', '-').equals(optimizer)) {
                found = Optional.of(known);
            }
        }
        Workload workload = new Workload(
                of.count("global_batch", 1, MOST),
                of.count("seq_len", 1, MOST),
                constant(of, "precision", DataType.values()),
                found.orElseThrow(() -> of.error(
                        "optimizer", "\"" + optimizer + "\" is not known", "Maybe adam, sgd-momentum or sgd.")),
                tuning(of));
        of.done();
        return workload;
    }

    private static Tuning tuning(Fields of) {
        try {
            return of.has("task") ? Tuning.parse(of.text("task")) : Tuning.PRETRAIN;
        } catch (UserError e) {
            throw of.error("task", String.valueOf(e.getMessage()), e.maybe());
        }
    }

    private static Plan plan(Fields of, Cluster cluster, TransformerSizes sizes, Workload workload) {
        Shorthand shorthand;
        try {
            shorthand = PlanText.parse(
                    of.text("text"),
                    cluster.devices(),
                    file -> ScheduleFile.table(of.needMapping("schedule_table")).kind(file));
        } catch (UserError e) {
            throw of.error("text", String.valueOf(e.getMessage()), e.maybe());
        }
        if (!of.text("schedule").equals(shorthand.schedule().text())) {
            throw of.error(
                    "schedule",
                    of.text("schedule") + ", but the plan's text says "
                            + shorthand.schedule().text(),
                    "Maybe change both.");
        }
        List<String> names = new ArrayList<>();
        List<Integer> counts = new ArrayList<>();
        for (Fields factor : of.mappings("mesh")) {
            names.add(factor.text("name"));
            counts.add(factor.count("size", 1, MOST));
        }
        DeviceMesh mesh = DeviceMesh.of(names, counts);
        for (String dim : List.of("ep", "epc", "tp", "pp", "cp", "dp")) {
            int says = switch (dim) {
                case "ep" -> shorthand.experts().dataRanks();
                case "epc" -> shorthand.experts().contextRanks();
                case "tp" -> shorthand.tp();
                case "pp" -> shorthand.pp();
                case "cp" -> shorthand.cp();
                default -> shorthand.dp();
            };
            if (mesh.size(dim) != says) {
                throw of.error(
                        "mesh",
                        dim + "=" + mesh.size(dim) + ", but the plan's text says " + dim + "=" + says,
                        "Maybe change both.");
            }
        }
        int microBatches = of.count("micro_batches", 1, MOST);
        long sequences = (long) microBatches * shorthand.microBatch() * shorthand.dp();
        if (sequences != workload.globalBatch()) {
            throw of.error(
                    "micro_batches",
                    microBatches + " micro-batches of " + shorthand.microBatch() + " on " + shorthand.dp()
                            + " data ranks are " + sequences + " sequences, not the global batch of "
                            + workload.globalBatch(),
                    "Maybe " + workload.globalBatch() / ((long) shorthand.microBatch() * shorthand.dp()) + ".");
        }
        List<Stage> stages = stages(of, sizes.layers(), shorthand);
        return new Plan(
                shorthand,
                mesh,
                placements(of),
                stages,
                microBatches,
                Schedules.of(shorthand.schedule(), shorthand.pp(), shorthand.vpp(), microBatches));
    }

    private static List<Stage> stages(Fields of, int layers, Shorthand shorthand) {
        List<Stage> stages = new ArrayList<>();
        int next = 0;
        for (Fields stage : of.mappings("stages")) {
            next = stages.size() % shorthand.virtualStages() == 0 ? 0 : next; // a copy of the model begins
            int first = stage.count("first_layer", 0, MOST_LAYERS);
            int count = stage.count("layers", 0, MOST_LAYERS);
            if (first != next) {
                throw stage.error(
                        "first_layer",
                        first + ", but the stages before hold " + next + " layers",
                        "Maybe " + next + ".");
            }
            next += count;
            stages.add(new Stage(
                    stage.count("rank", 0, shorthand.pp() - 1),
                    first,
                    count,
                    stage.count("full_recompute_layers", 0, MOST_LAYERS),
                    stage.flag("embedding"),
                    stage.flag("head")));
            stage.done();
        }
        int all = shorthand.virtualStages() * shorthand.schedule().copies();
        if (stages.size() != all || next != layers) {
            throw of.error(
                    "stages",
                    stages.size() + " stages with " + next + " layers, but the plan has " + all + " and the model "
                            + layers + " layers",
                    "Maybe write it again with plan -o.");
        }
        return stages;
    }

    private static Map<String, Placement> placements(Fields of) {
        Map<String, Placement> placements = new HashMap<>();
        Fields all = of.needMapping("placements");
        for (String operator : all.keys()) {
            Fields axes = all.needMapping(operator);
            Map<String, List<String>> dims = new HashMap<>();
            for (String axis : axes.keys()) {
                dims.put(axis, List.of(axes.text(axis).split(" ")));
            }
            placements.put(operator, new Placement(dims));
        }
        return placements;
    }
}
