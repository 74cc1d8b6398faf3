package org.shardplan.job;

import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.shardplan.cluster.Cluster;
import org.shardplan.search.Campaign;
import org.shardplan.search.Objectives;
import org.shardplan.sim.Prediction;
import org.shardplan.units.ClosestNames;
import org.shardplan.units.Printed;
import org.shardplan.units.Quantity;
import org.shardplan.units.UserError;

/** Limits of {@code --at-most}: {@code step=25s,memory=70GiB,devices=512,days=30}. */
record AtMost(double stepSeconds, long memoryBytes, int devices, double days) {
    private static final java.util.List<String> KEYS = java.util.List.of("step", "memory", "devices", "days");

    static AtMost parse(String text) {
        double step = Double.POSITIVE_INFINITY;
        long memory = Long.MAX_VALUE;
        int devices = Integer.MAX_VALUE;
        double days = Double.POSITIVE_INFINITY;
        Set<String> seen = new HashSet<>();
        for (String part : text.isBlank() ? new String[0] : text.split(",", -1)) {
            String[] pair = part.strip().split("=", 2);
            String where = "--at-most " + pair[0];
            if (pair.length < 2 || pair[1].isBlank()) {
                throw new UserError("--at-most \"" + part.strip() + "\" has no value", "Maybe --at-most \"step=25s\"");
            }
            if (!seen.add(pair[0])) {
                throw new UserError("--at-most has " + pair[0] + " twice", "Maybe one of them should be another limit");
            }
            switch (pair[0]) {
                case "step" -> step = positive(Quantity.parseSeconds(pair[1], where), part);
                case "memory" -> memory = (long) positive(Quantity.parseBytes(pair[1], where), part);
                case "days" -> days = days(pair[1], part);
                case "devices" -> devices = whole(pair[1], part);
                default ->
                    throw new UserError(
                            "--at-most has no limit \"" + pair[0] + "\": it knows " + String.join(", ", KEYS),
                            "Maybe "
                                    + ClosestNames.of(pair[0], KEYS).stream()
                                            .findFirst()
                                            .orElse("step=25s"));
            }
        }
        return new AtMost(step, memory, devices, days);
    }

    private static double positive(double value, String part) {
        if (!(value > 0)) {
            throw new UserError("--at-most " + part.strip() + " is not above 0", "Maybe --at-most \"step=25s\"");
        }
        return value;
    }

    private static int whole(String value, String part) {
        try {
            return (int) positive(Integer.parseInt(value.strip()), part);
        } catch (NumberFormatException notWhole) {
            throw new UserError(
                    "--at-most " + part.strip() + " is not a whole number", "Maybe --at-most \"devices=512\"");
        }
    }

    private static double days(String value, String part) {
        String text = value.strip();
        if (!text.matches("[0-9]{1,9}(\\.[0-9]{1,9})?")) {
            throw new UserError(
                    "--at-most " + part.strip() + " is not a number of days", "Maybe --at-most \"days=30\"");
        }
        return positive(Double.parseDouble(text), part);
    }

    /** The longest step that keeps both limits on time; {@code run} is there where days are limited. */
    double stepSeconds(Optional<Campaign> run, int working) {
        return Math.min(
                stepSeconds,
                run.map(each -> each.stepSecondsWithin(days, working)).orElse(Double.POSITIVE_INFINITY));
    }

    /** The limit on time that a plan breaks, as given. */
    String broken(double step, Optional<Campaign> run) {
        return step > stepSeconds || run.isEmpty() ? "step=" + Printed.seconds(stepSeconds) : "days=" + number(days);
    }

    /** What the plan reaches of it. */
    String reached(Prediction plan, Optional<Campaign> run) {
        return plan.stepSeconds() > stepSeconds || run.isEmpty()
                ? Printed.seconds(plan.stepSeconds())
                : number(run.get().days(plan.stepSeconds(), plan.devices())) + " days";
    }

    /** The limit that the plan would keep. */
    String wider(Prediction plan, Optional<Campaign> run) {
        return plan.stepSeconds() > stepSeconds || run.isEmpty()
                ? "step=" + Printed.seconds(plan.stepSeconds() * 1.005)
                : "days=" + number(run.get().days(plan.stepSeconds(), plan.devices()) * 1.005);
    }

    /** Rounded up, so that what is printed is kept. */
    private static String number(double days) {
        return Double.isInfinite(days) || days > 1e9 ? "many" : String.valueOf(Math.ceil(days * 100) / 100);
    }

    /** The cluster, or as much of it as may be used. */
    Cluster limit(Cluster cluster) {
        return devices >= cluster.devices() ? cluster : Objectives.part(cluster, devices);
    }
}
