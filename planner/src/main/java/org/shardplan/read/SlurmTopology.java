package org.shardplan.read;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.shardplan.units.UserError;

/**
 * Slurm's {@code topology.conf}: switches ({@code SwitchName}, {@code Switches}, {@code Nodes}) or blocks ({@code BlockName},
 * {@code Nodes}), after Slurm's manual page topology.conf(5). {@code LinkSpeed} has no unit there and nobody reads it.
 *
 * @param file that said it
 * @param nodes of the cluster
 * @param tiers nodes below one switch of each tier, from the leaves; tiers whose switches are unlike are left out. The last one
 *     joins all nodes where one switch does
 * @param remarks what was left out, and why
 */
public record SlurmTopology(String file, int nodes, List<Integer> tiers, List<String> remarks) {
    private static final int DEEPEST = 16;

    public SlurmTopology {
        tiers = List.copyOf(tiers);
        remarks = List.copyOf(remarks);
    }

    /** One line: a switch and what hangs on it. */
    private record Switch(String name, List<String> switches, List<String> nodes, int line) {}

    /** @throws UserError with file, line and value */
    public static SlurmTopology parse(String text, String file) {
        Map<String, Switch> switches = new LinkedHashMap<>();
        Set<String> nodes = new HashSet<>();
        Set<String> below = new HashSet<>();
        Set<String> unread = new HashSet<>();
        int line = 0;
        int first = 1;
        StringBuilder joined = new StringBuilder();
        for (String raw : text.lines().toList()) {
            line++;
            String bare = raw.replaceFirst("#.*", "").strip();
            if (bare.endsWith("\\")) {
                joined.append(bare, 0, bare.length() - 1).append(' ');
                continue;
            }
            Map<String, String> fields = fields(joined + bare, file + ":" + first, unread);
            joined.setLength(0);
            first = line + 1;
            if (!fields.containsKey("switchname") && !fields.containsKey("blockname")) {
                continue;
            }
            Switch found = found(fields, file, line);
            for (String name : found.switches) {
                unique(below.add(name), file, line, "switch " + name);
            }
            for (String name : found.nodes) {
                unique(nodes.add(name), file, line, "node " + name);
            }
            if (switches.put(found.name, found) != null) {
                throw new UserError(
                        file + ":" + line + ": " + found.name + " stands there twice", "Maybe delete one of the two.");
            }
        }
        if (nodes.isEmpty()) {
            throw new UserError(file + ": no switch has Nodes", "Maybe the file is cut off.");
        }
        List<String> remarks = new ArrayList<>();
        if (!unread.isEmpty()) {
            remarks.add(
                    "not read: " + String.join(", ", unread.stream().sorted().toList()));
        }
        return new SlurmTopology(file, nodes.size(), tiers(switches, nodes.size(), file, remarks), remarks);
    }

    private static void unique(boolean added, String file, int line, String what) {
        if (!added) {
            throw new UserError(
                    file + ":" + line + ": " + what + " hangs on two switches; trees alone are read",
                    "Maybe name one of the two.");
        }
    }

    private static Map<String, String> fields(String line, String where, Set<String> unread) {
        Map<String, String> fields = new HashMap<>();
        for (String word : line.isBlank() ? new String[0] : line.strip().split("\\s+", -1)) {
            int equals = word.indexOf('=');
            if (equals < 1 || equals == word.length() - 1) {
                throw new UserError(
                        where + ": \"" + word + "\" is not KEY=VALUE", "Maybe SwitchName=leaf1 Nodes=srv[1-8]");
            }
            String key = word.substring(0, equals);
            String lower = key.toLowerCase(Locale.ROOT);
            if (!List.of("switchname", "blockname", "switches", "nodes").contains(lower)) {
                unread.add(key);
            }
            fields.put(lower, word.substring(equals + 1));
        }
        return fields;
    }

    private static Switch found(Map<String, String> fields, String file, int line) {
        String where = file + ":" + line;
        String name = fields.getOrDefault("switchname", fields.getOrDefault("blockname", ""));
        String switches = fields.getOrDefault("switches", "");
        String nodes = fields.getOrDefault("nodes", "");
        if (switches.isEmpty() == nodes.isEmpty()) {
            throw new UserError(
                    where + ": " + name + " has " + (nodes.isEmpty() ? "neither" : "both") + " Switches and Nodes",
                    "Maybe the line is cut off.");
        }
        return new Switch(
                name,
                switches.isEmpty() ? List.of() : HostList.expand(switches, where),
                nodes.isEmpty() ? List.of() : HostList.expand(nodes, where),
                line);
    }

    private static List<Integer> tiers(Map<String, Switch> switches, int nodes, String file, List<String> remarks) {
        Map<Integer, List<Integer>> sizes = new TreeMap<>();
        for (Switch each : switches.values()) {
            int height = height(each, switches, file, 0);
            sizes.computeIfAbsent(height, _ -> new ArrayList<>()).add(size(each, switches));
        }
        List<Integer> tiers = new ArrayList<>();
        for (Map.Entry<Integer, List<Integer>> tier : sizes.entrySet()) {
            int least =
                    tier.getValue().stream().mapToInt(Integer::intValue).min().orElseThrow();
            int most =
                    tier.getValue().stream().mapToInt(Integer::intValue).max().orElseThrow();
            int all = tier.getValue().stream().mapToInt(Integer::intValue).sum();
            if (least < most || all < nodes) {
                remarks.add(
                        least < most
                                ? "tier %d left out: its switches join %d to %d nodes, and a level joins equal groups"
                                        .formatted(tier.getKey(), least, most)
                                : "tier %d left out: its switches join %d of %d nodes"
                                        .formatted(tier.getKey(), all, nodes));
            } else if (tiers.isEmpty() || tiers.getLast() < least) {
                tiers.add(least);
            }
        }
        if (tiers.isEmpty() || tiers.getLast() < nodes) {
            remarks.add("no one switch joins all " + nodes + " nodes: a tier that does is assumed");
            tiers.add(nodes);
        }
        return tiers;
    }

    private static int height(Switch from, Map<String, Switch> switches, String file, int depth) {
        if (depth > DEEPEST) {
            throw new UserError(
                    file + ":" + from.line + ": " + from.name + " hangs below itself, or more than " + DEEPEST
                            + " switches deep",
                    "Maybe a name is repeated in Switches.");
        }
        int height = 1;
        for (String name : from.switches) {
            Switch child = switches.get(name);
            if (child == null) {
                throw new UserError(
                        file + ":" + from.line + ": " + from.name + " joins " + name + ", which has no line",
                        "Maybe the file is cut off.");
            }
            height = Math.max(height, 1 + height(child, switches, file, depth + 1));
        }
        return height;
    }

    private static int size(Switch from, Map<String, Switch> switches) {
        int size = from.nodes.size();
        for (String name : from.switches) {
            size += size(switches.getOrDefault(name, from), switches);
        }
        return size;
    }
}
