package org.shardplan.search;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.shardplan.plan.ContextParallel;
import org.shardplan.plan.FixedChoices;
import org.shardplan.plan.Legality;
import org.shardplan.plan.MeshOrder;
import org.shardplan.plan.Recompute;
import org.shardplan.plan.ScheduleKind;
import org.shardplan.plan.Shorthand;
import org.shardplan.plan.Verdict;

/**
 * Ways to split sequences that a search looks at: every legal number of ranks that leaves each at least {@link #TOKENS} of a sequence, or as
 * many as it takes to give each device a part of the batch where there are more devices than sequences; with every way of exchange that the
 * framework has. Pinned, any number.
 *
 * <p>Left out is what another plan of the space surpasses. With g a common divisor of cp and the micro-batch, b sequences in cp parts each are,
 * on the same ranks, b/g sequences in cp/g parts each on dp·g data ranks: as many micro-batches, as many tokens a rank, the same groups for parameters
 * and experts, and no more keys to exchange.
 */
final class ContextChoices {
    /** Shorter parts of sequences give kernels too little to do; a rule of the space, not a bound. */
    static final int TOKENS = 2048;

    private final Problem problem;
    private final FixedChoices fixed;
    private final boolean pinned;
    private final Map<Integer, List<ContextParallel>> byTensorRanks = new HashMap<>();

    ContextChoices(Problem problem) {
        this.problem = problem;
        fixed = problem.fixed();
        pinned = fixed.cp().isPresent()
                || fixed.microBatch().isPresent()
                || fixed.dp().isPresent();
    }

    List<ContextParallel> of(int tp, boolean sequenceParallel) {
        long seqLen = problem.workload().seqLen();
        List<ContextParallel> all;
        synchronized (byTensorRanks) {
            all = byTensorRanks.computeIfAbsent(tp, this::legal);
        }
        return !sequenceParallel
                ? all
                : all.stream()
                        .filter(context -> seqLen % ((long) tp * context.ranks()) == 0)
                        .toList();
    }

    private List<ContextParallel> legal(int tp) {
        List<ContextParallel> choices = new ArrayList<>();
        if (fixed.cp().orElse(1) == 1) {
            choices.add(ContextParallel.NONE);
        }
        int least = fixed.cp().orElse(2);
        int most = Math.min(problem.cluster().devices() / tp, fixed.cp().orElse(most()));
        for (int ranks = Math.max(2, least); ranks <= most; ranks++) {
            if (problem.workload().seqLen() % ranks != 0) {
                continue;
            }
            for (String word : problem.framework().sharding().contextTypes()) {
                ContextParallel context =
                        new ContextParallel(ranks, ContextParallel.Type.of(word).orElseThrow());
                boolean type = fixed.contextType().orElse(context.type()) == context.type();
                if (type && isLegal(tp, context)) {
                    choices.add(context);
                }
            }
        }
        return choices;
    }

    private int most() {
        long devices = problem.cluster().devices();
        long parts = Math.max(
                problem.workload().seqLen() / TOKENS,
                Math.ceilDiv(devices, problem.workload().globalBatch()));
        return (int) Math.min(devices, parts);
    }

    /** Checked by the rules themselves, on a plan that nothing else can make illegal. */
    private boolean isLegal(int tp, ContextParallel context) {
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
                        List.of())
                .withContext(context);
        return Legality.check(plan, problem.graph(), problem.workload(), problem.cluster(), problem.framework())
                instanceof Verdict.Fits;
    }

    /** Whether fewer context ranks with fewer sequences a micro-batch, on more data ranks, are another plan of the space and no slower. */
    boolean isSurpassed(int cp, int microBatch, ExpertChoice choice) {
        int common = divisor(cp, microBatch);
        return common > 1 && !pinned && choice.fits(cp / common);
    }

    private static int divisor(int left, int right) {
        return right == 0 ? left : divisor(right, left % right);
    }
}
