package org.shardplan.job;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.shardplan.units.Printed;
import org.shardplan.units.Quantity;
import org.shardplan.units.UserError;

/** What stands beside a topology file on the command line: {@code device=h200-sxm,nic-one-way=400Gbit/s}. */
record TopologySettings(Map<String, String> values) {
    /** What can be set beside the files. */
    static final List<String> KEYS =
            List.of("device", "nodes", "nics", "nic-one-way", "nic-both-ways", "pcie-one-way", "oversubscription");

    boolean has(String key) {
        return values.containsKey(key);
    }

    @Nullable
    String get(String key) {
        return values.get(key);
    }

    Set<String> keys() {
        return values.keySet();
    }

    /** As typed, each behind a comma. */
    String words() {
        return values.entrySet().stream()
                .map(each -> "," + each.getKey() + "=" + each.getValue())
                .collect(Collectors.joining());
    }

    /** Of the tiers above the leaves, {@code 2} for all or {@code 2/4} one by one; empty = not given. */
    List<Double> oversubscription(int tiers) {
        String text = values.get("oversubscription");
        if (text == null) {
            return List.of();
        }
        List<Double> shares = new ArrayList<>();
        for (String part : text.split("/", -1)) {
            double share = part.strip().matches("[0-9]{1,4}(\\.[0-9]{1,6})?") ? Double.parseDouble(part.strip()) : 0;
            if (share < 1 || share > 1000) {
                throw new UserError(
                        "--cluster: oversubscription=" + text + " is not a number of at least 1 for each tier",
                        "Maybe oversubscription=2.");
            }
            shares.add(share);
        }
        if (tiers < 2 || (shares.size() > 1 && shares.size() != tiers - 1)) {
            throw new UserError(
                    "--cluster: oversubscription=" + text + " is for the tiers above the leaves, and there are "
                            + (tiers - 1),
                    tiers < 2 ? "Maybe leave it out." : "Maybe one number for all.");
        }
        return shares;
    }

    double rate(String key) {
        double rate = Quantity.parseBytesPerSecond(values.getOrDefault(key, ""), "--cluster: " + key);
        if (!(rate >= 1e6) || rate > 1e15) {
            throw new UserError(
                    "--cluster: " + key + "=" + values.get(key) + " is no rate of a link",
                    "Maybe check the number and its unit.");
        }
        return rate;
    }

    int whole(String key, int most) {
        String text = values.getOrDefault(key, "");
        int value = text.matches("[0-9]{1,8}") ? Integer.parseInt(text) : 0;
        if (value < 1 || value > most) {
            throw new UserError(
                    "--cluster: " + key + "=" + text + " is not a whole number from 1 to " + Printed.count(most),
                    "Maybe " + key + "=8.");
        }
        return value;
    }
}
