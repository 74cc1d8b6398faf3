package org.shardplan.job;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import org.shardplan.cluster.Cluster;
import org.shardplan.cluster.Device;
import org.shardplan.form.Row;

/**
 * Which network a row ran on: its {@code cluster} where the catalog has it, else the table of the {@code interconnect} words
 * that occur (resource {@code interconnects.txt}), else the vendor's reference node of its {@code gpu} ({@code
 * reference-nodes.txt}).
 */
final class RowNetworks {
    private record Words(String family, List<String> words, String cluster, String why) {}

    private final Function<String, Optional<Device>> devices;
    private final Function<String, Optional<Cluster>> clusters;
    private final List<Words> interconnects;
    private final List<List<String>> references;

    /**
     * @param devices the catalog's device of a name
     * @param clusters the cluster of a catalog name with its count: {@code selene:4}, {@code dgx-h100/4}; empty where the
     *     catalog does not have it
     */
    RowNetworks(Function<String, Optional<Device>> devices, Function<String, Optional<Cluster>> clusters) {
        this.devices = devices;
        this.clusters = clusters;
        this.interconnects = table("interconnects.txt").stream()
                .map(cells -> new Words(
                        cells.get(0),
                        Arrays.stream(cells.get(1).toLowerCase(Locale.ROOT).split(","))
                                .map(String::strip)
                                .toList(),
                        cells.get(2),
                        cells.get(3)))
                .toList();
        this.references = table("reference-nodes.txt");
    }

    /** A cluster, and the rule that chose it. */
    record Choice(Cluster cluster, String rule) {}

    Choice of(Row row, int gpus) throws RowSkip {
        Row.Machine machine = row.machine();
        Device device = devices.apply(machine.gpu())
                .orElseThrow(() -> new RowSkip("gpu \"" + machine.gpu() + "\" is not in the catalog"));
        Optional<Cluster> named = machine.cluster().isEmpty()
                ? Optional.empty()
                : sized(machine.cluster(), gpus)
                        .filter(found -> found.device().name().equals(device.name()));
        if (named.isPresent()) {
            return new Choice(named.get(), "cluster " + machine.cluster() + " of the catalog");
        }
        String words = machine.interconnect().toLowerCase(Locale.ROOT);
        for (Words entry : interconnects) {
            if (entry.family.equals(device.family()) && entry.words.stream().allMatch(words::contains)) {
                Optional<Cluster> found = sized(entry.cluster, gpus);
                if (found.isPresent()) {
                    return new Choice(with(found.get(), device), "interconnect: " + entry.why);
                }
            }
        }
        for (List<String> reference : references) {
            if (reference.get(0).equals(device.name())) {
                Optional<Cluster> found = sized(reference.get(1), gpus);
                if (found.isPresent()) {
                    return new Choice(
                            with(found.get(), device), "reference node of " + device.name() + ": " + reference.get(1));
                }
            }
        }
        throw new RowSkip("no network is known for " + device.name());
    }

    /** Whole nodes that hold so many devices, or a part of one node. */
    private Optional<Cluster> sized(String name, int gpus) {
        Optional<Cluster> one = clusters.apply(name + ":1");
        if (one.isEmpty()) {
            return one;
        }
        int node = one.get().devices();
        return clusters.apply(gpus < node ? name + "/" + gpus : name + ":" + Math.ceilDiv(gpus, node));
    }

    /** The same network with the row's own device in it. */
    private static Cluster with(Cluster cluster, Device device) {
        if (cluster.device().name().equals(device.name())) {
            return cluster;
        }
        return new Cluster(
                cluster.name(),
                List.of(new Cluster.Pool(device, cluster.devices())),
                cluster.levels(),
                cluster.torus(),
                cluster.networkEfficiencyNote() + " Devices are " + device.name() + ".");
    }

    /** Lines of a resource file, cut at its bars; comments and blank lines left out. */
    private static List<List<String>> table(String file) {
        try (InputStream in = RowNetworks.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException("resource " + file + " is missing");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .map(line ->
                            Arrays.stream(line.split("\\|")).map(String::strip).toList())
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
