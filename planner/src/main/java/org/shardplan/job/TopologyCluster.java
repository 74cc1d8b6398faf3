package org.shardplan.job;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.shardplan.cluster.Cluster;
import org.shardplan.cluster.Device;
import org.shardplan.cluster.LinkLevel;
import org.shardplan.form.ClusterCatalog;
import org.shardplan.form.DeviceCatalog;
import org.shardplan.read.NodeTopology;
import org.shardplan.read.NvLinkGeneration;
import org.shardplan.read.SlurmTopology;
import org.shardplan.units.Printed;
import org.shardplan.units.UserError;

/**
 * A cluster from what machines print. What no such file says (efficiency, latency) is taken from the vendor's usual node around
 * the device, and said so; what can't be taken from anywhere is asked for.
 */
final class TopologyCluster {
    private static final int MOST_DEVICES = 10_000_000;
    /** PCIe levels of the catalog are through the CPU; this one stands in for a device that has none. */
    private static final String PCIE_NODE = "a100-pcie";

    private final TopologySettings settings;
    private final List<String> missing = new ArrayList<>();
    private final List<String> asked = new ArrayList<>();

    TopologyCluster(Map<String, String> settings) {
        this.settings = new TopologySettings(settings);
    }

    /** From a node's own file, and Slurm's where there is one. @throws UserError that lists all that is missing */
    Cluster of(NodeTopology node, Optional<SlurmTopology> switches) {
        List<String> notes = new ArrayList<>(node.remarks());
        int nodes = nodes(switches);
        Optional<Device> device = device(node);
        double nic = nic(node.nicBytesPerSecond(), nodes);
        int nics = settings.has("nics") ? settings.whole("nics", 10_000) : node.nics();
        if (nodes > 1 && nics == 0) {
            need("how many NICs a node has", "nics=8");
        }
        double pcie = pcie(node, device);
        if (!missing.isEmpty()) {
            throw new UserError(
                    node.file() + " says: " + said(node) + ". It does not say " + String.join("; nor ", missing),
                    "Maybe --cluster " + node.file()
                            + switches.map(file -> "," + file.file()).orElse("")
                            + settings.words()
                            + asked.stream().map(each -> "," + each).collect(Collectors.joining()));
        }
        Device found = device.orElseThrow();
        List<LinkLevel> levels = new ArrayList<>(inside(node, found, pcie, notes));
        if (nodes > 1) {
            levels.addAll(between(usual(found), nics * nic / node.gpus(), nics, node.gpus(), nodes, switches, notes));
        }
        String name = stem(node.file())
                + switches.map(file -> "+" + stem(file.file())).orElse("");
        return cluster(name, found, node.gpus(), nodes, levels, notes);
    }

    /** A node of the catalog between Slurm's switches. */
    Cluster of(Optional<String> base, SlurmTopology switches) {
        Cluster node = ClusterCatalog.resolve(base.orElseThrow(() -> new UserError(
                switches.file() + " says: " + switches.nodes()
                        + " nodes. It does not say what a node is: devices, memory, links, NICs",
                "Maybe --cluster dgx-h100," + switches.file()
                        + ", or beside it a file that nvidia-smi topo -m printed on a node")));
        for (String key : settings.keys()) {
            if (!key.equals("oversubscription")) {
                throw new UserError(
                        "--cluster: " + key + " is said by " + node.name() + " itself", "Maybe leave it out.");
            }
        }
        int gpus = node.devices();
        LinkLevel outer = outer(base.orElse(""), gpus);
        List<String> notes = new ArrayList<>();
        List<LinkLevel> levels = new ArrayList<>(
                node.levels().stream().filter(level -> level.degree() <= gpus).toList());
        double rate = outer.deviceBytesPerSecond();
        levels.addAll(between(outer, rate, outer.linksPerNode(), gpus, switches.nodes(), Optional.of(switches), notes));
        String name = base.orElse("").replaceFirst("[:/].*", "") + "+" + stem(switches.file());
        return cluster(name, node.device(), gpus, switches.nodes(), levels, notes);
    }

    /** The network around two nodes of the catalog. */
    private static LinkLevel outer(String base, int gpus) {
        if (!base.matches("[a-z0-9.-]+(:1)?")) {
            throw new UserError(
                    "--cluster " + base + ": how many nodes there are is said by the switches",
                    "Maybe " + base.replaceFirst("[:/].*", "") + ", one node.");
        }
        Cluster two = ClusterCatalog.resolve(base.replaceFirst(":1$", "") + ":2");
        LinkLevel last = two.levels().getLast();
        if (last.degree() <= gpus || two.torus().isPresent()) {
            throw new UserError("--cluster " + base + " has no network between nodes", "Maybe dgx-h100.");
        }
        return last;
    }

    private static Cluster cluster(
            String name, Device device, int gpus, int nodes, List<LinkLevel> levels, List<String> notes) {
        if ((long) gpus * nodes > MOST_DEVICES) {
            throw new UserError(
                    name + ": " + Printed.count((long) gpus * nodes) + " devices; at most "
                            + Printed.count(MOST_DEVICES),
                    "Maybe fewer nodes.");
        }
        return new Cluster(
                name,
                List.of(new Cluster.Pool(device, gpus * nodes)),
                levels,
                Optional.empty(),
                String.join("; ", notes));
    }

    private int nodes(Optional<SlurmTopology> switches) {
        if (switches.isEmpty()) {
            return settings.has("nodes") ? settings.whole("nodes", MOST_DEVICES) : 1;
        }
        if (settings.has("nodes")) {
            throw new UserError(
                    "--cluster: nodes=" + settings.get("nodes") + ", and "
                            + switches.get().file() + " has " + switches.get().nodes(),
                    "Maybe leave nodes out.");
        }
        return switches.get().nodes();
    }

    private Optional<Device> device(NodeTopology node) {
        Optional<String> family = NvLinkGeneration.family(node.computeCapability());
        String name = settings.get("device");
        if (name == null) {
            List<String> fitting = DeviceCatalog.names().stream()
                    .filter(each -> fits(node, DeviceCatalog.get(each), family))
                    .toList();
            List<String> exact = fitting.stream()
                    .filter(each -> node.island() > 1
                            && node.linksPerGpu(links(DeviceCatalog.get(each))) == links(DeviceCatalog.get(each)))
                    .toList();
            fitting = exact.isEmpty() ? fitting : exact;
            need(
                    "which device they are (memory, arithmetic): "
                            + (fitting.isEmpty()
                                    ? "none of the catalog fits"
                                    : "it may be " + String.join(", ", fitting)),
                    "device=" + (fitting.isEmpty() ? "h100-sxm-80gb" : fitting.getFirst()));
            return Optional.empty();
        }
        Device device = DeviceCatalog.get(name);
        if (!fits(node, device, family)) {
            throw new UserError(
                    "--cluster: device=" + name + " is not what " + node.file() + " describes: " + said(node),
                    "Maybe leave device out: the message names those that fit.");
        }
        return Optional.of(device);
    }

    private static boolean fits(NodeTopology node, Device device, Optional<String> family) {
        if (family.isPresent() && !family.get().equals(device.family())) {
            return false;
        }
        if (node.island() <= 1) {
            return !device.family().equals("tpu") && !device.family().equals("cpu");
        }
        return node.pairLinks() <= links(device);
    }

    /** NVLinks of a device at most: of its usual node where that has them (export parts have fewer), else of its family; 0 = none. */
    private static int links(Device device) {
        Optional<NvLinkGeneration> generation = NvLinkGeneration.ofFamily(device.family());
        LinkLevel usual = usualInside(device);
        return generation
                .map(each -> usual.name().equals("nvlink")
                        ? (int) Math.round(usual.deviceBytesPerSecond() / each.linkBytesPerSecond())
                        : each.links())
                .orElse(0);
    }

    private double nic(double said, int nodes) {
        boolean one = settings.has("nic-one-way");
        boolean both = settings.has("nic-both-ways");
        if (one && both) {
            throw new UserError("--cluster: the NICs' rate is given twice", "Maybe delete nic-both-ways.");
        }
        if (one || both) {
            String key = one ? "nic-one-way" : "nic-both-ways";
            return settings.rate(key) / (one ? 1 : 2);
        }
        if (nodes > 1 && Double.isNaN(said)) {
            need("how fast a NIC is", "nic-one-way=400Gbit/s");
        }
        return said;
    }

    /** Of one GPU, one way; NaN where NVLinks join all of them. */
    private double pcie(NodeTopology node, Optional<Device> device) {
        if (settings.has("pcie-one-way")) {
            return settings.rate("pcie-one-way");
        }
        if (node.island() == 0 || node.island() == node.gpus() || !Double.isNaN(node.pcieBytesPerSecond())) {
            return node.pcieBytesPerSecond();
        }
        double usual = device.flatMap(each -> ClusterCatalog.referenceNode(each.name()))
                .map(name -> ClusterCatalog.resolve(name + ":1").levels().getFirst())
                .filter(level -> level.name().equals("pcie"))
                .map(LinkLevel::deviceBytesPerSecond)
                .orElse(Double.NaN);
        if (Double.isNaN(usual) && device.isPresent()) {
            need("how fast a GPU's PCIe link is", "pcie-one-way=32GB/s");
        }
        return usual;
    }

    private List<LinkLevel> inside(NodeTopology node, Device device, double pcie, List<String> notes) {
        List<LinkLevel> levels = new ArrayList<>();
        if (node.gpus() == 1) {
            return List.of(level("device", 1, usualInside(device), pcie > 0 ? pcie : 1e9, 0, 1, "one device", false));
        }
        if (node.island() == 0) {
            LinkLevel usual = usualInside(device);
            notes.add("how GPUs are joined is not said by " + node.file() + ": as in the catalog's usual node");
            double rate = usual.deviceBytesPerSecond();
            return List.of(
                    level(usual.name(), node.gpus(), usual, rate, 0, 1, usual.source(), usual.degree() == node.gpus()));
        }
        if (node.island() > 1) {
            NvLinkGeneration generation =
                    NvLinkGeneration.ofFamily(device.family()).orElseThrow();
            int links = node.linksPerGpu(links(device));
            double rate = links * generation.linkBytesPerSecond();
            LinkLevel usual = usualInside(device);
            boolean same = usual.degree() == node.island() && Math.abs(usual.deviceBytesPerSecond() / rate - 1) < 0.01;
            String source = "%s: %d NVLinks of %s one way a GPU (%s); latency and efficiency as in the catalog: %s"
                    .formatted(
                            node.file(),
                            links,
                            Printed.bytesPerSecond(generation.linkBytesPerSecond()),
                            generation.source(),
                            usual.source());
            levels.add(level("nvlink", node.island(), usual, rate, 0, 1, source, same));
        }
        if (node.island() < node.gpus()) {
            LinkLevel usual = usualInside(device);
            LinkLevel like = usual.name().equals("pcie")
                    ? usual
                    : ClusterCatalog.resolve(PCIE_NODE + ":1").levels().getFirst();
            notes.add("GPUs are joined by PCIe: switches, host bridges and sockets are not told apart");
            String source = node.file() + ": PCIe; latency and efficiency as in the catalog: " + like.source();
            boolean same = like == usual && like.degree() == node.gpus();
            levels.add(level("pcie", node.gpus(), like, pcie, 0, 1, source, same));
        }
        return levels;
    }

    /** The innermost level of the vendor's usual node. */
    private static LinkLevel usualInside(Device device) {
        return ClusterCatalog.resolve(
                        ClusterCatalog.referenceNode(device.name()).orElse(PCIE_NODE) + ":1")
                .levels()
                .getFirst();
    }

    /** The network around the vendor's usual node. */
    private static LinkLevel usual(Device device) {
        return ClusterCatalog.resolve(
                        ClusterCatalog.referenceNode(device.name()).orElse(PCIE_NODE) + ":2")
                .levels()
                .getLast();
    }

    private List<LinkLevel> between(
            LinkLevel usual,
            double deviceRate,
            int nics,
            int gpus,
            int nodes,
            Optional<SlurmTopology> switches,
            List<String> notes) {
        List<Integer> tiers = switches.map(SlurmTopology::tiers).orElse(List.of(nodes));
        switches.ifPresent(file -> notes.addAll(file.remarks()));
        List<Double> over = settings.oversubscription(tiers.size());
        if (switches.isPresent() && over.isEmpty()) {
            notes.add("full bisection is assumed between switches; oversubscription=2 says otherwise");
        }
        List<LinkLevel> levels = new ArrayList<>();
        for (int i = 0; i < tiers.size(); i++) {
            if (tiers.get(i) == 1) {
                continue;
            }
            double share = i == 0 || over.isEmpty() ? 1 : over.get(Math.min(i, over.size()) - 1);
            String source =
                    switches.map(file -> file.file() + ": a switch joins ").orElse("") + tiers.get(i)
                            + " nodes; latency and efficiency as in the catalog: " + usual.source();
            String name = switches.isEmpty() ? usual.name() : usual.name() + "-" + (i + 1);
            levels.add(level(name, tiers.get(i) * gpus, usual, deviceRate, nics, share, source, false));
        }
        return levels;
    }

    private static LinkLevel level(
            String name,
            int degree,
            LinkLevel usual,
            double rate,
            int nics,
            double oversubscription,
            String source,
            boolean same) {
        return new LinkLevel(
                name,
                degree,
                rate,
                usual.latencySeconds(),
                nics,
                usual.efficiency(),
                oversubscription,
                same && usual.inSwitchReduction(),
                same ? usual.curve() : "",
                source,
                false);
    }

    private void need(String what, String setting) {
        missing.add(what);
        asked.add(setting);
    }

    private static String said(NodeTopology node) {
        String links = node.island() <= 1
                ? (node.island() == 0 ? "NVLinks not told" : "no NVLinks")
                : node.pairLinks() + " NVLinks between two GPUs"
                        + (node.island() < node.gpus() ? " of " + node.island() : "");
        return node.gpus() + " GPUs, "
                + (node.switched() ? node.pairLinks() + " NVLinks of each GPU into switches" : links) + ", "
                + node.nics() + " NICs"
                + (Double.isNaN(node.nicBytesPerSecond())
                        ? ""
                        : " of " + Printed.bytesPerSecond(node.nicBytesPerSecond()))
                + (node.computeCapability() == 0 ? "" : ", compute capability " + node.computeCapability() / 10.0);
    }

    private static String stem(String file) {
        Path name = Path.of(file).getFileName();
        return name == null ? file : name.toString().replaceFirst("\\.[A-Za-z]+$", "");
    }
}
