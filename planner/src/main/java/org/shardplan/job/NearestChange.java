package org.shardplan.job;

import java.util.ArrayList;
import java.util.List;
import org.shardplan.plan.Legality;
import org.shardplan.plan.PlanText;
import org.shardplan.plan.Recompute;
import org.shardplan.plan.Shorthand;
import org.shardplan.plan.Verdict;
import org.shardplan.units.Printed;

/** Of a plan that does not fit: the one change of its choices that fits and costs least time. */
final class NearestChange {
    private NearestChange() {}

    /** A line that starts with "Maybe", or an empty text where no single change fits. */
    static String of(Setting setting, Shorthand plan, Reporter reporter) {
        String best = "";
        double bestSeconds = Double.POSITIVE_INFINITY;
        for (Shorthand changed : changes(plan)) {
            boolean legal =
                    Legality.check(changed, setting.graph(), setting.workload(), setting.cluster(), setting.framework())
                            instanceof Verdict.Fits;
            if (!legal) {
                continue;
            }
            var prediction = reporter.predict(changed);
            if (prediction.peakBytes() <= setting.capacityBytes() && prediction.stepSeconds() < bestSeconds) {
                bestSeconds = prediction.stepSeconds();
                best = "Maybe " + PlanText.print(changed) + ": it takes " + Printed.bytes(prediction.peakBytes())
                        + " and " + Printed.seconds(bestSeconds) + " a step.";
            }
        }
        return best.isEmpty() ? "Maybe `shardplan plan` finds one that fits." : best;
    }

    private static List<Shorthand> changes(Shorthand plan) {
        List<Shorthand> all = new ArrayList<>();
        all.add(with(plan, plan.tp(), plan.pp(), plan.dp(), plan.microBatch(), plan.zero(), Recompute.SELECTIVE));
        for (int full = 1; full <= 8; full *= 2) {
            Recompute some = new Recompute(plan.recompute().mode(), full);
            all.add(with(plan, plan.tp(), plan.pp(), plan.dp(), plan.microBatch(), plan.zero(), some));
        }
        all.add(with(plan, plan.tp(), plan.pp(), plan.dp(), plan.microBatch(), plan.zero(), Recompute.FULL));
        for (int zero = plan.zero() + 1; zero <= 3; zero++) {
            all.add(with(plan, plan.tp(), plan.pp(), plan.dp(), plan.microBatch(), zero, plan.recompute()));
            all.add(with(plan, plan.tp(), plan.pp(), plan.dp(), plan.microBatch(), zero, Recompute.FULL));
        }
        all.add(with(plan, plan.tp(), plan.pp(), plan.dp(), 1, plan.zero(), plan.recompute()));
        for (int factor = 2; factor <= 8; factor *= 2) {
            if (plan.dp() % factor == 0) {
                int dp = plan.dp() / factor;
                all.add(with(
                        plan, plan.tp() * factor, plan.pp(), dp, plan.microBatch(), plan.zero(), plan.recompute()));
                all.add(with(
                        plan, plan.tp(), plan.pp() * factor, dp, plan.microBatch(), plan.zero(), plan.recompute()));
            }
        }
        return all;
    }

    private static Shorthand with(
            Shorthand plan, int tp, int pp, int dp, int microBatch, int zero, Recompute recompute) {
        boolean samePipeline = pp == plan.pp();
        return new Shorthand(
                tp,
                pp,
                plan.vpp(),
                dp,
                microBatch,
                plan.sequenceParallel(),
                zero,
                recompute,
                plan.schedule(),
                plan.order(),
                samePipeline ? plan.layout() : List.of(),
                List.of());
    }
}
