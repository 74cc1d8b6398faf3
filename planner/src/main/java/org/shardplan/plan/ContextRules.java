package org.shardplan.plan;

import static org.shardplan.plan.Legality.illegal;
import static org.shardplan.plan.Legality.nearest;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.shardplan.plan.Legality.Case;
import org.shardplan.plan.Verdict.Illegal;

/** Rules of context parallelism, and of the groups that hold the states ZeRO shards. */
final class ContextRules {
    private ContextRules() {}

    static Optional<Illegal> exists(Case given) {
        Shorthand plan = given.plan();
        List<String> types = given.framework().sharding().contextTypes();
        String type = plan.context().type().text();
        if (plan.cp() == 1 || types.contains(type)) {
            return Optional.empty();
        }
        return types.isEmpty()
                ? illegal(
                        "context-parallel",
                        given.framework().name() + " has no context parallelism, and cp is " + plan.cp(),
                        "Maybe leave cp out, or --framework megatron-core.")
                : illegal(
                        "context-type",
                        given.framework().name() + " has no cp-type=" + type,
                        "Maybe cp-type=" + String.join(", or cp-type=", types) + ".");
    }

    /** With zigzag each rank has two of 2·cp chunks, one from either end (Megatron: a multiple of 2·cp). */
    static Optional<Illegal> sequenceDivides(Case given) {
        int cp = given.plan().cp();
        long seqLen = given.workload().seqLen();
        int parts = parts(given);
        if (cp == 1 || seqLen % parts == 0) {
            return Optional.empty();
        }
        String why = parts == cp
                ? "seq-len " + seqLen + " is not a multiple of cp=" + cp
                : "seq-len " + seqLen + " is not a multiple of 2·cp = 2·" + cp + " = " + parts
                        + " chunks, two to each rank";
        OptionalInt ranks =
                Divisors.nearest(seqLen / (parts / cp), cp, degree -> seqLen % ((long) degree * parts / cp) == 0);
        return illegal(
                "context-divides",
                why,
                "Maybe seq-len " + Math.max(1, (seqLen + parts / 2) / parts) * parts + ", or cp=" + ranks.orElse(1)
                        + ".");
    }

    private static int parts(Case given) {
        int cp = given.plan().cp();
        return given.framework().sharding().balancedContext() ? 2 * cp : cp;
    }

    /** Ulysses has each rank work on whole sequences of a part of the heads. */
    static Optional<Illegal> heads(Case given) {
        Shorthand plan = given.plan();
        int ranks = plan.tp() * plan.cp();
        TensorSplits splits = given.splits();
        boolean ulysses = plan.context().type() == ContextParallel.Type.ULYSSES;
        boolean byHeads = (ulysses || splits.scans()) && plan.cp() > 1;
        boolean replication = given.framework().limits().keyValueReplication();
        if (!byHeads || (splits.headsDivide(ranks) && splits.keyValueHeadsAllow(ranks, replication))) {
            return Optional.empty();
        }
        String which = splits.headsDivide(ranks)
                ? splits.keyValueHeads() + " key-value heads"
                : splits.queryHeads() + " attention heads";
        OptionalInt cp = Divisors.nearest(
                splits.queryHeads(),
                plan.cp(),
                degree -> splits.headsDivide(plan.tp() * degree)
                        && splits.keyValueHeadsAllow(plan.tp() * degree, replication));
        return illegal(
                "context-heads",
                (ulysses ? "cp-type=ulysses" : "a scan under cp") + " shares out heads, and " + which
                        + " are not a multiple of tp·cp = " + plan.tp() + "·" + plan.cp() + " = " + ranks,
                ulysses ? nearest("cp", cp).replaceFirst("\\.$", ", or cp-type=ring.") : nearest("cp", cp));
    }

    /** Parts of a softmax are joined by the statistics that fused kernels give (Transformer Engine, PyTorch). */
    static Optional<Illegal> fusedAttention(Case given) {
        Shorthand plan = given.plan();
        boolean parts = plan.cp() > 1 && plan.context().type() != ContextParallel.Type.ULYSSES;
        boolean fused = given.framework().kernels().flashAttention()
                && given.cluster().device().flashAttention();
        if (!parts || fused) {
            return Optional.empty();
        }
        return illegal(
                "context-fused",
                "cp-type=" + plan.context().type().text() + " needs fused attention, which "
                        + (given.framework().kernels().flashAttention()
                                ? given.cluster().device().name()
                                : given.framework().name())
                        + " does not have",
                "Maybe cp-type=ulysses, or leave cp out.");
    }

    /** A ring's step knows two cases, all keys of a chunk or its causal half: Transformer Engine and PyTorch refuse windows there. */
    static Optional<Illegal> windows(Case given) {
        Shorthand plan = given.plan();
        if (plan.cp() == 1
                || plan.context().type() != ContextParallel.Type.RING
                || !given.splits().windows()) {
            return Optional.empty();
        }
        return illegal(
                "context-window",
                "attention sees a window of the sequence, which a ring over cp=" + plan.cp() + " does not know",
                "Maybe cp-type=all-gather, or cp-type=ulysses.");
    }

    /** What an encoder reads is one piece, and an indexer scores all keys. */
    static Optional<Illegal> wholeSequences(Case given) {
        if (given.plan().cp() == 1 || !given.splits().whole()) {
            return Optional.empty();
        }
        return illegal(
                "context-whole",
                "cp=" + given.plan().cp()
                        + " splits sequences, and attention of this model (an encoder, a vision tower, an indexer) reads"
                        + " them whole: this version does not split it",
                "Maybe leave cp out.");
    }

    static Optional<Illegal> meshOrder(Case given) {
        Shorthand plan = given.plan();
        if (plan.cp() == 1 || plan.order() == MeshOrder.PP_DP_TP) {
            return Optional.empty();
        }
        return illegal(
                "context-order",
                "cp=" + plan.cp() + " and dp hold the same parameters and need to be neighbours, and order is "
                        + plan.order().text(),
                "Maybe order=" + MeshOrder.PP_DP_TP.text() + ".");
    }

    static Optional<Illegal> replicasExist(Case given) {
        Shorthand plan = given.plan();
        if (plan.replicas() == 1
                || (plan.zero() > 0 && given.framework().sharding().replicas())) {
            return Optional.empty();
        }
        return plan.zero() == 0
                ? illegal(
                        "replicas",
                        "replicas=" + plan.replicas() + " are of what ZeRO shards, and zero is 0",
                        "Maybe leave replicas out, or zero=1.")
                : illegal(
                        "replicas",
                        given.framework().name() + " shards over all ranks, and replicas is " + plan.replicas(),
                        "Maybe leave replicas out, or another --framework.");
    }

    static Optional<Illegal> replicasDivide(Case given) {
        Shorthand plan = given.plan();
        if (divides(plan, plan.replicas())) {
            return Optional.empty();
        }
        int experts = plan.experts().ranks();
        String why = plan.parameterRanks() % plan.replicas() != 0
                ? "dp·cp = " + plan.dp() + "·" + plan.cp()
                : "the " + plan.parameterRanks() / experts + " ranks that hold the same experts";
        OptionalInt fewer = Divisors.nearest(plan.parameterRanks(), plan.replicas(), groups -> divides(plan, groups));
        return illegal(
                "replicas-divide",
                why + " are not a multiple of replicas=" + plan.replicas(),
                nearest("replicas", fewer));
    }

    private static boolean divides(Shorthand plan, int replicas) {
        int ranks = plan.parameterRanks();
        return replicas == 1 || (ranks % replicas == 0 && ranks / plan.experts().ranks() % replicas == 0);
    }
}
