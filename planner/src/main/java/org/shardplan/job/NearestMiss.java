package org.shardplan.job;

import java.util.List;
import java.util.Optional;
import org.shardplan.plan.FixedChoices;
import org.shardplan.plan.PlanText;
import org.shardplan.plan.Shorthand;
import org.shardplan.search.Objectives;
import org.shardplan.search.PlanOutcome;
import org.shardplan.search.Problem;
import org.shardplan.search.Score;
import org.shardplan.sim.Prediction;
import org.shardplan.units.Printed;
import org.shardplan.units.UserError;

/** When no plan fits, or none is fast enough: the plan that misses by least, and the nearest change that helps. */
final class NearestMiss {
    private static final int DOUBLINGS = 6;

    private final Setting setting;
    private final Objectives search;
    private final Reporter reporter;
    private final Problem problem;
    private final AtMost atMost;

    NearestMiss(Setting setting, Objectives search, Reporter reporter, Problem problem, AtMost atMost) {
        this.setting = setting;
        this.search = search;
        this.reporter = reporter;
        this.problem = problem;
        this.atMost = atMost;
    }

    PlanOutcome find() {
        Problem anyTime = problem.withStepLimit(Double.POSITIVE_INFINITY).withTop(1);
        Optional<Score> slow = search.time(anyTime).scores().stream().findFirst();
        if (slow.isPresent()) {
            Prediction nearest = reporter.predict(slow.get().plan());
            return new PlanOutcome.NoneWithin(
                    "step=" + Printed.seconds(atMost.stepSeconds()),
                    Printed.seconds(nearest.stepSeconds()),
                    nearest,
                    moreDevices(problem).orElse(""));
        }
        Score tight = leastMemory(anyTime)
                .orElseThrow(() -> new UserError(
                        "no plan of this space is legal: " + problem.graph().layers() + " layers, global batch "
                                + problem.workload().globalBatch() + ", "
                                + problem.cluster().devices() + " devices, "
                                + problem.framework().name(),
                        "Maybe a global batch with more divisors, or fewer fixed choices."));
        Prediction nearest = reporter.predict(tight.plan());
        int stage = worstStage(nearest);
        return new PlanOutcome.NothingFits(nearest, stage, tight.peakBytes(), problem.capacityBytes(), change(anyTime));
    }

    static int worstStage(Prediction prediction) {
        int worst = 0;
        for (int i = 0; i < prediction.stages().size(); i++) {
            if (prediction.stages().get(i).reservedBytes()
                    > prediction.stages().get(worst).reservedBytes()) {
                worst = i;
            }
        }
        return worst;
    }

    /** The plan with the least memory of the space: bisection over capacities beyond what the device has. */
    private Optional<Score> leastMemory(Problem any) {
        long low = any.capacityBytes();
        long high = low;
        Optional<Score> found = Optional.empty();
        for (int i = 0; i < 12 && found.isEmpty(); i++) {
            high = Math.multiplyExact(high, 2);
            found = search.within(any, high);
        }
        while (found.isPresent() && high - low > low / 100) {
            long middle = low + (high - low) / 2;
            Optional<Score> better = search.within(any, middle);
            if (better.isPresent()) {
                found = better;
                high = Math.min(middle, better.get().peakBytes());
            } else {
                low = middle;
            }
        }
        return found;
    }

    private String change(Problem any) {
        if (!any.fixed().equals(FixedChoices.NONE)) {
            Optional<Score> free = search.time(any.withFixed(FixedChoices.NONE)).scores().stream()
                    .findFirst();
            if (free.isPresent()) {
                return "Maybe without --fix: " + PlanText.print(free.get().plan()) + " fits.";
            }
        }
        return moreDevices(any).orElse("Maybe a shorter sequence, a device with more memory, or far more devices.");
    }

    /** How many times the devices it takes. */
    private Optional<String> moreDevices(Problem any) {
        int devices = any.cluster().devices();
        for (int i = 0; i < DOUBLINGS && devices < 1 << 20; i++) {
            devices *= 2;
            Problem larger = any.withCluster(Objectives.part(any.cluster(), devices));
            List<Score> scores = search.time(larger).scores();
            if (!scores.isEmpty()) {
                Shorthand plan = scores.getFirst().plan();
                return Optional.of("Maybe " + Printed.count(devices) + " devices instead of "
                        + Printed.count(setting.cluster().devices()) + ": " + PlanText.print(plan) + " fits there.");
            }
        }
        return Optional.empty();
    }
}
