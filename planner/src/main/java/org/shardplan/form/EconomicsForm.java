package org.shardplan.form;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.shardplan.cluster.Cluster;
import org.shardplan.cluster.Economics;
import org.shardplan.units.UserError;

/**
 * What running a cluster takes, as keys of its file or as words behind its name ({@code dgx-h100:8,price=2.50USD/h}): {@code price}
 * of a device or {@code node-price}; {@code power} of a device at full load, {@code node-power} of what a node takes beside its
 * devices, {@code pue}; {@code mtbf} of a device or {@code node-mtbf}; {@code restart}, {@code storage}, {@code economics-source}.
 */
public final class EconomicsForm {
    /** Every key. */
    public static final List<String> KEYS = List.of(
            "price",
            "node-price",
            "power",
            "node-power",
            "pue",
            "mtbf",
            "node-mtbf",
            "restart",
            "storage",
            "economics-source");

    private static final double LONGEST = 1e12;

    private EconomicsForm() {}

    /**
     * The cluster with what {@code words} say of it.
     *
     * @throws UserError with the key and value
     */
    public static Cluster with(Cluster cluster, Map<String, String> words) {
        if (words.isEmpty()) {
            return cluster;
        }
        LinkedHashMap<String, YamlNode> entries = new LinkedHashMap<>();
        words.forEach((key, value) -> entries.put(key, new YamlNode.Scalar(value, true, 0)));
        Fields fields = new Fields("--cluster", "", new YamlNode.Mapping(entries, 0));
        return cluster.withEconomics(read(fields, cluster.economics(), cluster.nodeSize()));
    }

    /** @param inNode devices that share a node's price, power and failures */
    static Economics read(Fields fields, Economics before, int inNode) {
        double price = fields.has("price") ? fields.dollarsPerHour("price") : before.dollarsPerDeviceHour();
        if (fields.has("node-price")) {
            once(fields, "price", "node-price");
            price = fields.dollarsPerHour("node-price") / inNode;
        }
        double watts = fields.has("power") ? fields.watts("power") : before.deviceWatts();
        if (fields.has("node-power")) {
            if (!fields.has("power")) {
                throw fields.error(
                        "node-power",
                        "what a node takes beside its devices, and what a device takes is missing",
                        "Maybe add power: 700W.");
            }
            watts += fields.watts("node-power") / inNode;
        }
        double mtbf = fields.has("mtbf") ? fields.seconds("mtbf", 1, LONGEST) : before.deviceMtbfSeconds();
        if (fields.has("node-mtbf")) {
            once(fields, "mtbf", "node-mtbf");
            mtbf = fields.seconds("node-mtbf", 1, LONGEST) * inNode;
        }
        return new Economics(
                price,
                watts,
                fields.numberOr("pue", 1, 10, before.pue()),
                mtbf,
                fields.has("restart") ? fields.seconds("restart", 1e-3, LONGEST) : before.restartSeconds(),
                fields.has("storage") ? fields.bytesPerSecond("storage") : before.storageBytesPerSecond(),
                fields.textOr("economics-source", before.source()));
    }

    private static void once(Fields fields, String device, String node) {
        if (fields.has(device)) {
            throw fields.error(node, "given twice (" + device + " too)", "Maybe delete one of the two.");
        }
    }

    /** The keys that are known, a line each; reading them gives an equal record. */
    static String write(Economics economics) {
        StringBuilder text = new StringBuilder();
        line(
                text,
                "price",
                economics.dollarsPerDeviceHour(),
                Exact.number(known(economics.dollarsPerDeviceHour())),
                "USD/h   # of a device");
        line(
                text,
                "power",
                economics.deviceWatts(),
                Exact.number(known(economics.deviceWatts())),
                "W   # of a device, its part of the node included");
        if (economics.pue() != 1) {
            line(text, "pue", economics.pue(), Exact.number(economics.pue()), "");
        }
        line(
                text,
                "mtbf",
                economics.deviceMtbfSeconds(),
                Exact.number(known(economics.deviceMtbfSeconds())),
                "s   # of a device");
        line(text, "restart", economics.restartSeconds(), Exact.number(known(economics.restartSeconds())), "s");
        line(
                text,
                "storage",
                economics.storageBytesPerSecond(),
                Exact.bytesPerSecond(known(economics.storageBytesPerSecond())),
                "");
        if (!economics.source().isEmpty()) {
            text.append("economics-source: ")
                    .append(Exact.quoted(economics.source()))
                    .append('\n');
        }
        return text.toString();
    }

    private static double known(double value) {
        return Double.isNaN(value) ? 0 : value;
    }

    private static void line(StringBuilder text, String key, double value, String number, String unit) {
        if (!Double.isNaN(value)) {
            text.append(key).append(": ").append(number).append(unit).append('\n');
        }
    }
}
