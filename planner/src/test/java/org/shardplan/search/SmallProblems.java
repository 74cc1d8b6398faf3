package org.shardplan.search;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.shardplan.cluster.Cluster;
import org.shardplan.cluster.Device;
import org.shardplan.cluster.LinkLevel;
import org.shardplan.graph.DataType;
import org.shardplan.graph.Extensions;
import org.shardplan.graph.OperatorGraph;
import org.shardplan.graph.TransformerGraph;
import org.shardplan.graph.TransformerSizes;
import org.shardplan.plan.FixedChoices;
import org.shardplan.workload.Framework;
import org.shardplan.workload.Mixture;
import org.shardplan.workload.PipelineSchedules;
import org.shardplan.workload.Sharding;
import org.shardplan.workload.Workload;
import org.shardplan.workload.Workspace;

/** Problems that are small enough to try every plan, and odd enough to bring out whatever a search may overlook. */
final class SmallProblems {
    private static final String[] FRAMEWORKS = {"megatron-core", "megatron-lm-2022", "deepspeed-zero3-2021", "other"};

    private SmallProblems() {}

    /** One of them; the memory that a rank may take is not limited yet. */
    static Problem draw(Random random) {
        int devices = 1 + random.nextInt(8);
        Framework framework = framework(random);
        Workload.Optimizer optimizer =
                one(random, Workload.Optimizer.ADAM, Workload.Optimizer.ADAM, Workload.Optimizer.SGD_MOMENTUM);
        long seqLen = one(random, 96L, 512L, 2048L, 4096L);
        Workload workload = new Workload(1 + random.nextInt(8), seqLen, DataType.BF16, optimizer);
        OperatorGraph graph = TransformerGraph.build(
                sizes(random, seqLen), seqLen, framework.limits().vocabMultiple());
        return new Problem(
                graph,
                workload,
                cluster(random, devices),
                framework,
                FixedChoices.NONE,
                Objective.TIME,
                Double.POSITIVE_INFINITY,
                Long.MAX_VALUE / 4,
                1);
    }

    /** One of them with experts in all layers but the first, which so has fewer parameters than the others, or more. */
    static Problem drawUnlike(Random random) {
        Problem problem = draw(random);
        long seqLen = problem.workload().seqLen();
        TransformerSizes sizes = sizes(random, seqLen);
        TransformerSizes.Experts experts =
                new TransformerSizes.Experts(4, 2, one(random, 64L, 1024L), 0, 1, 1, 1, 1, false, 0);
        OperatorGraph graph = TransformerGraph.build(
                sizes.with(sizes.layers(), seqLen, experts),
                seqLen,
                problem.framework().limits().vocabMultiple());
        return new Problem(
                graph,
                problem.workload(),
                problem.cluster(),
                problem.framework(),
                FixedChoices.NONE,
                Objective.TIME,
                Double.POSITIVE_INFINITY,
                problem.capacityBytes(),
                1);
    }

    private static TransformerSizes sizes(Random random, long seqLen) {
        long heads = one(random, 2L, 4L, 6L, 8L);
        long headDim = one(random, 16L, 64L, 128L);
        long hidden = heads * headDim;
        boolean experts = random.nextInt(4) == 0;
        int count = one(random, 2, 4, 6);
        return new TransformerSizes(
                "small",
                2 + random.nextInt(random.nextBoolean() ? 5 : 3),
                hidden,
                hidden * one(random, 2, 4),
                heads,
                one(random, heads, heads, heads / 2, 1L),
                headDim,
                one(random, 100L, 8_000L, 120_000L),
                seqLen,
                seqLen,
                random.nextBoolean(),
                one(random, TransformerSizes.NormPlacement.PRE, TransformerSizes.NormPlacement.PARALLEL_ONE_NORM),
                one(random, TransformerSizes.Norm.LAYER_NORM, TransformerSizes.Norm.RMS_NORM),
                one(random, TransformerSizes.Positions.LEARNED, TransformerSizes.Positions.ROTARY),
                1,
                TransformerSizes.QkNorm.NONE,
                one(random, TransformerSizes.Bias.ALL, TransformerSizes.Bias.NONE),
                random.nextBoolean(),
                false,
                true,
                random.nextInt(3) == 0 ? seqLen / 4 : 0,
                2,
                false,
                random.nextBoolean(),
                0,
                experts
                        ? new TransformerSizes.Experts(
                                count, one(random, 1, 2), hidden, one(random, 0L, hidden), 0, 1, 1, 1, false, 0)
                        : TransformerSizes.Experts.NONE,
                TransformerSizes.LatentAttention.NONE,
                Extensions.NONE);
    }

    private static Cluster cluster(Random random, int devices) {
        Device device = new Device(
                "small-device",
                "ampere",
                80L << 30,
                79L << 30,
                one(random, 0.5e12, 2e12),
                Map.of(DataType.BF16, one(random, 5e12, 50e12, 312e12)),
                108,
                random.nextBoolean(),
                random.nextBoolean() ? "a100-sxm-80gb" : "",
                "test");
        LinkLevel inside = level("nvlink", 2, one(random, 20e9, 300e9), one(random, 0.0, 3e-6));
        LinkLevel outside = level("infiniband", Math.max(2, devices), one(random, 1e9, 25e9), one(random, 0.0, 1e-5));
        return new Cluster(
                "small-cluster",
                List.of(new Cluster.Pool(device, devices)),
                List.of(inside, outside),
                Optional.empty(),
                "");
    }

    private static LinkLevel level(String name, int degree, double rate, double latency) {
        return new LinkLevel(name, degree, rate, latency, 2, 0.8, 1, false, "", "test");
    }

    /** Half of them keep the least. */
    private static Workspace workspace(Random random) {
        return random.nextBoolean()
                ? Workspace.LEAST
                : new Workspace(
                        one(random, 2, 4),
                        one(random, 4, 14),
                        one(random, 0, 2),
                        random.nextInt(1 << 20),
                        one(random, 0, 2),
                        one(random, 0, 8),
                        one(random, 0, 4),
                        random.nextInt(3) == 0 ? random.nextInt(1 << 20) : 0,
                        random.nextBoolean(),
                        random.nextBoolean() ? Set.of() : Set.of("stage-output", "activated-gate"));
    }

    private static Framework framework(Random random) {
        String name = one(random, FRAMEWORKS);
        int maxZero = random.nextInt(4);
        return new Framework(
                name,
                name,
                new Framework.Kernels(
                        random.nextBoolean(),
                        random.nextBoolean(),
                        random.nextBoolean(),
                        random.nextBoolean(),
                        random.nextBoolean(),
                        one(random, 1.0, 1.4)),
                new Framework.Overlap(
                        random.nextBoolean(),
                        random.nextBoolean(),
                        random.nextBoolean(),
                        random.nextBoolean(),
                        one(random, 1, 5),
                        random.nextBoolean(),
                        random.nextBoolean(),
                        one(random, 0.0, 0.2),
                        one(random, 0.0, 1.0),
                        one(random, 0.0, 0.5)),
                new Framework.Memory(
                        one(random, 2, 4),
                        one(random, 2, 4),
                        one(random, 0, 3),
                        4,
                        4,
                        random.nextInt(1 << 20),
                        random.nextInt(1 << 16),
                        one(random, 0.0, 0.04),
                        random.nextInt(4) == 0
                                ? Set.of()
                                : random.nextInt(3) == 0
                                        ? Set.of("norm", "keys", "activation")
                                        : Set.of("attention-core"),
                        workspace(random)),
                new Framework.Host(
                        one(random, 0.0, 5e-6),
                        one(random, 0.0, 2e-4),
                        one(random, 0.0, 5e-5),
                        one(random, 0.0, 1e-3),
                        one(random, 0.0, 1e-2)),
                new Framework.Limits(
                        maxZero,
                        Math.min(maxZero, random.nextInt(4)),
                        random.nextInt(3) > 0,
                        schedules(random, name),
                        random.nextInt(4) > 0,
                        random.nextInt(4) > 0,
                        random.nextInt(4) > 0,
                        random.nextBoolean(),
                        one(random, 1L, 128L),
                        random.nextInt(3) > 0,
                        true),
                Mixture.LEAST,
                new Sharding(
                        one(
                                random,
                                List.of(),
                                List.of("ring"),
                                List.of("all-gather", "ulysses"),
                                List.of("ring", "all-gather", "ulysses")),
                        random.nextBoolean(),
                        random.nextBoolean()),
                List.of());
    }

    /** In every third problem some schedules that keep weight gradients apart, or run both ways; one draw, whatever comes of it. */
    private static PipelineSchedules schedules(Random random, String framework) {
        int draw = random.nextInt(1 << 20);
        Random own = new Random(draw);
        Set<String> kinds =
                new TreeSet<>(PipelineSchedules.classic(draw >> 18 > 0).kinds());
        if (own.nextInt(3) == 0) {
            for (String kind : List.of("zb-h1", "zb-h2", "zb-v", "dualpipe", "dualpipev")) {
                if (own.nextBoolean()) {
                    kinds.add(kind);
                }
            }
            kinds.remove(one(own, "gpipe", "1f1b", "none"));
        }
        return new PipelineSchedules(kinds, framework.startsWith("megatron-lm-"));
    }

    @SafeVarargs
    private static <T> T one(Random random, T... choices) {
        return choices[random.nextInt(choices.length)];
    }
}
