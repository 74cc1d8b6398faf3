package org.shardplan.read;

import java.io.StringReader;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.jspecify.annotations.Nullable;
import org.shardplan.units.UserError;

/**
 * NCCL's topology file (what {@code NCCL_TOPO_DUMP_FILE} writes, what {@code NCCL_TOPO_FILE} reads): {@code system} > {@code cpu} >
 * {@code pci} … with {@code gpu} (sm = compute capability) and its {@code nvlink}s (target, count, tclass), {@code nic} and its {@code
 * net}s (speed in Mbit/s). A {@code pci} with nothing in it is told by its class: 0x0302 and 0x0300 a GPU, 0x0207 and 0x0200 a NIC.
 * Nothing outside the file is read: a DTD or an entity of its own is refused.
 */
final class NcclTopology {
    /** PCI class of a bridge, which NVSwitches are. */
    private static final String SWITCH = "0x0680";

    private static final int DEEPEST = 64;
    private static final Pattern SPEED = Pattern.compile("([0-9.]+)\\s*GT/s.*");

    private final String file;
    private final XMLStreamReader xml;
    private final Deque<Pci> path = new ArrayDeque<>();
    private final List<Gpu> gpus = new ArrayList<>();
    private final Map<Double, Integer> nets = new TreeMap<>();
    private int plainNics;
    private @Nullable Gpu current;

    /** An open {@code pci} element. */
    private record Pci(String busId, String type, double bytesPerSecond, int[] inside) {}

    /** A GPU, the links to each target, and those into switches. */
    private record Gpu(
            String busId, int sm, double bytesPerSecond, Map<String, Integer> links, int[] switched, boolean plain) {}

    private NcclTopology(XMLStreamReader xml, String file) {
        this.xml = xml;
        this.file = file;
    }

    /** @throws UserError with the line where it is no such file */
    static NodeTopology parse(String text, String file) {
        XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        factory.setProperty(XMLInputFactory.IS_REPLACING_ENTITY_REFERENCES, false);
        try {
            NcclTopology topology =
                    new NcclTopology(factory.createXMLStreamReader(new StringReader(text.stripLeading())), file);
            topology.elements();
            return topology.result();
        } catch (XMLStreamException e) {
            String what = String.valueOf(e.getMessage())
                    .lines()
                    .reduce((first, last) -> last)
                    .orElse("");
            int line = e.getLocation() == null ? 0 : e.getLocation().getLineNumber();
            throw new UserError(
                    file + ":" + line + ": this is not whole XML: " + what.replaceFirst("^Message: ", ""),
                    "Maybe the file is cut off; NCCL_TOPO_DUMP_FILE=" + file + " writes it.");
        }
    }

    private void elements() throws XMLStreamException {
        boolean root = true;
        while (xml.hasNext()) {
            switch (xml.next()) {
                case XMLStreamConstants.DTD,
                        XMLStreamConstants.ENTITY_REFERENCE,
                        XMLStreamConstants.ENTITY_DECLARATION ->
                    throw error("a DTD or an entity is not allowed here", "Maybe delete it: NCCL writes none.");
                case XMLStreamConstants.START_ELEMENT -> {
                    if (root && !xml.getLocalName().equals("system")) {
                        throw error(
                                "the outermost element is \"" + xml.getLocalName() + "\", not \"system\"",
                                "Maybe it is another kind of file.");
                    }
                    root = false;
                    start(xml.getLocalName());
                }
                case XMLStreamConstants.END_ELEMENT -> end(xml.getLocalName());
                default -> {}
            }
        }
    }

    private void start(String element) {
        switch (element) {
            case "pci" -> {
                if (path.size() >= DEEPEST) {
                    throw error("more than " + DEEPEST + " bridges behind each other", "Maybe the file is broken.");
                }
                path.forEach(outer -> outer.inside[0]++);
                path.push(new Pci(attribute("busid", ""), attribute("class", ""), pcie(), new int[1]));
            }
            case "gpu" -> gpu(whole("sm", 0), false);
            case "nvlink" -> link();
            case "net" -> {
                path.forEach(outer -> outer.inside[0]++);
                double megabits = number("speed");
                nets.merge(megabits > 0 ? megabits : 0, 1, Integer::sum);
            }
            default -> {}
        }
    }

    /** @param plain a PCI device that no gpu element describes */
    private void gpu(int sm, boolean plain) {
        Pci slot = path.peek();
        path.forEach(outer -> outer.inside[0]++);
        Gpu gpu = new Gpu(
                slot == null ? "gpu" + gpus.size() : slot.busId,
                sm,
                slot == null ? Double.NaN : slot.bytesPerSecond,
                new TreeMap<>(),
                new int[1],
                plain);
        gpus.add(gpu);
        current = gpu;
    }

    private void link() {
        Gpu gpu = current;
        if (gpu == null) {
            return; // a switch's own links
        }
        int count = whole("count", 1);
        if (attribute("tclass", "").startsWith(SWITCH)) {
            gpu.switched[0] += count;
        } else {
            gpu.links.merge(attribute("target", ""), count, Integer::sum);
        }
    }

    private void end(String element) {
        if (element.equals("gpu")) {
            current = null;
        }
        if (!element.equals("pci")) {
            return;
        }
        Pci pci = path.pop();
        if (pci.inside[0] > 0) {
            return;
        }
        if (pci.type.startsWith("0x0302") || pci.type.startsWith("0x0300")) {
            path.push(pci);
            gpu(0, true);
            current = null;
            path.pop();
        } else if (pci.type.startsWith("0x0207") || pci.type.startsWith("0x0200")) {
            plainNics++;
        }
    }

    /** Transfers of a lane × lanes, one way; PCIe 1 and 2 send 8 of 10 bits, later ones 128 of 130 (PCI-SIG). */
    private double pcie() {
        Matcher speed = SPEED.matcher(attribute("link_speed", ""));
        String lanes = attribute("link_width", "");
        if (!speed.matches() || !lanes.matches("[0-9]{1,3}") || !speed.group(1).matches("[0-9]{1,4}(\\.[0-9]+)?")) {
            return Double.NaN;
        }
        double transfers = Double.parseDouble(speed.group(1)) * 1e9;
        double rate = transfers * Integer.parseInt(lanes) / 8 * (transfers > 5e9 ? 128.0 / 130 : 0.8);
        return rate > 0 ? rate : Double.NaN;
    }

    private NodeTopology result() {
        if (gpus.isEmpty()) {
            throw new UserError(
                    file + ": no GPU in it: neither a gpu element nor a pci of class 0x0302",
                    "Maybe NCCL_TOPO_DUMP_FILE=" + file + " on a node with GPUs.");
        }
        List<String> remarks = new ArrayList<>();
        boolean switched = gpus.stream().allMatch(gpu -> gpu.switched[0] > 0);
        LinkIslands islands = new LinkIslands(matrix());
        int island = switched ? gpus.size() : islands.size(remarks);
        int intoSwitches = gpus.stream().mapToInt(gpu -> gpu.switched[0]).min().orElse(0);
        boolean any = switched || island > 1;
        double fastest =
                nets.keySet().stream().mapToDouble(Double::doubleValue).max().orElse(0);
        nets.forEach((megabits, count) -> {
            if (megabits < fastest) {
                remarks.add("not counted: %d NIC ports of %.0f Mbit/s".formatted(count, megabits));
            }
        });
        return new NodeTopology(
                file,
                gpus.size(),
                // a file that a cloud ships for NCCL to read names PCI devices alone; NCCL finds the NVLinks itself
                gpus.stream().allMatch(gpu -> gpu.plain) ? 0 : island,
                !any ? 0 : switched ? intoSwitches : islands.pairLinks(),
                !any ? 0 : switched ? intoSwitches : islands.sumLinks(),
                switched,
                gpus.stream().mapToDouble(Gpu::bytesPerSecond).min().orElse(Double.NaN),
                gpus.getFirst().sm,
                nets.isEmpty() ? plainNics : nets.getOrDefault(fastest, 0),
                fastest > 0 ? fastest * 1e6 / 8 : Double.NaN,
                remarks);
    }

    private int[][] matrix() {
        int[][] links = new int[gpus.size()][gpus.size()];
        for (int i = 0; i < gpus.size(); i++) {
            for (int j = 0; j < gpus.size(); j++) {
                links[i][j] = gpus.get(i).links.getOrDefault(gpus.get(j).busId, 0);
            }
        }
        return links;
    }

    private String attribute(String name, String absent) {
        String value = xml.getAttributeValue(null, name);
        return value == null ? absent : value;
    }

    private int whole(String name, int absent) {
        String value = attribute(name, String.valueOf(absent));
        if (!value.matches("[0-9]{1,6}")) {
            throw error(name + "=\"" + value + "\" is not a whole number", "Maybe the file was edited by hand.");
        }
        return Integer.parseInt(value);
    }

    private double number(String name) {
        String value = attribute(name, "0");
        if (!value.matches("-?[0-9]{1,9}(\\.[0-9]+)?")) {
            throw error(name + "=\"" + value + "\" is not a number of Mbit/s", "Maybe the file was edited by hand.");
        }
        return Double.parseDouble(value);
    }

    private UserError error(String what, String maybe) {
        return new UserError(file + ":" + xml.getLocation().getLineNumber() + ": " + what, maybe);
    }
}
