package org.shardplan.form;

import java.util.Optional;
import org.shardplan.cluster.LinkLevel;
import org.shardplan.units.ClosestNames;

/**
 * One item of a cluster's {@code levels}. Keys: name, devices (how many one domain joins, or {@code all}), the rate, latency,
 * efficiency, oversubscription, nics, rails, in-switch-reduction, curve, source.
 *
 * <p>A rate says whose it is and which way it counts: {@code one-way} or {@code both-ways} of one device, {@code nic-one-way}
 * or {@code nic-both-ways} of one of the node's {@code nics}, which its devices share.
 */
final class LevelForm {
    private static final String[] RATES = {"one-way", "both-ways", "nic-one-way", "nic-both-ways"};
    private static final String[] OPEN = {"bandwidth", "rate", "speed", "link-bandwidth", "nic-bandwidth"};

    private LevelForm() {}

    /**
     * @param inner devices within one domain of the level below: the node, whose NICs these are
     * @param total devices of the cluster
     */
    static LinkLevel read(Fields fields, int inner, int total) {
        String name = fields.text("name");
        int degree = degree(fields, inner, total);
        int nics = fields.countOr("nics", 1, 10_000, 0);
        double rate = deviceBytesPerSecond(fields, inner, nics);
        LinkLevel level = new LinkLevel(
                name,
                degree,
                rate,
                fields.seconds("latency", 1e-9, 1),
                nics,
                fields.percentOr("efficiency", 0.001, 1, 1),
                fields.numberOr("oversubscription", 1, 1000, 1),
                fields.flagOr("in-switch-reduction", false),
                curve(fields),
                fields.textOr("source", fields.file()),
                fields.flagOr("rails", false));
        fields.done();
        return level;
    }

    /** A device of the catalog, whose measurements there may be. */
    private static String curve(Fields fields) {
        String curve = fields.textOr("curve", "");
        if (curve.isEmpty() || DeviceCatalog.names().contains(curve)) {
            return curve;
        }
        Optional<String> close =
                ClosestNames.of(curve, DeviceCatalog.names()).stream().findFirst();
        throw fields.error(
                "curve",
                "no device \"" + curve + "\" has measured collectives",
                close.map(known -> "Maybe " + known + ".").orElse("Maybe leave it out: rate and latency."));
    }

    private static int degree(Fields fields, int inner, int total) {
        String text = fields.text("devices");
        if (text.equals("all")) {
            return total;
        }
        int degree = fields.count("devices", 1, ClusterFile.MOST_DEVICES);
        if (degree < inner || degree % inner != 0) {
            throw fields.error(
                    "devices",
                    degree + " devices are not whole groups of the level below, which joins " + inner,
                    "Maybe list the levels innermost first.");
        }
        return degree;
    }

    private static double deviceBytesPerSecond(Fields fields, int inner, int nics) {
        for (String open : OPEN) {
            if (fields.keys().contains(open)) {
                String value = fields.text(open);
                throw fields.error(
                        open,
                        value + " does not say whether it counts one way or both",
                        "Maybe both-ways: %s (NVLink's figures count both), one-way: %s, or nic-one-way with nics."
                                .formatted(value, value));
            }
        }
        String given = null;
        for (String key : RATES) {
            if (fields.has(key)) {
                if (given != null) {
                    throw fields.error(
                            key, "the rate is given twice (" + given + " too)", "Maybe delete one of the two.");
                }
                given = key;
            }
        }
        if (given == null) {
            throw fields.error("one-way", "no rate", "Maybe one-way: 450GB/s, or nic-one-way: 400Gbit/s with nics: 8.");
        }
        double rate = fields.bytesPerSecond(given) / (given.endsWith("both-ways") ? 2 : 1);
        if (!given.startsWith("nic-")) {
            return rate;
        }
        if (nics == 0) {
            throw fields.error(given, "how many NICs a node has is missing", "Maybe nics: " + inner + ".");
        }
        return rate * nics / inner;
    }

    static String write(LinkLevel level, int total) {
        StringBuilder text = new StringBuilder();
        text.append("  - name: ").append(level.name()).append('\n');
        line(text, "devices", level.degree() >= total ? "all" : String.valueOf(level.degree()));
        line(text, "one-way", Exact.bytesPerSecond(level.deviceBytesPerSecond()) + "   # of one device");
        if (level.linksPerNode() > 0) {
            line(text, "nics", String.valueOf(level.linksPerNode()));
        }
        line(text, "latency", Exact.seconds(level.latencySeconds()));
        line(text, "efficiency", Exact.percent(level.efficiency()));
        if (level.oversubscription() != 1) {
            line(text, "oversubscription", Exact.number(level.oversubscription()));
        }
        if (level.rails()) {
            line(text, "rails", "yes");
        }
        if (level.inSwitchReduction()) {
            line(text, "in-switch-reduction", "yes");
        }
        if (!level.curve().isEmpty()) {
            line(text, "curve", level.curve());
        }
        line(text, "source", Exact.quoted(level.source()));
        return text.toString();
    }

    private static void line(StringBuilder text, String key, String value) {
        text.append("    ").append(key).append(": ").append(value).append('\n');
    }
}
