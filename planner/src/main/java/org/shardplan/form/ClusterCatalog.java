package org.shardplan.form;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.shardplan.cluster.Cluster;
import org.shardplan.cluster.Device;
import org.shardplan.cluster.Torus;
import org.shardplan.graph.DataType;
import org.shardplan.units.Printed;
import org.shardplan.units.UserError;

/**
 * The clusters that have a name, and the words that stand for one on the command line: {@code dgx-a100-80gb:128} (nodes),
 * {@code gb200-nvl72:2} (racks of 72), {@code tpu-v4:6144} (chips), {@code tpu-v4:2x3072} (slices of chips), {@code dgx-h100/4} (part of a node), {@code local:4}
 * (ranks on this machine), or a {@code .yaml} file.
 */
public final class ClusterCatalog {
    private static final Catalog FILES = new Catalog("clusters");
    private static final Pattern WORDS = Pattern.compile("([^:/]+)(?::([^/]*))?(?:/(.*))?");
    private static final Map<String, String> REFERENCE = Map.ofEntries(
            Map.entry("v100-sxm-16gb", "p3.16xlarge"),
            Map.entry("v100-sxm-32gb", "dgx-v100"),
            Map.entry("a100-sxm-40gb", "dgx-a100-40gb"),
            Map.entry("a100-sxm-80gb", "dgx-a100-80gb"),
            Map.entry("a100-pcie-80gb", "a100-pcie"),
            Map.entry("a800-sxm-80gb", "dgx-a800"),
            Map.entry("h100-sxm-80gb", "dgx-h100"),
            Map.entry("h100-sxm-96gb-hbm2e", "meta-grandteton"),
            Map.entry("h200-sxm", "dgx-h200"),
            Map.entry("h800-sxm-80gb", "dgx-h800"),
            Map.entry("b200-sxm", "dgx-b200"),
            Map.entry("b300-sxm", "dgx-b300"),
            Map.entry("gb200", "gb200-nvl72"),
            Map.entry("gb300", "gb300-nvl72"),
            Map.entry("l40s", "l40s-pcie"),
            Map.entry("tpu-v3", "tpu-v3"),
            Map.entry("tpu-v4", "tpu-v4"),
            Map.entry("tpu-v5e", "tpu-v5e"),
            Map.entry("tpu-v5p", "tpu-v5p"),
            Map.entry("tpu-v6e", "tpu-v6e"),
            Map.entry("cpu", "local"));

    /** Slices of a TPU generation, each of so many chips. */
    private static final Pattern SLICES = Pattern.compile("(\\d+)x(\\d+)");

    /** Names that a message suggests. */
    private static final int MOST_MEANT = 3;

    /** By the words that stood for them: measured runs name the same few thousands of times. */
    private static final Map<String, Cluster> RESOLVED = new ConcurrentHashMap<>();

    private ClusterCatalog() {}

    /** Names, as in the catalog's order. */
    public static List<String> names() {
        return FILES.names();
    }

    /** What one of a name's count is: its device, how many of them, and the entry's remark. */
    public record Entry(String name, Device device, int unitDevices, String unit, String note) {}

    /** The whole catalog, in order. */
    public static List<Entry> entries() {
        return names().stream().map(ClusterCatalog::entry).toList();
    }

    private static Entry entry(String name) {
        ClusterFile.Form form = form(name);
        boolean single = form.torus().isPresent() || name.equals("local");
        String unit = form.torus().isPresent() ? "chip" : single ? "rank" : form.devices() > 16 ? "rack" : "node";
        return new Entry(name, form.device(), single ? 1 : form.devices(), unit, form.note());
    }

    /** The catalog name whose node is the vendor's usual one around a device; empty where there is none. */
    public static Optional<String> referenceNode(String device) {
        return Optional.ofNullable(REFERENCE.get(device));
    }

    /**
     * The cluster that a word stands for.
     *
     * @throws UserError when there is none: unknown name, a count that is no count, a part larger than its node
     */
    public static Cluster resolve(String words) {
        if (words.matches("(?i).*\\.ya?ml")) {
            return ClusterFile.read(Path.of(words));
        }
        Cluster known = RESOLVED.get(words);
        if (known == null) {
            known = named(words);
            RESOLVED.put(words, known);
        }
        return known;
    }

    private static Cluster named(String words) {
        Matcher matcher = WORDS.matcher(words);
        if (!names().contains(words.replaceFirst("[:/].*", "")) && isPath(words)) {
            throw new UserError(
                    "cluster \"" + words + "\": a file that describes a cluster is YAML and its name ends in .yaml",
                    "Maybe dgx-h100:8, a name with a count; a plan goes to `shardplan simulate` or `explain`.");
        }
        if (!matcher.matches()) {
            throw new UserError("cluster \"" + words + "\" has no name", "Maybe dgx-h100:8.");
        }
        String name = matcher.group(1);
        if (!names().contains(name)) {
            throw unknown(words, name);
        }
        ClusterFile.Form form = form(name);
        Optional<String> part = Optional.ofNullable(matcher.group(3));
        Optional<String> count = Optional.ofNullable(matcher.group(2));
        if (name.equals("local")) {
            return local(words, form, part.isPresent() ? 0 : count(words, "ranks", count.orElse("1"), 4096));
        }
        if (form.torus().isPresent()) {
            return torus(words, form, part, count);
        }
        if (part.isPresent()) {
            return part(words, form, part.get(), count);
        }
        int nodes = count(words, "nodes", count.orElse("1"), ClusterFile.MOST_DEVICES / form.devices());
        return form.cluster(name + ":" + nodes, nodes * form.devices(), Optional.empty());
    }

    private static ClusterFile.Form form(String name) {
        return ClusterFile.Form.of(FILES.text(name), FILES.file(name));
    }

    /** Whether it can only be a place in a file system. */
    private static boolean isPath(String words) {
        boolean ends = words.matches("(?i).*\\.(json|txt|csv|toml|xml|conf|cfg|md|onnx|py)");
        return ends || words.matches("[./~\\\\].*|[A-Za-z]:[/\\\\].*");
    }

    /** Names that share all their words with what was asked, or have its words, or are known by it; else the closest. */
    private static List<String> meant(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        if (names().contains(lower)) {
            return List.of(lower);
        }
        List<String> asked = List.of(lower.split("-"));
        Pattern alone = Pattern.compile("(?i)(?<![\\w-])" + Pattern.quote(lower) + "(?![\\w-])");
        List<Predicate<String>> likeness = List.of(
                known -> known.startsWith(lower),
                known -> asked.size() > 1 && asked.containsAll(List.of(known.split("-"))),
                known -> List.of(known.split("-")).containsAll(asked),
                known -> lower.length() > 2 && alone.matcher(form(known).note()).find());
        for (Predicate<String> alike : likeness) {
            List<String> found =
                    names().stream().filter(alike).limit(MOST_MEANT).toList();
            if (!found.isEmpty()) {
                return found;
            }
        }
        return FILES.meant(lower);
    }

    private static UserError unknown(String words, String name) {
        String rest = words.substring(name.length());
        if (DeviceCatalog.names().contains(name) && REFERENCE.containsKey(name)) {
            return new UserError(
                    "cluster \"" + words + "\": " + name + " is a device, not a cluster",
                    "Maybe " + REFERENCE.get(name) + rest + ", which has that device.");
        }
        List<String> close = meant(name);
        String maybe = close.isEmpty()
                ? "Maybe one that `shardplan clusters` lists, or a .yaml file."
                : "Maybe " + close.stream().map(known -> known + rest).collect(Collectors.joining(" or ")) + ".";
        return new UserError("cluster \"" + words + "\": there is no \"" + name + "\" in the catalog", maybe);
    }

    private static int count(String words, String what, String text, int most) {
        if (!text.matches("[+-]?\\d{1,18}")) {
            throw new UserError(
                    "cluster \"" + words + "\": \"" + text + "\" is not a number of " + what,
                    "Maybe " + words.replaceAll("[:/].*", "") + ":8.");
        }
        long count = Long.parseLong(text);
        if (count < 1 || count > most) {
            throw new UserError(
                    "cluster \"%s\": %s %s; at least 1 and at most %s"
                            .formatted(words, Printed.count(count), what, Printed.count(most)),
                    "Maybe " + words.replaceAll("[:/].*", "") + ":" + (count < 1 ? 1 : most) + ".");
        }
        return (int) count;
    }

    private static Cluster part(String words, ClusterFile.Form form, String part, Optional<String> count) {
        if (count.isPresent()) {
            throw new UserError(
                    "cluster \"" + words + "\": a part is taken of one node, and a count is given too",
                    "Maybe " + form.name() + "/" + part + ", or a .yaml file with smaller nodes.");
        }
        if (!part.matches("\\d{1,9}") || Integer.parseInt(part) < 1 || Integer.parseInt(part) > form.devices()) {
            throw new UserError(
                    "cluster \"%s\": %s is not a part of a node with %d devices".formatted(words, part, form.devices()),
                    "Maybe " + form.name() + "/" + form.devices() + ".");
        }
        int devices = Integer.parseInt(part);
        return form.cluster(form.name() + "/" + devices, devices, Optional.empty());
    }

    private static Cluster torus(String words, ClusterFile.Form form, Optional<String> part, Optional<String> count) {
        if (part.isPresent()) {
            throw new UserError(
                    "cluster \"" + words + "\": TPUs are counted in chips, not in parts of a node",
                    "Maybe " + form.name() + ":" + part.get() + ".");
        }
        Torus pod = form.torus().orElseThrow();
        Matcher named = SLICES.matcher(count.orElse("1"));
        if (named.matches()) {
            return slices(words, form, count(words, "slices", named.group(1), 100_000), named.group(2));
        }
        int chips = count(words, "chips", count.orElse("1"), ClusterFile.MOST_DEVICES);
        int slices = TorusShape.slices(chips, pod.shape());
        if (slices == 0) {
            throw new UserError(
                    "cluster \"%s\": %s chips are not equal slices of a torus within %s"
                            .formatted(words, Printed.count(chips), pod.shape()),
                    "Maybe " + form.name() + ":" + TorusShape.nearest(chips, pod.shape()) + ".");
        }
        Torus slice = pod.withShape(TorusShape.of(chips / slices, pod));
        return form.cluster(form.name() + ":" + chips, chips, Optional.of(slice));
    }

    /** So many slices of so many chips, joined by the data center's network: {@code tpu-v4:2x3072}. */
    private static Cluster slices(String words, ClusterFile.Form form, int slices, String each) {
        Torus pod = form.torus().orElseThrow();
        int chips = count(words, "chips", each, ClusterFile.MOST_DEVICES / slices);
        List<Integer> shape = TorusShape.of(chips, pod);
        if (shape.isEmpty()) {
            throw new UserError(
                    "cluster \"%s\": a slice of %s chips is no torus within %s"
                            .formatted(words, Printed.count(chips), pod.shape()),
                    "Maybe " + form.name() + ":" + slices + "x"
                            + Math.min(TorusShape.chips(pod.shape()), TorusShape.nearest(chips, pod.shape())) + ".");
        }
        String name = form.name() + ":" + slices + "x" + chips;
        return form.cluster(name, slices * chips, Optional.of(pod.withShape(shape)));
    }

    /** Ranks that share one machine: each gets its part of the arithmetic, the memory and its bandwidth. */
    private static Cluster local(String words, ClusterFile.Form form, int ranks) {
        if (ranks == 0) {
            throw new UserError("cluster \"" + words + "\": this machine has no parts", "Maybe local:4.");
        }
        Cluster whole = form.cluster("local:" + ranks, ranks, Optional.empty());
        Device machine = form.device();
        Device rank = new Device(
                machine.name(),
                machine.family(),
                machine.memoryBytes() / ranks,
                machine.usableBytes() / ranks,
                machine.hbmBytesPerSecond() / ranks,
                shared(machine, ranks),
                machine.multiprocessors(),
                machine.flashAttention(),
                machine.kernelTable(),
                machine.source() + "; shared by " + ranks + (ranks == 1 ? " rank" : " ranks"));
        return new Cluster(
                whole.name(),
                List.of(new Cluster.Pool(rank, ranks)),
                whole.levels(),
                whole.torus(),
                whole.networkEfficiencyNote(),
                whole.blockingLaunches(),
                whole.economics(),
                whole.disturbances());
    }

    private static Map<DataType, Double> shared(Device machine, int ranks) {
        return machine.peakFlops().entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, peak -> peak.getValue() / ranks));
    }
}
