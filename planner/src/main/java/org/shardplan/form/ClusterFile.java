package org.shardplan.form;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.shardplan.cluster.Cluster;
import org.shardplan.cluster.Device;
import org.shardplan.cluster.Economics;
import org.shardplan.cluster.LinkLevel;
import org.shardplan.cluster.Torus;
import org.shardplan.units.Printed;

/**
 * A cluster as YAML ({@code shardplan.cluster/1}), both directions. {@code examples/clusters/two-racks.yaml} explains each
 * key; the entries of the catalog are such files too.
 */
public final class ClusterFile {
    static final int MOST_DEVICES = 10_000_000;
    private static final String FORMAT = "shardplan.cluster";

    private ClusterFile() {}

    /** Reads a file. @throws org.shardplan.units.UserError with file, line, field and value */
    public static Cluster read(Path path) {
        return read(YamlTree.text(path), path.toString());
    }

    /** Reads a text; {@code file} names it in messages. */
    public static Cluster read(String text, String file) {
        return Form.of(text, file).cluster();
    }

    /** What a file says before the devices are counted: the catalog fills in another count. */
    record Form(
            String file,
            String name,
            Device device,
            int devices,
            Optional<Torus> torus,
            boolean blockingLaunches,
            String note,
            Fields fields) {
        static Form of(String text, String file) {
            Fields fields = Fields.file(text, file, FORMAT);
            fields.allow(List.of(
                    "name",
                    "device",
                    "nodes",
                    "devices-per-node",
                    "devices",
                    "levels",
                    "torus",
                    "blocking-launches",
                    "note"));
            fields.allow(EconomicsForm.KEYS);
            fields.allow(DisturbanceForm.KEYS);
            fields.done();
            String name = fields.text("name");
            Device device = device(fields);
            int devices = devices(fields);
            boolean blocking = fields.has("blocking-launches") && fields.flag("blocking-launches");
            return new Form(file, name, device, devices, torus(fields), blocking, fields.textOr("note", ""), fields);
        }

        private static Device device(Fields fields) {
            Optional<Fields> described = fields.mapping("device");
            return described.isPresent()
                    ? DeviceFile.read(described.get())
                    : DeviceCatalog.get(fields.text("device", "Maybe device: h100-sxm-80gb."), fields.where("device"));
        }

        private static int devices(Fields fields) {
            if (fields.has("devices")) {
                if (fields.has("nodes") || fields.has("devices-per-node")) {
                    throw fields.error(
                            "devices", "the count is given twice (nodes, devices-per-node)", "Maybe delete this one.");
                }
                return fields.count("devices", 1, MOST_DEVICES);
            }
            int perNode = fields.count("devices-per-node", 1, 100_000);
            int nodes = fields.count("nodes", 1, MOST_DEVICES);
            if ((long) nodes * perNode > MOST_DEVICES) {
                throw fields.error(
                        "nodes",
                        Printed.count((long) nodes * perNode) + " devices in all; at most "
                                + Printed.count(MOST_DEVICES),
                        "Maybe " + MOST_DEVICES / perNode + ".");
            }
            return nodes * perNode;
        }

        private static Optional<Torus> torus(Fields fields) {
            Optional<Fields> found = fields.mapping("torus");
            if (found.isEmpty()) {
                return Optional.empty();
            }
            Fields torus = found.get();
            boolean both = torus.has("link-both-ways");
            boolean one = torus.has("link-one-way");
            if (both == one) {
                throw torus.error(
                        "link-one-way", both ? "the rate is given twice" : "no rate", "Maybe link-one-way: 45GB/s.");
            }
            double rate = both ? torus.bytesPerSecond("link-both-ways") / 2 : torus.bytesPerSecond("link-one-way");
            List<Integer> shape = torus.counts("shape", 1, 100_000);
            if (shape.isEmpty() || shape.size() > 3) {
                throw torus.error("shape", shape.size() + " dimensions", "Maybe [16, 16, 16].");
            }
            int wrap = torus.countOr("wrap", 1, 100_000, 1);
            Torus read = new Torus(shape, rate, torus.seconds("latency", 1e-9, 1), wrap);
            torus.done();
            return Optional.of(read);
        }

        Cluster cluster() {
            return cluster(name, devices, torus);
        }

        /** The same network around another number of devices. */
        Cluster cluster(String as, int count, Optional<Torus> slice) {
            List<LinkLevel> levels = new ArrayList<>();
            int inner = 1;
            boolean innermost = true;
            for (Fields item : fields.mappings("levels")) {
                LinkLevel level = LevelForm.read(item, inner, Math.max(count, inner));
                int joined = innermost && slice.isPresent() ? chips(slice.get(), level, item) : level.degree();
                int degree = Math.min(joined, count);
                if (degree > inner || innermost) {
                    levels.add(withDegree(level, degree));
                }
                inner = Math.max(inner, joined);
                innermost = false;
            }
            check(levels, count);
            int inNode = fields.has("devices-per-node")
                    ? fields.count("devices-per-node", 1, 100_000)
                    : levels.isEmpty() ? 1 : levels.getFirst().degree();
            Economics economics = EconomicsForm.read(fields, Economics.UNKNOWN, inNode);
            List<Cluster.Pool> pools = List.of(new Cluster.Pool(device, count));
            int node = Math.max(1, Math.min(inNode, count));
            return new Cluster(as, pools, levels, slice, note, blockingLaunches, economics)
                    .withDisturbances(DisturbanceForm.read(fields, count, node, levels));
        }

        /** Chips of a slice; the file's own torus must be what its innermost level joins. */
        private int chips(Torus slice, LinkLevel level, Fields item) {
            int chips = TorusShape.chips(slice.shape());
            if (slice.equals(torus.orElseThrow()) && chips != level.degree()) {
                throw item.error(
                        "devices",
                        level.degree() + " devices on a torus of " + slice.shape() + " = " + chips + " chips",
                        "Maybe devices: " + chips + ".");
            }
            return chips;
        }

        private void check(List<LinkLevel> levels, int count) {
            if (count > 1 && levels.isEmpty()) {
                throw fields.error(
                        "levels",
                        Printed.count(count) + " devices and no links between them",
                        "Maybe add a level: name, devices: all, one-way, latency.");
            }
            if (!levels.isEmpty() && levels.getLast().degree() < count) {
                throw fields.error(
                        "levels",
                        "the outermost level joins " + levels.getLast().degree() + " of " + Printed.count(count)
                                + " devices",
                        "Maybe add a level with devices: all.");
            }
            int perNode = fields.countOr("devices-per-node", 1, 100_000, 1);
            if (perNode > 1 && count >= perNode && levels.stream().noneMatch(level -> level.degree() == perNode)) {
                throw fields.error(
                        "devices-per-node",
                        "no level joins the " + perNode + " devices of a node",
                        "Maybe add a level with devices: " + perNode + ".");
            }
            for (LinkLevel level : levels) {
                if (count % level.degree() != 0) {
                    throw fields.error(
                            "levels",
                            "%s joins %d devices, and %s devices are not whole groups of that"
                                    .formatted(level.name(), level.degree(), Printed.count(count)),
                            "Maybe " + Printed.count((long) count / level.degree() * level.degree()) + " devices.");
                }
            }
        }
    }

    static LinkLevel withDegree(LinkLevel level, int degree) {
        return new LinkLevel(
                level.name(),
                degree,
                level.deviceBytesPerSecond(),
                level.latencySeconds(),
                level.linksPerNode(),
                level.efficiency(),
                level.oversubscription(),
                level.inSwitchReduction(),
                level.curve(),
                level.source(),
                level.rails());
    }

    /** The file of a cluster; reading it gives an equal record. Clusters of unlike devices have no form yet. */
    public static String write(Cluster cluster) {
        if (cluster.pools().size() != 1) {
            throw new IllegalArgumentException(cluster.name() + " has unlike devices");
        }
        StringBuilder text = new StringBuilder("format: " + FORMAT + "/1\n");
        text.append("name: ").append(Exact.quoted(cluster.name())).append('\n');
        Device device = cluster.device();
        if (DeviceCatalog.names().contains(device.name())
                && DeviceCatalog.get(device.name()).equals(device)) {
            text.append("device: ").append(device.name()).append("   # see shardplan clusters\n");
        } else {
            text.append("device:\n").append(DeviceFile.write(device, "  "));
        }
        text.append("devices: ").append(cluster.devices()).append('\n');
        if (!cluster.levels().isEmpty()) {
            text.append("levels:   # innermost first\n");
            cluster.levels().forEach(level -> text.append(LevelForm.write(level, cluster.devices())));
        }
        cluster.torus()
                .ifPresent(torus -> text.append("torus:\n  shape: ")
                        .append(torus.shape())
                        .append("\n  link-one-way: ")
                        .append(Exact.bytesPerSecond(torus.linkBytesPerSecond()))
                        .append("\n  latency: ")
                        .append(Exact.seconds(torus.latencySeconds()))
                        .append(torus.wrap() == 1 ? "" : "\n  wrap: " + torus.wrap())
                        .append('\n'));
        text.append(EconomicsForm.write(cluster.economics()));
        text.append(DisturbanceForm.write(cluster.disturbances()));
        if (cluster.blockingLaunches()) {
            text.append("blocking-launches: yes\n");
        }
        if (!cluster.networkEfficiencyNote().isEmpty()) {
            text.append("note: ")
                    .append(Exact.quoted(cluster.networkEfficiencyNote()))
                    .append('\n');
        }
        return text.toString();
    }
}
