package org.shardplan.job;

import java.util.HashSet;
import java.util.Set;
import org.shardplan.cluster.Cluster;
import org.shardplan.search.Objectives;
import org.shardplan.units.ClosestNames;
import org.shardplan.units.Quantity;
import org.shardplan.units.UserError;

/** Limits of {@code --at-most}: {@code step=25s,memory=70GiB,devices=512}. */
record AtMost(double stepSeconds, long memoryBytes, int devices) {
    private static final java.util.List<String> KEYS = java.util.List.of("step", "memory", "devices");

    static AtMost parse(String text) {
        double step = Double.POSITIVE_INFINITY;
        long memory = Long.MAX_VALUE;
        int devices = Integer.MAX_VALUE;
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
        return new AtMost(step, memory, devices);
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

    /** The cluster, or as much of it as may be used. */
    Cluster limit(Cluster cluster) {
        return devices >= cluster.devices() ? cluster : Objectives.part(cluster, devices);
    }
}
