package org.shardplan.plan;

import static org.shardplan.plan.Legality.illegal;
import static org.shardplan.plan.Legality.nearest;

import java.util.Optional;
import org.shardplan.plan.Legality.Case;
import org.shardplan.plan.Verdict.Illegal;

/** Rules of tensor and sequence parallelism. */
final class TensorRules {
    private TensorRules() {}

    static Optional<Illegal> tensorParallel(Case given) {
        if (given.plan().tp() == 1 || given.framework().limits().tensorParallel()) {
            return Optional.empty();
        }
        return illegal(
                "tensor-parallel",
                given.framework().name() + " has no tensor parallelism, and tp is "
                        + given.plan().tp(),
                "Maybe tp=1, or another --framework.");
    }

    static Optional<Illegal> heads(Case given) {
        int tp = given.plan().tp();
        if (given.splits().headsDivide(tp)) {
            return Optional.empty();
        }
        return illegal(
                "heads",
                given.splits().queryHeads() + " attention heads are not a multiple of tp=" + tp,
                nearest("tp", Divisors.nearest(given.splits().queryHeads(), tp, degree -> allowed(given, degree))));
    }

    static Optional<Illegal> keyValueHeads(Case given) {
        int tp = given.plan().tp();
        boolean replication = given.framework().limits().keyValueReplication();
        if (given.splits().keyValueHeadsAllow(tp, replication)) {
            return Optional.empty();
        }
        long count = given.splits().keyValueHeads();
        String why = count + " key-value heads are not a multiple of tp=" + tp
                + (replication
                        ? ", and tp is not a multiple of them, so they can't be replicated"
                        : ", and " + given.framework().name() + " does not replicate them");
        return illegal(
                "kv-heads",
                why,
                nearest("tp", Divisors.nearest(given.splits().queryHeads(), tp, degree -> allowed(given, degree))));
    }

    static Optional<Illegal> ffn(Case given) {
        int tp = given.plan().tp();
        if (given.splits().ffnDivides(tp)) {
            return Optional.empty();
        }
        return illegal(
                "ffn",
                "the MLP's inner width " + given.splits().ffnUnits() + " is not a multiple of tp=" + tp,
                nearest("tp", Divisors.nearest(given.splits().ffnUnits(), tp, degree -> allowed(given, degree))));
    }

    static Optional<Illegal> vocab(Case given) {
        int tp = given.plan().tp();
        if (given.splits().vocabAllows(tp, padded(given))) {
            return Optional.empty();
        }
        return illegal(
                "vocab",
                "the vocabulary of " + given.splits().vocabUnits() + " is not a multiple of tp=" + tp + ", and "
                        + given.framework().name() + " does not pad it",
                nearest("tp", Divisors.nearest(given.splits().vocabUnits(), tp, degree -> allowed(given, degree))));
    }

    private static boolean padded(Case given) {
        return given.framework().limits().vocabMultiple() >= 1;
    }

    /** Whether everything that tp splits can be split so, on the devices that there are. */
    private static boolean allowed(Case given, int tp) {
        TensorSplits splits = given.splits();
        return tp <= given.cluster().devices()
                && splits.headsDivide(tp)
                && splits.keyValueHeadsAllow(tp, given.framework().limits().keyValueReplication())
                && splits.ffnDivides(tp)
                && splits.vocabAllows(tp, padded(given));
    }

    static Optional<Illegal> sequenceParallelExists(Case given) {
        if (!given.plan().sequenceParallel() || given.framework().limits().sequenceParallel()) {
            return Optional.empty();
        }
        return illegal(
                "sequence-parallel",
                given.framework().name() + " has no sequence parallelism",
                "Maybe leave sp out, or another --framework.");
    }

    static Optional<Illegal> sequenceParallelNeedsTensor(Case given) {
        if (!given.plan().sequenceParallel() || given.plan().tp() > 1) {
            return Optional.empty();
        }
        return illegal(
                "sequence-parallel-tp",
                "sp splits the sequence over tensor ranks, and tp is 1",
                "Maybe leave sp out, or tp=2.");
    }

    static Optional<Illegal> sequenceDivides(Case given) {
        int cp = given.plan().cp();
        int ranks = given.plan().tp() * cp;
        long seqLen = given.workload().seqLen();
        if (!given.plan().sequenceParallel() || seqLen % ranks == 0) {
            return Optional.empty();
        }
        String degree = cp == 1 ? "tp=" + ranks : "tp·cp = " + given.plan().tp() + "·" + cp + " = " + ranks;
        return illegal(
                "sequence-divides",
                "sp splits the sequence, and seq-len " + seqLen + " is not a multiple of " + degree,
                "Maybe seq-len " + Math.max(1, (seqLen + ranks / 2) / ranks) * ranks + ", or leave sp out.");
    }
}
