package org.shardplan.job;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.shardplan.cluster.Cluster;
import org.shardplan.cluster.Device;
import org.shardplan.form.ClusterCatalog;
import org.shardplan.form.DeviceCatalog;
import org.shardplan.form.Row;
import org.shardplan.units.UserError;

/**
 * Which network a row ran on: its {@code cluster} where the catalog has it, else the table of the {@code interconnect} words
 * that occur (resource {@code interconnects.txt}), else the vendor's reference node of its {@code gpu}.
 */
final class RowNetworks {
    /** A line of the table: all of these words, on a device of this family. */
    private record Words(String family, List<String> words, String cluster, String why) {}

    private static final List<Words> INTERCONNECTS = interconnects();

    private RowNetworks() {}

    /** A cluster, and the rule that chose it. */
    record Choice(Cluster cluster, String rule) {}

    static Choice of(Row row, int gpus) throws RowSkip {
        Row.Machine machine = row.machine();
        if (!DeviceCatalog.names().contains(machine.gpu())) {
            throw new RowSkip(
                    machine.gpu().isEmpty() ? "gpu is blank" : "gpu \"" + machine.gpu() + "\" is not in the catalog");
        }
        Device device = DeviceCatalog.get(machine.gpu());
        if (ClusterCatalog.names().contains(machine.cluster())) {
            Cluster named = sized(machine.cluster(), gpus, slice(row, device));
            if (named.device().name().equals(device.name())) {
                return new Choice(named, "cluster " + machine.cluster() + " of the catalog");
            }
        }
        String words = machine.interconnect().toLowerCase(Locale.ROOT);
        for (Words entry : INTERCONNECTS) {
            if (entry.family.equals(device.family()) && entry.words.stream().allMatch(words::contains)) {
                return new Choice(with(sized(entry.cluster, gpus, 0), device), "interconnect: " + entry.why);
            }
        }
        String reference = ClusterCatalog.referenceNode(device.name())
                .orElseThrow(() -> new RowSkip("no network is known for " + device.name()));
        return new Choice(
                with(sized(reference, gpus, 0), device), "reference node of " + device.name() + ": " + reference);
    }

    /** Chips of a slice, which stands in the column of a node's devices; 0 where there are no slices. */
    private static int slice(Row row, Device device) {
        return device.family().equals("tpu")
                ? (int) Math.min(Integer.MAX_VALUE, row.machine().gpusPerNode().orElse(0))
                : 0;
    }

    /** Whole nodes that hold so many devices, or a part of one node; or slices. */
    private static Cluster sized(String name, int gpus, int slice) throws RowSkip {
        int node = ClusterCatalog.resolve(name).devices();
        try {
            if (slice > 0 && gpus > slice && gpus % slice == 0) {
                return ClusterCatalog.resolve(name + ":" + gpus / slice + "x" + slice);
            }
            return ClusterCatalog.resolve(gpus < node ? name + "/" + gpus : name + ":" + Math.ceilDiv(gpus, node));
        } catch (UserError e) {
            throw new RowSkip(String.valueOf(e.getMessage()));
        }
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
                cluster.networkEfficiencyNote() + " Devices are " + device.name() + ".",
                cluster.blockingLaunches());
    }

    private static List<Words> interconnects() {
        return RowTables.lines("interconnects.txt").stream()
                .map(line -> words(line.split("\\|")))
                .toList();
    }

    private static Words words(String[] cells) {
        List<String> words = Arrays.stream(cells[1].toLowerCase(Locale.ROOT).split(","))
                .map(String::strip)
                .toList();
        return new Words(cells[0].strip(), words, cells[2].strip(), cells[3].strip());
    }
}
