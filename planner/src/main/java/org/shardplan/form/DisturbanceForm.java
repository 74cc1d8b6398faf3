package org.shardplan.form;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.shardplan.cluster.Cluster;
import org.shardplan.cluster.Disturbances;
import org.shardplan.cluster.Disturbances.Straggler;
import org.shardplan.cluster.LinkLevel;
import org.shardplan.units.ClosestNames;
import org.shardplan.units.UserError;

/**
 * What keeps a cluster from running as its data sheets say, as keys of its file: {@code stragglers} (a list; each has {@code device} or
 * {@code node}, {@code slower}, and {@code link} where not the device but its links of that level are slow), {@code jitter},
 * {@code jitter-seed}, {@code contention}. As words behind a cluster's name the same keys, one straggler as
 * {@code straggler=137:20%}.
 */
public final class DisturbanceForm {
    /** Every key of a file. */
    static final List<String> KEYS = List.of("stragglers", "jitter", "jitter-seed", "contention");

    /** Every word behind a name. */
    public static final List<String> WORDS = List.of("straggler", "jitter", "jitter-seed", "contention");

    /** A thousand times slower: beyond that a device has failed. */
    private static final double MOST_SLOWER = 999;

    private DisturbanceForm() {}

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
        Disturbances before = cluster.disturbances();
        List<Straggler> stragglers = new ArrayList<>(before.stragglers());
        if (fields.has("straggler")) {
            stragglers.add(straggler(fields, cluster.devices()));
        }
        return cluster.withDisturbances(new Disturbances(
                stragglers,
                fields.percentOr("jitter", 0, 10, before.jitter()),
                fields.countOr("jitter-seed", 0, 1_000_000_000, (int) before.jitterSeed()),
                fields.flagOr("contention", before.contention())));
    }

    private static Straggler straggler(Fields fields, int devices) {
        String text = fields.text("straggler");
        int colon = text.indexOf(':');
        if (colon < 0) {
            throw fields.error("straggler", text + " names a device alone", "Maybe straggler=" + text + ":20%");
        }
        LinkedHashMap<String, YamlNode> entries = new LinkedHashMap<>();
        entries.put("device", new YamlNode.Scalar(text.substring(0, colon), true, 0));
        entries.put("slower", new YamlNode.Scalar(text.substring(colon + 1), true, 0));
        return straggler(new Fields("--cluster", "straggler", new YamlNode.Mapping(entries, 0)), devices, 1, List.of());
    }

    /** @param inNode devices of a node */
    static Disturbances read(Fields fields, int devices, int inNode, List<LinkLevel> levels) {
        List<Straggler> stragglers = new ArrayList<>();
        for (Fields item : fields.mappings("stragglers")) {
            stragglers.add(straggler(item, devices, inNode, levels));
            item.done();
        }
        return new Disturbances(
                stragglers,
                fields.percentOr("jitter", 0, 10, 0),
                fields.countOr("jitter-seed", 0, 1_000_000_000, 0),
                fields.flagOr("contention", false));
    }

    private static Straggler straggler(Fields item, int devices, int inNode, List<LinkLevel> levels) {
        boolean node = item.has("node");
        if (node == item.has("device")) {
            throw item.error(
                    "device", node ? "a node is named too" : "which device is slow is missing", "Maybe device: 137.");
        }
        int first = node ? item.count("node", 0, devices / inNode - 1) * inNode : item.count("device", 0, devices - 1);
        double slower = item.percentOr("slower", 0, MOST_SLOWER, Double.NaN);
        if (Double.isNaN(slower)) {
            throw item.error("slower", "how much slower it is is missing", "Maybe slower: 20%.");
        }
        String level = item.textOr("link", "");
        List<String> names = levels.stream().map(LinkLevel::name).toList();
        if (!level.isEmpty() && !names.contains(level)) {
            throw item.error(
                    "link",
                    "no level is called " + level,
                    "Maybe "
                            + ClosestNames.of(level, names).stream()
                                    .findFirst()
                                    .orElse("one of " + String.join(", ", names))
                            + ".");
        }
        return new Straggler(first, node ? inNode : 1, level, slower);
    }

    /** The keys that are known; reading them gives an equal record. */
    static String write(Disturbances disturbances) {
        StringBuilder text = new StringBuilder();
        if (!disturbances.stragglers().isEmpty()) {
            text.append("stragglers:\n");
        }
        for (Straggler straggler : disturbances.stragglers()) {
            for (int i = 0; i < straggler.devices(); i++) {
                text.append("  - device: ").append(straggler.firstDevice() + i).append('\n');
                text.append("    slower: ")
                        .append(Exact.percent(straggler.slower()))
                        .append('\n');
                if (!straggler.level().isEmpty()) {
                    text.append("    link: ").append(straggler.level()).append('\n');
                }
            }
        }
        if (disturbances.jitter() > 0) {
            text.append("jitter: ").append(Exact.percent(disturbances.jitter())).append('\n');
        }
        if (disturbances.jitterSeed() != 0) {
            text.append("jitter-seed: ").append(disturbances.jitterSeed()).append('\n');
        }
        if (disturbances.contention()) {
            text.append("contention: yes\n");
        }
        return text.toString();
    }
}
