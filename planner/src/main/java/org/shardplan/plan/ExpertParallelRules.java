package org.shardplan.plan;

import static org.shardplan.plan.Legality.illegal;

import java.util.Optional;
import java.util.OptionalInt;
import org.shardplan.plan.Legality.Case;
import org.shardplan.plan.Verdict.Illegal;

/** Rules of expert parallelism. */
final class ExpertParallelRules {
    private ExpertParallelRules() {}

    static Optional<Illegal> experts(Case given) {
        if (given.plan().ep() == 1 || given.splits().experts() > 0) {
            return Optional.empty();
        }
        return illegal(
                "experts",
                "ep=" + given.plan().ep() + " shares out experts, and the model has none",
                "Maybe leave ep out.");
    }

    static Optional<Illegal> tensorRanks(Case given) {
        Shorthand plan = given.plan();
        if (plan.etp() == plan.tp() || plan.etp() == 1) {
            return Optional.empty();
        }
        return illegal(
                "expert-tensor",
                "etp=" + plan.etp() + " is neither 1 nor tp=" + plan.tp(),
                "Maybe leave etp out, which is 1, or etp=" + plan.tp() + ".");
    }

    static Optional<Illegal> expertsDivide(Case given) {
        int ep = given.plan().ep();
        long experts = given.splits().experts();
        if (ep == 1 || experts % ep == 0) {
            return Optional.empty();
        }
        return illegal(
                "experts-divide",
                experts + " experts are not a multiple of ep=" + ep,
                Legality.nearest("ep", Divisors.nearest(experts, ep, degree -> ranksAllow(given.plan(), degree))));
    }

    /** The group is whole tensor groups of neighbouring data ranks, or a part of the data ranks where tensor ranks split each expert. */
    static Optional<Illegal> ranksDivide(Case given) {
        Shorthand plan = given.plan();
        if (ranksAllow(plan, plan.ep())) {
            return Optional.empty();
        }
        boolean onTensor = plan.etp() == 1;
        long ranks = (long) plan.parameterRanks() * (onTensor ? plan.tp() : 1);
        String why = onTensor && plan.ep() % plan.tp() != 0
                ? "ep=" + plan.ep() + " is not a multiple of tp=" + plan.tp() + ", and etp is 1"
                : ranks % plan.ep() != 0
                        ? ranks(plan, onTensor) + " is not a multiple of ep=" + plan.ep()
                        : "ep=" + plan.ep() + " is neither whole groups of cp=" + plan.cp()
                                + " ranks nor a part of one";
        OptionalInt nearest = Divisors.nearest(
                ranks,
                plan.ep(),
                degree -> ranksAllow(plan, degree) && given.splits().experts() % degree == 0);
        return illegal("expert-ranks", why, Legality.nearest("ep", nearest));
    }

    private static boolean ranksAllow(Shorthand plan, int ep) {
        if (ep == 1) {
            return true;
        }
        int tensor = plan.etp() == 1 ? plan.tp() : 1;
        int beside = ep / tensor;
        return ep % tensor == 0
                && plan.parameterRanks() % beside == 0
                && (plan.cp() % beside == 0 || beside % plan.cp() == 0);
    }

    private static String ranks(Shorthand plan, boolean onTensor) {
        boolean context = plan.cp() > 1;
        if (!onTensor && !context) {
            return "dp = " + plan.dp();
        }
        return "dp" + (context ? "·cp" : "") + (onTensor ? "·tp" : "") + " = " + plan.dp()
                + (context ? "·" + plan.cp() : "") + (onTensor ? "·" + plan.tp() : "");
    }

    static Optional<Illegal> meshOrder(Case given) {
        if (given.plan().ep() == 1 || given.plan().order() == MeshOrder.PP_DP_TP) {
            return Optional.empty();
        }
        return illegal(
                "expert-order",
                "ep=" + given.plan().ep() + " needs neighbouring data ranks, and order is "
                        + given.plan().order().text(),
                "Maybe order=" + MeshOrder.PP_DP_TP.text() + ".");
    }

    /** As Megatron-Core asks: without sequence parallelism all tensor ranks would route the same tokens. */
    static Optional<Illegal> sequenceParallel(Case given) {
        Shorthand plan = given.plan();
        boolean needed = given.splits().experts() > 0 && plan.ep() > 1 && plan.tp() > 1;
        if (!needed || plan.sequenceParallel()) {
            return Optional.empty();
        }
        return illegal(
                "experts-sequence",
                "experts on ep=" + plan.ep() + " with tp=" + plan.tp() + " need sp, which shares out their tokens",
                "Maybe add sp, or tp=1.");
    }
}
