package org.shardplan.form;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.shardplan.graph.DataType;
import org.shardplan.plan.ContextParallel;
import org.shardplan.workload.Framework;
import org.shardplan.workload.Mixture;
import org.shardplan.workload.PipelineSchedules;
import org.shardplan.workload.Sharding;
import org.shardplan.workload.Workspace;

/**
 * A framework generation as YAML ({@code shardplan.framework/1}): each statement is a mapping of its {@code value} and its
 * {@code source}. The record's sources read {@code overlap.gradient-reduce = no: where that comes from}.
 */
final class FrameworkFile {
    private final Fields file;
    private final boolean bf16;
    private final List<String> sources = new ArrayList<>();

    private FrameworkFile(Fields file, DataType precision) {
        this.file = file;
        this.bf16 = precision == DataType.BF16;
    }

    /** @param precision under which it runs: gradients may be wider in bf16 */
    static Framework read(String text, String file, DataType precision) {
        return new FrameworkFile(Fields.file(text, file, "shardplan.framework"), precision).framework();
    }

    private Framework framework() {
        String name = file.text("name");
        String title = file.text("title");
        Framework framework = new Framework(
                name,
                title,
                kernels(),
                overlap(),
                memory(),
                host(),
                limits(),
                mixture(),
                sharding(),
                List.copyOf(sources));
        file.done();
        return framework;
    }

    private Framework.Kernels kernels() {
        Fields in = file.needMapping("kernels");
        Framework.Kernels kernels = new Framework.Kernels(
                flag(in, "flash-attention"),
                flag(in, "fused-softmax"),
                flag(in, "fused-pointwise"),
                flag(in, "fused-cross-entropy"),
                flag(in, "fused-weight-gradient"),
                statement(in, "memory-traffic").number("value", 0.5, 10),
                flag(in, "cast-gathers"));
        in.done();
        return kernels;
    }

    private Framework.Overlap overlap() {
        Fields in = file.needMapping("overlap");
        Framework.Overlap overlap = new Framework.Overlap(
                flag(in, "weight-gradient-overlap"),
                flag(in, "tensor-chunks"),
                flag(in, "gradient-reduce"),
                flag(in, "parameter-gather"),
                statement(in, "messages").count("value", 1, 1000),
                flag(in, "pipeline-sends"),
                flag(in, "scatter-gather-sends"),
                statement(in, "interference").percentOr("value", 0, 1, 0),
                statement(in, "tensor-interference").percentOr("value", 0, 4, 0),
                statement(in, "send-interference").percentOr("value", 0, 1, 0));
        in.done();
        return overlap;
    }

    private Framework.Memory memory() {
        Fields in = file.needMapping("memory");
        Framework.Memory memory = new Framework.Memory(
                width(in, "gradient", 1),
                width(in, "gradient-reduction", 1),
                width(in, "accumulation", 0),
                width(in, "master", 0),
                (int) statement(in, "optimizer-state").bytes("value", 1, 8),
                statement(in, "context").bytes("value", 0, 1e11),
                statement(in, "communicator").bytes("value", 0, 1e11),
                statement(in, "fragmentation").percentOr("value", 0, 1, 0),
                words(in, "recompute-selective", Framework.Memory.RECOMPUTED),
                workspace(in));
        in.done();
        return memory;
    }

    private Workspace workspace(Fields in) {
        return new Workspace(
                width(in, "loss-kept", 0),
                width(in, "loss-peak", 0),
                width(in, "bucket", 0),
                buffer(in, "reduce-bucket"),
                width(in, "layer-copy", 0),
                width(in, "edge-copy", 0),
                width(in, "optimizer-step", 0),
                buffer(in, "gathered-unit"),
                flag(in, "gathered-root"),
                words(in, "copies", Workspace.COPIES));
    }

    /** Bytes of a buffer that may differ under bf16. */
    private long buffer(Fields in, String key) {
        Fields statement = statement(in, key);
        return statement.bytes(bf16 && statement.has("bf16") ? "bf16" : "value", 0, 1e11);
    }

    private Framework.Host host() {
        Fields in = file.needMapping("host");
        Framework.Host host = new Framework.Host(
                statement(in, "launch").seconds("value", 0, 1),
                statement(in, "layer-floor").seconds("value", 0, 1),
                statement(in, "collective").seconds("value", 0, 1),
                statement(in, "micro-batch").seconds("value", 0, 10),
                statement(in, "step").seconds("value", 0, 10));
        in.done();
        return host;
    }

    private Framework.Limits limits() {
        Fields in = file.needMapping("limits");
        Framework.Limits limits = new Framework.Limits(
                statement(in, "max-zero").count("value", 0, 3),
                statement(in, "max-zero-with-pipeline").count("value", 0, 3),
                flag(in, "sequence-parallel"),
                new PipelineSchedules(words(in, "schedules", PipelineSchedules.KINDS), flag(in, "whole-rounds")),
                flag(in, "uneven-layouts"),
                flag(in, "tensor-parallel"),
                flag(in, "selective-recompute"),
                flag(in, "key-value-replication"),
                statement(in, "vocab-multiple").count("value", 1, 1 << 20),
                flag(in, "recompute-by-rank"),
                flag(in, "low-precision"));
        in.done();
        return limits;
    }

    /** Absent where a generation splits no sequence and shards over all ranks. */
    private Sharding sharding() {
        if (!file.has("sharding")) {
            return Sharding.NONE;
        }
        Fields in = file.needMapping("sharding");
        Sharding sharding = new Sharding(contextTypes(in), flag(in, "balanced-context"), flag(in, "replicas"));
        in.done();
        return sharding;
    }

    private List<String> contextTypes(Fields in) {
        Fields statement = statement(in, "context-types");
        String text = statement.text("value");
        List<String> types = text.equals("none") ? List.of() : List.of(text.split("\\s+"));
        for (String type : types) {
            if (ContextParallel.Type.of(type).isEmpty()) {
                throw statement.error("value", "\"" + type + "\" is not known", "Maybe ring, all-gather or ulysses.");
            }
        }
        return types;
    }

    private Mixture mixture() {
        Fields in = file.needMapping("experts");
        Mixture mixture = new Mixture(
                choice(in, "dispatcher", Mixture.Dispatcher.values(), Mixture.Dispatcher::text),
                flag(in, "exchange-overlap"),
                choice(in, "graphs", Mixture.Graphs.values(), Mixture.Graphs::text),
                statement(in, "layer").seconds("value", 0, 1),
                statement(in, "latent").seconds("value", 0, 1),
                statement(in, "wait").seconds("value", 0, 1),
                statement(in, "partial-graphs").percentOr("value", 0, 1, 1));
        in.done();
        return mixture;
    }

    private <T> T choice(Fields in, String key, T[] values, Function<T, String> text) {
        Fields statement = statement(in, key);
        String word = statement.text("value");
        List<T> all = List.of(values);
        for (T value : all) {
            if (text.apply(value).equals(word)) {
                return value;
            }
        }
        String known = String.join(", ", all.stream().map(text).toList());
        throw statement.error("value", "\"" + word + "\" is not known", "Maybe one of " + known + ".");
    }

    private boolean flag(Fields in, String key) {
        return statement(in, key).flag("value");
    }

    /** Bytes an element, which may differ under bf16: {@code value} is what all other precisions take. */
    private int width(Fields in, String key, int least) {
        Fields statement = statement(in, key);
        return (int) statement.bytes(bf16 && statement.has("bf16") ? "bf16" : "value", least, 64);
    }

    /** The mapping of one statement, whose source is noted. */
    private Fields statement(Fields in, String key) {
        Fields statement = in.needMapping(key);
        String value = statement.text(bf16 && statement.has("bf16") ? "bf16" : "value");
        sources.add(statement.path() + " = " + value + ": " + statement.text("source"));
        statement.allow(List.of("value", "bf16", "source"));
        statement.done();
        return statement;
    }

    /** Words of a vocabulary, or "none". */
    private Set<String> words(Fields in, String key, Set<String> known) {
        Fields statement = statement(in, key);
        String text = statement.text("value");
        Set<String> words = text.equals("none") ? Set.of() : new TreeSet<>(List.of(text.split("\\s+")));
        for (String word : words) {
            if (!known.contains(word)) {
                throw statement.error(
                        "value",
                        "\"" + word + "\" is not known",
                        "Maybe one of " + String.join(", ", new TreeSet<>(known)) + ".");
            }
        }
        return words;
    }
}
