package org.shardplan.plan;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import org.shardplan.cluster.Cluster;
import org.shardplan.graph.DataType;
import org.shardplan.graph.OperatorGraph;
import org.shardplan.plan.Verdict.Illegal;
import org.shardplan.workload.Framework;
import org.shardplan.workload.Workload;

/**
 * Whether a plan can run: the commonest mistakes, each with one message that has the values and the nearest legal setting.
 *
 * <p>Memory is not looked at. Devices that the plan leaves idle are legal; so is zero &gt; 0 on one data rank, where it
 * changes nothing.
 */
public final class Legality {
    private static final List<Function<Case, Optional<Illegal>>> RULES = List.of(
            Legality::precision,
            TensorRules::tensorParallel,
            TensorRules::heads,
            TensorRules::keyValueHeads,
            TensorRules::ffn,
            TensorRules::vocab,
            PipelineRules::crossAttention,
            PipelineRules::interleavingNeedsPipeline,
            PipelineRules::scheduleMatches,
            PipelineRules::scheduleExists,
            PipelineRules::layoutStages,
            PipelineRules::layoutLayers,
            PipelineRules::layoutHoles,
            PipelineRules::enoughLayers,
            PipelineRules::evenLayers,
            Legality::devices,
            BatchRules::globalBatch,
            BatchRules::interleavedMicroBatches,
            PipelineRules::scheduleRuns,
            TensorRules::sequenceParallelExists,
            TensorRules::sequenceParallelNeedsTensor,
            TensorRules::sequenceDivides,
            ContextRules::exists,
            ContextRules::sequenceDivides,
            ContextRules::fusedAttention,
            ContextRules::heads,
            ContextRules::windows,
            ContextRules::wholeSequences,
            ContextRules::meshOrder,
            ExpertParallelRules::experts,
            ExpertParallelRules::tensorRanks,
            ExpertParallelRules::expertsDivide,
            ExpertParallelRules::ranksDivide,
            ExpertParallelRules::meshOrder,
            ExpertParallelRules::sequenceParallel,
            BatchRules::zeroStage,
            BatchRules::zeroWithPipeline,
            ContextRules::replicasExist,
            ContextRules::replicasDivide,
            RecomputeRules::selective,
            RecomputeRules::byStage,
            RecomputeRules::fullLayers,
            RecomputeRules::sameInEveryChunk);

    private Legality() {}

    /** What the rules look at. */
    record Case(
            Shorthand plan, TensorSplits splits, int layers, Workload workload, Cluster cluster, Framework framework) {

        /** Micro-batches a step on each data rank; the global batch divides. */
        long microBatches() {
            return workload.globalBatch() / ((long) plan.dp() * plan.microBatch());
        }
    }

    /** {@link Verdict#OK}, or the first rule that the plan breaks. */
    public static Verdict check(
            Shorthand plan, OperatorGraph graph, Workload workload, Cluster cluster, Framework framework) {
        return check(new Case(plan, TensorSplits.of(graph), graph.layers(), workload, cluster, framework));
    }

    /** Routed experts of a layer, 0 where the graph has none. */
    public static long experts(OperatorGraph graph) {
        return TensorSplits.of(graph).experts();
    }

    /** Tensor-parallel degrees, ascending, that nothing forbids on so many devices, whatever the rest of the plan. */
    public static int[] tensorDegrees(OperatorGraph graph, Workload workload, Cluster cluster, Framework framework) {
        TensorSplits splits = TensorSplits.of(graph);
        boolean padded = framework.limits().vocabMultiple() >= 1;
        boolean replication = framework.limits().keyValueReplication();
        int[] degrees = new int[cluster.devices()];
        int count = 0;
        for (int tp = 1; tp <= degrees.length; tp++) {
            // most degrees fall here, without a rule's message
            boolean splittable = splits.headsDivide(tp)
                    && splits.keyValueHeadsAllow(tp, replication)
                    && splits.ffnDivides(tp)
                    && splits.vocabAllows(tp, padded);
            if (splittable && alone(tp, splits, graph.layers(), workload, cluster, framework) instanceof Verdict.Fits) {
                degrees[count++] = tp;
            }
        }
        return Arrays.copyOf(degrees, count);
    }

    /** The verdict on a plan in which nothing but this degree can be illegal. */
    private static Verdict alone(
            int tp, TensorSplits splits, int layers, Workload workload, Cluster cluster, Framework framework) {
        Shorthand plan = new Shorthand(
                tp,
                1,
                1,
                1,
                1,
                false,
                0,
                Recompute.NONE,
                ScheduleKind.ONE_F_ONE_B,
                MeshOrder.PP_DP_TP,
                List.of(),
                List.of());
        return check(new Case(plan, splits, layers, workload, cluster, framework));
    }

    private static Verdict check(Case given) {
        for (Function<Case, Optional<Illegal>> rule : RULES) {
            Optional<Illegal> broken = rule.apply(given);
            if (broken.isPresent()) {
                return broken.get();
            }
        }
        return Verdict.OK;
    }

    static Optional<Illegal> illegal(String rule, String why, String maybe) {
        return Optional.of(new Illegal(rule, why, maybe));
    }

    /** "tp=4" with what else is near, or a setting that always works. */
    static String nearest(String key, OptionalInt nearest) {
        return "Maybe " + key + "=" + nearest.orElse(1) + ".";
    }

    static Optional<Illegal> precision(Case given) {
        DataType wanted = given.workload().precision();
        if (wanted.isCast() && !given.framework().limits().lowPrecision()) {
            return illegal(
                    "precision",
                    given.framework().name() + " runs no products in " + wanted.text(),
                    "Maybe --precision bf16, or --framework megatron-core.");
        }
        for (Cluster.Pool pool : given.cluster().pools()) {
            if (!pool.device().supports(given.workload().precision())) {
                String others = String.join(
                        ", ",
                        pool.device().peakFlops().keySet().stream()
                                .sorted()
                                .map(type -> type.text())
                                .toList());
                return illegal(
                        "precision",
                        pool.device().name() + " has no "
                                + given.workload().precision().text() + " arithmetic",
                        "Maybe one of " + others + ".");
            }
        }
        return Optional.empty();
    }

    static Optional<Illegal> devices(Case given) {
        Shorthand plan = given.plan();
        int have = given.cluster().devices();
        long modelRanks = (long) plan.tp() * plan.pp();
        long copyRanks = modelRanks * plan.cp();
        long need = copyRanks * plan.dp();
        if (need <= have) {
            return Optional.empty();
        }
        boolean context = plan.cp() > 1;
        String why = (context ? "tp·pp·cp·dp = " : "tp·pp·dp = ") + plan.tp() + "·" + plan.pp() + "·"
                + (context ? plan.cp() + "·" : "") + plan.dp() + " = " + need + " devices, and "
                + given.cluster().name() + " has " + have;
        if (copyRanks <= have) {
            return illegal("devices", why, "Maybe dp=" + have / copyRanks + ".");
        }
        if (context && modelRanks <= have) {
            return illegal("devices", why, "Maybe cp=" + have / modelRanks + ",dp=1.");
        }
        if (plan.tp() <= have) {
            return illegal("devices", why, "Maybe pp=" + have / plan.tp() + ",dp=1.");
        }
        OptionalInt tp = Divisors.nearest(given.splits().queryHeads(), have, degree -> degree <= have);
        return illegal("devices", why, "Maybe tp=" + tp.orElse(1) + ",pp=1,dp=1.");
    }
}
