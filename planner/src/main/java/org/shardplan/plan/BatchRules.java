package org.shardplan.plan;

import static org.shardplan.plan.Legality.illegal;

import java.util.Optional;
import java.util.OptionalInt;
import org.shardplan.plan.Legality.Case;
import org.shardplan.plan.Verdict.Illegal;

/** Rules of the batch and of what data ranks share out. */
final class BatchRules {
    private BatchRules() {}

    static Optional<Illegal> globalBatch(Case given) {
        Shorthand plan = given.plan();
        long batch = given.workload().globalBatch();
        long ranks = (long) plan.dp() * plan.microBatch();
        if (batch % ranks == 0 && batch / ranks < (1 << 29)) {
            return Optional.empty();
        }
        if (batch % ranks == 0) {
            return illegal(
                    "micro-batches",
                    "a step of " + batch / ranks + " micro-batches is too long to plan",
                    "Maybe a larger mb, or a smaller global batch.");
        }
        String why = "global batch " + batch + " is not a multiple of dp·mb = " + plan.dp() + "·" + plan.microBatch()
                + " = " + ranks;
        if (batch % plan.dp() == 0) {
            OptionalInt micro = Divisors.nearest(batch / plan.dp(), plan.microBatch());
            return illegal("global-batch", why, "Maybe mb=" + micro.orElse(1) + ".");
        }
        OptionalInt dp = Divisors.nearest(
                batch, plan.dp(), degree -> degree <= plan.dp() && batch % ((long) degree * plan.microBatch()) == 0);
        long rounded = Math.max(1, (batch + ranks / 2) / ranks) * ranks;
        String fewer = dp.isPresent() ? "dp=" + dp.getAsInt() + ", or " : "";
        return illegal("global-batch", why, "Maybe " + fewer + "a global batch of " + rounded + ".");
    }

    /**
     * Interleaving runs micro-batches in rounds of pp. Megatron-core lets the last round be any number from pp up; a framework may
     * state that it wants whole rounds.
     *
     * <p>Source: SC'21 section 2.2; Megatron-LM, megatron/core/pipeline_parallel/schedules.py.
     */
    static Optional<Illegal> interleavedMicroBatches(Case given) {
        int pp = given.plan().pp();
        long micro = given.microBatches();
        boolean wholeRounds = given.framework().limits().schedules().wholeRounds();
        if (given.plan().schedule() != ScheduleKind.INTERLEAVED || (micro >= pp && (!wholeRounds || micro % pp == 0))) {
            return Optional.empty();
        }
        String rule = wholeRounds ? "a multiple of pp=" + pp : "at least pp=" + pp;
        long perRank = given.workload().globalBatch() / given.plan().dp();
        OptionalInt smaller = Divisors.nearest(
                perRank,
                given.plan().microBatch(),
                size -> perRank / size >= pp && (!wholeRounds || perRank / size % pp == 0));
        return illegal(
                "interleaved-micro-batches",
                "the interleaved schedule needs " + rule + " micro-batches, and global batch "
                        + given.workload().globalBatch() + " over dp·mb = "
                        + given.plan().dp() + "·" + given.plan().microBatch() + " leaves " + micro,
                smaller.isPresent() ? "Maybe mb=" + smaller.getAsInt() + "." : "Maybe leave vpp out.");
    }

    static Optional<Illegal> zeroStage(Case given) {
        int zero = given.plan().zero();
        int most = given.framework().limits().maxZero();
        if (zero <= most) {
            return Optional.empty();
        }
        return illegal(
                "zero",
                given.framework().name() + " has ZeRO stages up to " + most + ", and zero is " + zero,
                "Maybe zero=" + most + ".");
    }

    static Optional<Illegal> zeroWithPipeline(Case given) {
        int zero = given.plan().zero();
        int most = given.framework().limits().maxZeroWithPipeline();
        if (given.plan().pp() == 1 || zero <= most) {
            return Optional.empty();
        }
        return illegal(
                "zero-pipeline",
                given.framework().name() + " has ZeRO stages up to " + most + " beside a pipeline, and zero is " + zero
                        + " with pp=" + given.plan().pp(),
                "Maybe zero=" + most + ", or pp=1.");
    }
}
