package org.shardplan.job;

import java.util.ArrayList;
import java.util.List;
import org.shardplan.plan.PlanText;
import org.shardplan.plan.Recompute;
import org.shardplan.plan.Shorthand;
import org.shardplan.plan.Verdict;
import org.shardplan.sim.Prediction;
import org.shardplan.units.Printed;

/** Of a plan that does not fit: the one change of its choices that fits and costs least time. */
final class NearestChange {
    private NearestChange() {}

    /** A line that starts with "Maybe"; it names the planner where no single change fits. */
    static String of(Setting setting, Shorthand plan, Reporter reporter) {
        String best = "Maybe no single change fits; `shardplan plan` searches all.";
        double bestSeconds = Double.POSITIVE_INFINITY;
        for (Shorthand changed : changes(plan)) {
            if (setting.verdict(changed) instanceof Verdict.Illegal) {
                continue;
            }
            Prediction prediction = reporter.onClock(changed).orElse(null);
            if (prediction != null
                    && prediction.peakBytes() <= setting.capacityBytes()
                    && prediction.stepSeconds() < bestSeconds) {
                bestSeconds = prediction.stepSeconds();
                best = "Maybe " + PlanText.print(changed) + ": it takes " + Printed.bytes(prediction.peakBytes())
                        + " and " + Printed.seconds(bestSeconds) + " a step.";
            }
        }
        return best;
    }

    private static List<Shorthand> changes(Shorthand plan) {
        List<Shorthand> all = new ArrayList<>();
        Neighbours.of(plan).forEach(neighbour -> all.add(neighbour.plan()));
        for (int full = 1; full <= 32; full *= 2) {
            Recompute some = new Recompute(plan.recompute().mode(), full);
            all.add(new PlanEdit(plan).recompute(some).done());
        }
        for (int zero = plan.zero() + 1; zero <= 3; zero++) {
            all.add(new PlanEdit(plan).zero(zero).done());
            all.add(new PlanEdit(plan).zero(zero).recompute(Recompute.FULL).done());
        }
        for (int factor = 4; factor <= 64 && plan.dp() % factor == 0; factor *= 2) {
            all.add(new PlanEdit(plan).tp(plan.tp() * factor).done());
            all.add(new PlanEdit(plan).pp(plan.pp() * factor).done());
        }
        all.add(new PlanEdit(plan).microBatch(1).done());
        all.add(new PlanEdit(plan).microBatch(1).recompute(Recompute.FULL).done());
        return all;
    }
}
