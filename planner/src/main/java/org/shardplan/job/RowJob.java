package org.shardplan.job;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.shardplan.form.Row;
import org.shardplan.graph.DataType;
import org.shardplan.graph.TransformerSizes;
import org.shardplan.plan.Shorthand;
import org.shardplan.workload.Workload;

/** Turns measured rows into plans that can be predicted. What can't be is skipped with a reason, never guessed. */
public final class RowJob {
    private RowJob() {}

    /** The row in our words, or why it is skipped. */
    public static RowCase of(Row row) {
        try {
            return ready(row);
        } catch (RowSkip skip) {
            return new RowCase.Skipped(row, skip.reason());
        }
    }

    private static RowCase ready(Row row) throws RowSkip {
        if (row.problem().isPresent()) {
            throw new RowSkip("line " + row.line() + ": " + row.problem().get());
        }
        later(row);
        String framework = RowFrameworks.generation(row);
        List<String> assumed = new ArrayList<>();
        TransformerSizes columns = RowSizes.of(row, framework, assumed);
        boolean experts = RowExperts.has(row);
        TransformerSizes sizes = experts ? RowExperts.of(row, columns, assumed) : columns;
        Shorthand dense = RowPlans.of(row, framework, sizes, assumed);
        Shorthand plan = experts ? RowExperts.of(row, dense, assumed) : dense;
        RowNetworks.Choice network =
                RowNetworks.of(row, (int) row.machine().gpus().orElse(1));
        Workload workload = new Workload(
                row.degrees().globalBatch().orElse(1),
                RowSizes.positive("seq_len", row.shape().seqLen(), 1L << 24),
                precision(row),
                Workload.Optimizer.ADAM,
                RowTuning.of(row, assumed));
        return new RowCase.Ready(
                row,
                sizes,
                workload,
                network.cluster(),
                network.rule(),
                plan,
                framework,
                row.software().attention(),
                gradientBytes(row),
                memoryKind(row.source()),
                assumed);
    }

    /** What this version does not predict. */
    private static void later(Row row) throws RowSkip {
        Row.Shape shape = row.shape();
        String arch = shape.arch();
        if (!arch.isEmpty() && !arch.equals("dense") && !arch.equals("moe")) {
            throw new RowSkip("arch " + arch + " comes with a later issue");
        }
        if (!RowExperts.has(row) && (arch.equals("moe") || row.degrees().ep().orElse(1) > 1)) {
            throw new RowSkip("experts are blank, and " + (arch.equals("moe") ? "arch is moe" : "ep is more than 1"));
        }
        if (!shape.attentionWindow().isEmpty() && !RowSizes.isInCatalog(row)) {
            throw new RowSkip("attention_window " + shape.attentionWindow() + " has no size in tokens");
        }
        if (shape.mtpLayers().orElse(0) > 0 && !RowExperts.has(row)) {
            throw new RowSkip("mtp_layers is " + shape.mtpLayers().getAsLong() + ", and experts are blank");
        }
        String offload = row.software().offload();
        if (!offload.isEmpty() && !offload.equals("none") && !offload.equals("no")) {
            throw new RowSkip("offload " + offload + " comes with a later issue");
        }
        RowSwitches.check(row);
        String outcome = row.measured().outcome();
        if (!outcome.isEmpty() && !outcome.equals("ran") && !outcome.equals("oom")) {
            throw new RowSkip("outcome is \"" + outcome + "\", neither ran nor oom");
        }
    }

    private static DataType precision(Row row) throws RowSkip {
        String text = row.machine().precision();
        DataType type = Stream.of(DataType.values())
                .filter(known -> known.text().equals(text))
                .findFirst()
                .orElseThrow(() ->
                        new RowSkip(text.isEmpty() ? "precision is blank" : "precision \"" + text + "\" is not known"));
        return switch (type) {
            case FP32, TF32, BF16, FP16, FP8, MXFP8, NVFP4 -> type;
            case INT8 -> throw new RowSkip("precision " + text + " comes with a later issue");
        };
    }

    private static OptionalInt gradientBytes(Row row) {
        return switch (row.software().gradDtype()) {
            case "fp32" -> OptionalInt.of(4);
            case "fp16", "bf16" -> OptionalInt.of(2);
            default -> OptionalInt.empty();
        };
    }

    /** What a source's memory figure counts, as the ledger's README says. */
    private static String memoryKind(String source) {
        return switch (source) {
            case "simumax", "megatron-bridge-ab-measurements", "mlperf-training-nemo" -> "allocated";
            case "torchtitan", "ultrascale-nanotron" -> "reserved";
            default -> "device";
        };
    }
}
