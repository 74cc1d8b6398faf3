package org.shardplan.form;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.shardplan.units.ClosestNames;
import org.shardplan.units.Quantity;
import org.shardplan.units.UserError;

/**
 * One mapping of a YAML file while it is read: typed access to its keys, each checked against a range. Every message names
 * file, line, field and value. {@link #done} refuses keys that nobody asked for and names the closest one that exists.
 */
final class Fields {
    private final String file;
    private final String path;
    private final YamlNode.Mapping mapping;
    private final Set<String> known = new LinkedHashSet<>();

    Fields(String file, String path, YamlNode.Mapping mapping) {
        this.file = file;
        this.path = path;
        this.mapping = mapping;
    }

    /** Checks {@code format: name/major}; only major 1 exists. */
    static Fields file(String text, String file, String format) {
        Fields fields = new Fields(file, "", YamlTree.parse(text, file));
        String wanted = format + "/1";
        String found = fields.text("format", "Maybe the first line should be: format: " + wanted);
        if (!found.equals(wanted)) {
            throw fields.error(
                    "format", "\"" + found + "\" is not a format that is read here", "Maybe " + wanted + ".");
        }
        return fields;
    }

    /** Where this mapping stands in its file, for example {@code overlap.gradient-reduce}. */
    String path() {
        return path;
    }

    String file() {
        return file;
    }

    boolean has(String key) {
        known.add(key);
        return mapping.entries().containsKey(key);
    }

    /** Says that keys exist without reading them. */
    void allow(List<String> keys) {
        known.addAll(keys);
    }

    String text(String key, String maybe) {
        YamlNode node = find(key);
        if (node == null) {
            throw new UserError(file + ":" + mapping.line() + ": " + name(key) + " is missing", maybe);
        }
        if (node instanceof YamlNode.Scalar scalar && !scalar.text().isBlank()) {
            return scalar.text().strip();
        }
        throw error(key, node.kind() + " is not a value", maybe);
    }

    String text(String key) {
        return text(key, "Maybe add it: see examples/clusters/two-racks.yaml.");
    }

    String textOr(String key, String absent) {
        return has(key) ? text(key) : absent;
    }

    boolean flag(String key) {
        String text = text(key);
        return switch (text) {
            case "yes", "true" -> true;
            case "no", "false" -> false;
            default -> throw error(key, "\"" + text + "\" is neither yes nor no", "Maybe yes.");
        };
    }

    boolean flagOr(String key, boolean absent) {
        return has(key) ? flag(key) : absent;
    }

    int count(String key, int least, int most) {
        String text = text(key);
        if (!text.matches("[+-]?\\d+")) {
            throw error(key, "\"" + text + "\" is not a whole number", "Maybe " + Math.max(least, 8) + ".");
        }
        boolean longs = text.length() <= 18;
        return (int) within(key, text, longs ? Long.parseLong(text) : Double.POSITIVE_INFINITY, least, most);
    }

    int countOr(String key, int least, int most, int absent) {
        return has(key) ? count(key, least, most) : absent;
    }

    /** A bare number: only for what has no unit (ratios, factors). */
    double number(String key, double least, double most) {
        String text = text(key);
        if (!text.matches("[+-]?\\d+(\\.\\d+)?([eE][+-]?\\d{1,3})?")) {
            throw error(key, "\"" + text + "\" is not a number", "Maybe 1.");
        }
        return within(key, text, Double.parseDouble(text), least, most);
    }

    double numberOr(String key, double least, double most, double absent) {
        return has(key) ? number(key, least, most) : absent;
    }

    long bytes(String key, double least, double most) {
        String text = text(key);
        return (long) within(key, text, Quantity.parseBytes(text, where(key)), least, most);
    }

    double bytesPerSecond(String key) {
        String text = text(key);
        return within(key, text, Quantity.parseBytesPerSecond(text, where(key)), 1e5, 1e15);
    }

    double seconds(String key, double least, double most) {
        String text = text(key);
        return within(key, text, Quantity.parseSeconds(text, where(key)), least, most);
    }

    double watts(String key) {
        String text = text(key);
        return within(key, text, Quantity.parseWatts(text, where(key)), 1e-3, 1e9);
    }

    double dollarsPerHour(String key) {
        String text = text(key);
        return within(key, text, Quantity.parseDollarsPerHour(text, where(key)), 1e-6, 1e9);
    }

    double flopsPerSecond(String key) {
        String text = text(key);
        return within(key, text, Quantity.parseFlopsPerSecond(text, where(key)), 1e6, 1e19);
    }

    double percentOr(String key, double least, double most, double absent) {
        if (!has(key)) {
            return absent;
        }
        String text = text(key);
        return within(key, text, Quantity.parsePercent(text, where(key)), least, most);
    }

    /** The mapping under a key; empty where the key is absent or holds a scalar. */
    Optional<Fields> mapping(String key) {
        return find(key) instanceof YamlNode.Mapping inner
                ? Optional.of(new Fields(file, name(key), inner))
                : Optional.empty();
    }

    Fields needMapping(String key) {
        return mapping(key).orElseThrow(() -> {
            YamlNode node = find(key);
            return node == null
                    ? new UserError(
                            file + ":" + mapping.line() + ": " + name(key) + " is missing",
                            "Maybe add it: see examples/clusters/two-racks.yaml.")
                    : error(key, node.kind() + " where keys belong", "Maybe indent the lines below it.");
        });
    }

    /** The mappings of a list; empty where the key is absent. */
    List<Fields> mappings(String key) {
        List<Fields> list = new ArrayList<>();
        for (YamlNode item : items(key)) {
            String name = name(key) + "[" + list.size() + "]";
            if (!(item instanceof YamlNode.Mapping inner)) {
                throw new UserError(
                        file + ":" + item.line() + ": " + name + ": " + item.kind() + " where keys belong",
                        "Maybe begin each item with \"- name: …\".");
            }
            list.add(new Fields(file, name, inner));
        }
        return list;
    }

    /** The texts of a list, at least one; a value alone is a list of one. */
    List<String> texts(String key) {
        if (find(key) == null || find(key) instanceof YamlNode.Scalar) {
            return List.of(text(key, "Maybe add it: see examples/sweep/cheapest.yaml."));
        }
        List<String> list = new ArrayList<>();
        for (YamlNode item : items(key)) {
            if (!(item instanceof YamlNode.Scalar scalar) || scalar.text().isBlank()) {
                throw error(key, item.kind() + " where a word belongs", "Maybe begin each item with \"- \".");
            }
            list.add(scalar.text().strip());
        }
        if (list.isEmpty()) {
            throw error(key, "the list is empty", "Maybe see examples/sweep/cheapest.yaml.");
        }
        return list;
    }

    /** The whole numbers of a list. */
    List<Integer> counts(String key, int least, int most) {
        List<Integer> list = new ArrayList<>();
        for (YamlNode item : items(key)) {
            String text = item instanceof YamlNode.Scalar scalar ? scalar.text() : item.kind();
            if (!text.matches("\\d{1,9}")) {
                throw error(key, text + " is not a whole number", "Maybe [16, 16, 16].");
            }
            list.add((int) within(key, text, Integer.parseInt(text), least, most));
        }
        return list;
    }

    Set<String> keys() {
        return mapping.entries().keySet();
    }

    /** Refuses keys that were never asked for. */
    void done() {
        for (String key : mapping.entries().keySet()) {
            if (!known.contains(key)) {
                throw error(
                        key,
                        "there is no such key",
                        ClosestNames.of(key, known).stream()
                                .findFirst()
                                .map(close -> "Maybe " + close + ".")
                                .orElse("Maybe one of: " + String.join(", ", known) + "."));
            }
        }
    }

    /** {@code file:line: path.key}. */
    String where(String key) {
        YamlNode node = mapping.entries().get(key);
        int line = node == null ? mapping.line() : node.line();
        return file + (line == 0 ? "" : ":" + line) + ": " + name(key); // words of the command line have no lines
    }

    UserError error(String key, String what, String maybe) {
        return new UserError(where(key) + ": " + what, maybe);
    }

    private List<YamlNode> items(String key) {
        YamlNode node = find(key);
        if (node == null) {
            return List.of();
        }
        if (node instanceof YamlNode.Sequence sequence) {
            return sequence.items();
        }
        throw error(key, node.kind() + " where a list belongs", "Maybe begin each item with \"- \".");
    }

    private @Nullable YamlNode find(String key) {
        known.add(key);
        return mapping.entries().get(key);
    }

    private String name(String key) {
        return path.isEmpty() ? key : path + "." + key;
    }

    private double within(String key, String text, double value, double least, double most) {
        if (value >= least && value <= most) {
            return value;
        }
        String fault = value < 0 ? "negative" : value == 0 ? "zero" : value < least ? "too small" : "too large";
        throw error(key, text + " is " + fault, "Maybe check the number and its unit.");
    }
}
