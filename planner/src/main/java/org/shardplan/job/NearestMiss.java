package org.shardplan.job;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.shardplan.plan.FixedChoices;
import org.shardplan.plan.PlanText;
import org.shardplan.search.Campaign;
import org.shardplan.search.Objectives;
import org.shardplan.search.PlanOutcome;
import org.shardplan.search.Problem;
import org.shardplan.search.Score;
import org.shardplan.sim.Prediction;
import org.shardplan.units.Printed;
import org.shardplan.units.UserError;

/** When no plan fits, or none is fast enough: the plan that misses by least, and the nearest change that helps. */
final class NearestMiss {
    private static final int MOST_FACTOR = 64;
    private static final int MOST_DEVICES = 1 << 20;
    /** {@code dgx-h100:8}. */
    private static final Pattern COUNTED = Pattern.compile("([\\w.-]+):([0-9]{1,6})");

    private final Setting setting;
    private final Objectives search;
    private final Reporter reporter;
    private final Problem problem;
    private final AtMost atMost;
    private final Optional<Campaign> campaign;

    NearestMiss(
            Setting setting,
            Objectives search,
            Reporter reporter,
            Problem problem,
            AtMost atMost,
            Optional<Campaign> campaign) {
        this.campaign = campaign;
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
                    atMost.broken(nearest.stepSeconds(), campaign),
                    atMost.reached(nearest, campaign),
                    nearest,
                    moreDevices(problem).orElse("Maybe --at-most \"" + atMost.wider(nearest, campaign) + "\"."));
        }
        Optional<Score> least = leastMemory(anyTime);
        if (least.isEmpty() && search.outOfTime()) {
            throw PlanJob.outOfTime("time");
        }
        Score tight = least.orElseThrow(() -> new UserError(
                "no plan of this space is legal: " + problem.graph().layers() + " layers, global batch "
                        + problem.workload().globalBatch() + ", "
                        + problem.cluster().devices() + " devices, "
                        + problem.framework().name(),
                "Maybe a global batch with more divisors, or fewer fixed choices."));
        Prediction nearest = reporter.predict(tight.plan());
        int stage = worstStage(nearest);
        return new PlanOutcome.NothingFits(
                nearest, stage, tight.peakBytes(), problem.capacityBytes(), change(anyTime, nearest));
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

    private String change(Problem any, Prediction nearest) {
        if (nearest.peakBytes() <= setting.capacityBytes()) {
            return "Maybe --at-most \"memory=" + Printed.bytes(nearest.peakBytes() * 1.005) + "\": "
                    + nearest.planText() + " fits then.";
        }
        if (!any.fixed().equals(FixedChoices.NONE)) {
            Optional<Score> free = search.time(any.withFixed(FixedChoices.NONE)).scores().stream()
                    .findFirst();
            if (free.isPresent()) {
                return "Maybe without --fix: " + PlanText.print(free.get().plan()) + " fits.";
            }
        }
        return moreDevices(any).orElse("Maybe a shorter sequence, a device with more memory, or far more devices.");
    }

    /** How many times the devices it takes, as the cluster's name says it. */
    private Optional<String> moreDevices(Problem any) {
        Matcher counted = COUNTED.matcher(setting.cluster().name());
        int nodes = counted.matches() ? Integer.parseInt(counted.group(2)) : 0;
        int devices = any.cluster().devices();
        if (any.cluster().levels().isEmpty()) {
            return Optional.empty(); // a device alone: how more would be linked is not said
        }
        for (int factor = 2;
                factor <= MOST_FACTOR && !search.outOfTime() && (long) devices * factor <= MOST_DEVICES;
                factor *= 2) {
            Problem larger = any.withCluster(Objectives.part(any.cluster(), devices * factor));
            Optional<Score> found =
                    search.time(larger.withTop(1)).scores().stream().findFirst();
            if (found.isPresent()) {
                String count = Printed.count((long) devices * factor) + " devices";
                String words =
                        nodes == 0 || atMost.devices() < setting.cluster().devices()
                                ? count + " instead of " + Printed.count(devices)
                                : "--cluster " + counted.group(1) + ":" + nodes * factor + " (" + count + ")";
                return Optional.of("Maybe " + words + ": "
                        + PlanText.print(found.get().plan()) + " "
                        + (Double.isInfinite(larger.mostStepSeconds()) ? "fits there." : "is fast enough there."));
            }
        }
        return Optional.empty();
    }
}
