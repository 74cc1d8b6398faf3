package org.shardplan.job;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.shardplan.cluster.Cluster;
import org.shardplan.cluster.Device;
import org.shardplan.cluster.Disturbances;
import org.shardplan.form.FrameworkCatalog;
import org.shardplan.form.PlanFile;
import org.shardplan.graph.DataType;
import org.shardplan.graph.ModelFlops;
import org.shardplan.graph.OperatorGraph;
import org.shardplan.graph.TransformerGraph;
import org.shardplan.graph.TransformerSizes;
import org.shardplan.plan.FixedChoices;
import org.shardplan.plan.Legality;
import org.shardplan.plan.Shorthand;
import org.shardplan.plan.Verdict;
import org.shardplan.search.Objective;
import org.shardplan.search.PlanningSubject;
import org.shardplan.search.Problem;
import org.shardplan.units.ClosestNames;
import org.shardplan.units.Printed;
import org.shardplan.units.Quantity;
import org.shardplan.units.UserError;
import org.shardplan.workload.Framework;
import org.shardplan.workload.Tuning;
import org.shardplan.workload.Workload;

/**
 * What a use case starts from: model, cluster, workload and framework, read and checked.
 *
 * @param graph the model's, with the framework's vocabulary padding
 * @param memoryMargin share of the device's memory that stays free
 * @param notes what was assumed
 */
record Setting(
        ModelSource.Found model,
        OperatorGraph graph,
        Cluster cluster,
        Workload workload,
        Framework framework,
        double memoryMargin,
        List<String> notes) {
    private static final double MOST_DEVICE_SECONDS = 2e8;

    private static final List<DataType> PRECISIONS =
            List.of(DataType.BF16, DataType.FP16, DataType.FP32, DataType.FP8, DataType.MXFP8, DataType.NVFP4);
    private static final long LONGEST = 1L << 24;
    private static final double DEFAULT_MARGIN = 0.05;

    /** Options as typed; an empty text, or a sequence length of 0, means not given. */
    record Options(
            String cluster,
            String globalBatch,
            long seqLen,
            String precision,
            String optimizer,
            String framework,
            String memoryMargin,
            String task) {
        static final Options NONE = new Options("", "", 0, "", "", "", "");

        /** Of pretraining. */
        Options(
                String cluster,
                String globalBatch,
                long seqLen,
                String precision,
                String optimizer,
                String framework,
                String memoryMargin) {
            this(cluster, globalBatch, seqLen, precision, optimizer, framework, memoryMargin, "");
        }
    }

    /** @throws UserError on any mistake, with the option's name */
    static Setting of(ModelSource.Found model, Options options) {
        List<String> notes = new ArrayList<>(model.notes());
        Cluster cluster = ClusterSource.resolve(options.cluster);
        String name = options.framework.isEmpty() ? FrameworkCatalog.DEFAULT : options.framework;
        FrameworkCatalog.get(name); // an unknown name is the first thing to hear of
        long seqLen = seqLen(model.sizes(), options.seqLen, notes);
        Workload workload = new Workload(
                globalBatch(options.globalBatch, seqLen, notes),
                seqLen,
                precision(options.precision, cluster.device(), notes),
                optimizer(options.optimizer),
                Tuning.parse(options.task));
        Framework framework = FrameworkCatalog.get(name, workload.precision());
        double margin = margin(options.memoryMargin, cluster.device());
        return of(model, cluster, workload, framework, margin, notes);
    }

    /** Of a plan file, each part replaced by the option that is given. */
    static Setting of(PlanFile file, String path, Options options) {
        List<String> notes = new ArrayList<>();
        notes.add("all that the command line does not say is from " + path);
        Cluster cluster = options.cluster.isEmpty() ? file.cluster() : ClusterSource.resolve(options.cluster);
        Framework framework = FrameworkCatalog.get(options.framework.isEmpty() ? file.framework() : options.framework);
        Workload made = file.workload();
        long seqLen = options.seqLen == 0 ? made.seqLen() : seqLen(file.sizes(), options.seqLen, notes);
        boolean sameDevice = options.precision.isEmpty() && cluster.device().supports(made.precision());
        Workload workload = new Workload(
                options.globalBatch.isEmpty() ? made.globalBatch() : globalBatch(options.globalBatch, seqLen, notes),
                seqLen,
                sameDevice ? made.precision() : precision(options.precision, cluster.device(), notes),
                options.optimizer.isEmpty() ? made.optimizer() : optimizer(options.optimizer),
                options.task.isEmpty() ? made.tuning() : Tuning.parse(options.task));
        double margin =
                options.memoryMargin.isEmpty() ? file.memoryMargin() : margin(options.memoryMargin, cluster.device());
        ModelSource.Found model = new ModelSource.Found(file.sizes(), file.modelSource(), file.modelHash(), List.of());
        return of(model, cluster, workload, framework, margin, notes);
    }

    /** From parts that were read before. */
    static Setting of(
            ModelSource.Found model,
            Cluster cluster,
            Workload workload,
            Framework framework,
            double memoryMargin,
            List<String> notes) {
        OperatorGraph graph = workload.trained(TransformerGraph.build(
                model.sizes(), workload.seqLen(), framework.limits().vocabMultiple()));
        refuseEndlessWork(graph, workload, cluster);
        long window = model.sizes().longestWindow();
        if (window > workload.seqLen()) {
            notes.add("the window of " + Printed.count(window) + " tokens is longer than the sequence of "
                    + Printed.count(workload.seqLen()) + ": attention is full");
        }
        return new Setting(model, graph, cluster, workload, framework, memoryMargin, notes);
    }

    /** The clock counts nanoseconds in 63 bits: 292 years, which a plan on one device must not pass either. */
    private static void refuseEndlessWork(OperatorGraph graph, Workload workload, Cluster cluster) {
        double flops = 3 * ModelFlops.forwardPerSample(graph, false) * workload.globalBatch();
        double seconds = flops / cluster.device().peakFlops(workload.precision());
        if (seconds > MOST_DEVICE_SECONDS) {
            throw new UserError(
                    "a step of " + Printed.count(workload.globalBatch()) + " sequences of "
                            + Printed.count(workload.seqLen()) + " tokens would keep one "
                            + cluster.device().name() + " busy for " + Printed.count(Math.round(seconds / 31_557_600))
                            + " years",
                    "Maybe a smaller --global-batch, a shorter --seq-len, or a size of the model is wrong");
        }
    }

    /** Whether a plan keeps the rules; memory is not looked at. */
    Verdict verdict(Shorthand plan) {
        return Legality.check(plan, graph, workload, cluster, framework);
    }

    /** What a plan may take: the margin is taken off. */
    /** The whole space of this setting: nothing fixed, as fast as can be. */
    Problem problem(int top) {
        return new Problem(
                graph,
                workload,
                cluster,
                framework,
                FixedChoices.NONE,
                Objective.TIME,
                Double.POSITIVE_INFINITY,
                capacityBytes(),
                top);
    }

    long capacityBytes() {
        return (long) (cluster.device().usableBytes() * (1 - memoryMargin));
    }

    private static long seqLen(TransformerSizes sizes, long given, List<String> notes) {
        if (given == 0) {
            notes.add("sequence length " + sizes.seqLen() + " (the model's; --seq-len changes it)");
            return sizes.seqLen();
        }
        if (given < 1 || given > LONGEST) {
            throw new UserError(
                    "--seq-len " + given + " is not between 1 and " + LONGEST, "Maybe --seq-len " + sizes.seqLen());
        }
        if (!sizes.extensions().stem().isTokens() && given != sizes.seqLen()) {
            throw new UserError(
                    "--seq-len " + given + ": an image of " + sizes.name() + " has " + sizes.seqLen() + " patches",
                    "Maybe leave --seq-len out");
        }
        boolean table = sizes.positions() == TransformerSizes.Positions.LEARNED;
        if (table && given > sizes.maxPositions()) {
            throw new UserError(
                    "--seq-len " + given + " is more than the " + sizes.maxPositions() + " learned positions of "
                            + sizes.name(),
                    "Maybe --seq-len " + sizes.maxPositions());
        }
        return given;
    }

    private static long globalBatch(String text, long seqLen, List<String> notes) {
        String maybe = "Maybe --global-batch 1536, or --global-batch 4M-tokens";
        boolean tokens = text.endsWith("-tokens");
        String digits = tokens ? text.substring(0, text.length() - "-tokens".length()) : text;
        long factor = 1;
        if (tokens && !digits.isEmpty()) {
            factor = switch (digits.charAt(digits.length() - 1)) {
                case 'k', 'K' -> 1_000;
                case 'M' -> 1_000_000;
                case 'B', 'G' -> 1_000_000_000;
                default -> 1;
            };
            digits = factor == 1 ? digits : digits.substring(0, digits.length() - 1);
        }
        double number;
        try {
            number = Double.parseDouble(digits) * factor;
        } catch (NumberFormatException notANumber) {
            throw new UserError("--global-batch \"" + text + "\" is not a number of sequences or tokens", maybe);
        }
        if (number > 1e12) {
            throw new UserError("--global-batch " + text + " is too large", maybe);
        }
        if (!(number >= 1) || number != Math.rint(number)) {
            throw new UserError("--global-batch " + text + " is not a whole number of at least 1", maybe);
        }
        long batch = (long) number;
        if (tokens) {
            batch = Math.max(1, Math.round(number / seqLen));
            notes.add("global batch " + Printed.count(batch) + " sequences = " + Printed.count(batch * seqLen)
                    + " tokens, the nearest to " + text);
        }
        if (batch > 1_000_000) {
            throw new UserError("--global-batch " + batch + " is more than 1,000,000 sequences", maybe);
        }
        return batch;
    }

    private static DataType precision(String text, Device device, List<String> notes) {
        if (text.isEmpty()) {
            if (device.supports(DataType.BF16)) {
                return DataType.BF16;
            }
            DataType instead = device.supports(DataType.FP16) ? DataType.FP16 : DataType.FP32;
            notes.add("precision " + instead.text() + ": " + device.name() + " has no bf16");
            return instead;
        }
        String names = PRECISIONS.stream().map(DataType::text).collect(Collectors.joining(", "));
        DataType type = PRECISIONS.stream()
                .filter(known -> known.text().equals(text))
                .findFirst()
                .orElseThrow(() -> new UserError(
                        "--precision \"" + text + "\" is not one of " + names,
                        "Maybe --precision "
                                + ClosestNames.of(
                                                text,
                                                PRECISIONS.stream()
                                                        .map(DataType::text)
                                                        .toList())
                                        .stream()
                                        .findFirst()
                                        .orElse("bf16")));
        if (!device.supports(type)) {
            String has = PRECISIONS.stream()
                    .filter(device::supports)
                    .map(DataType::text)
                    .collect(Collectors.joining(", "));
            throw new UserError(
                    "--precision " + text + ": " + device.name() + " has no such arithmetic", "Maybe one of " + has);
        }
        return type;
    }

    private static Workload.Optimizer optimizer(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "", "adam", "adamw" -> Workload.Optimizer.ADAM;
            case "sgd" -> Workload.Optimizer.SGD;
            case "sgd-momentum", "momentum" -> Workload.Optimizer.SGD_MOMENTUM;
            default ->
                throw new UserError(
                        "--optimizer \"" + text + "\" is not one of adam, sgd, sgd-momentum", "Maybe --optimizer adam");
        };
    }

    private static double margin(String text, Device device) {
        if (text.isEmpty()) {
            return DEFAULT_MARGIN;
        }
        double share = text.endsWith("%")
                ? Quantity.parsePercent(text, "--memory-margin")
                : Quantity.parseBytes(text, "--memory-margin") / (double) device.usableBytes();
        if (!(share >= 0) || share >= 1) {
            throw new UserError(
                    "--memory-margin " + text + " is not between 0 and what " + device.name() + " has",
                    "Maybe --memory-margin 5%");
        }
        return share;
    }

    /** What reports say of it. */
    PlanningSubject subject(Prices prices, String objective, long seed) {
        List<String> all = new ArrayList<>(notes);
        Device device = cluster.device();
        if (!prices.kernels().isMeasured(device)) {
            all.add(device.name() + ": " + prices.kernels().source(device) + ", interval widened");
        } else if (!device.kernelTable().equals(device.name())) {
            all.add(device.name() + " is priced from the kernel table of " + device.kernelTable());
        }
        if (!prices.collectives().isMeasured(cluster)) {
            all.add("collectives: latency and bandwidth, no measured curve for " + cluster.name());
        }
        if (!cluster.networkEfficiencyNote().isEmpty()) {
            all.add(cluster.networkEfficiencyNote());
        }
        if (cluster.disturbances().any()) {
            all.add(disturbances());
        }
        boolean padded = framework.limits().vocabMultiple() > 1;
        if (padded) {
            all.add("vocabulary padded to a multiple of " + framework.limits().vocabMultiple() + " · tp");
        }
        return new PlanningSubject(
                model.sizes().name(),
                TransformerGraph.build(model.sizes(), 1, 1).parameterElements(),
                cluster.name(),
                clusterText(),
                cluster.devices(),
                workload.globalBatch(),
                workload.seqLen(),
                workload.precision().text(),
                workload.optimizer().name().toLowerCase(Locale.ROOT).replace('_', '-'),
                framework.name(),
                framework.title(),
                memoryMargin,
                objective,
                ToolVersion.text(),
                prices.calibration().hash(),
                seed,
                all);
    }

    private String clusterText() {
        String links = cluster.levels().stream()
                .map(level -> level.name() + " " + Printed.bytesPerSecond(level.deviceBytesPerSecond()) + " each way")
                .collect(Collectors.joining(", "));
        return Printed.count(cluster.devices()) + " × " + cluster.device().name() + ", "
                + Printed.bytes(cluster.device().usableBytes()) + " usable" + (links.isEmpty() ? "" : ", " + links);
    }

    /** What the cluster's user says of it, and who takes it into account. */
    private String disturbances() {
        Disturbances disturbances = cluster.disturbances();
        List<String> parts = new ArrayList<>();
        if (!disturbances.stragglers().isEmpty()) {
            parts.add(disturbances.stragglers().size() + " stragglers");
        }
        if (disturbances.jitter() > 0) {
            parts.add("jitter of up to %.1f %%".formatted(100 * disturbances.jitter()));
        }
        if (disturbances.contention()) {
            parts.add("links shared by all that a device sends and receives at once");
        }
        return "events: " + String.join(", ", parts)
                + "; the listed plans are scored with it, the search and the front of time against memory by sweep, without";
    }
}
