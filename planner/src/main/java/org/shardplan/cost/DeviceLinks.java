package org.shardplan.cost;

import java.util.ArrayList;
import java.util.List;
import org.shardplan.cluster.Cluster;
import org.shardplan.cluster.LinkLevel;
import org.shardplan.cluster.Torus;
import org.shardplan.program.GroupPattern;
import org.shardplan.program.Task.CollectiveKind;

/**
 * The links of one device, and how long a message keeps them busy: one link a level of the network, the device's own share of it as
 * {@link CollectiveModel} counts it; a torus has one a dimension. Since every device keeps to its share, what a node's cards, a rail or
 * a spine carry for all of them is never more than these have.
 *
 * <p>What crosses an outer level passes the links of the levels below it, down to the node's border: the card that a message to another
 * rack leaves by is that of a message within the rack. Inside the node it has a way of its own, but where the devices hang on PCIe (a level
 * of that name), which the cards hang on too.
 */
public final class DeviceLinks {
    private static final String PCIE = "pcie";

    private final Cluster cluster;
    private final List<String> names = new ArrayList<>();
    /** Index of the first link that is not of the torus. */
    private final int behindTorus;

    public DeviceLinks(Cluster cluster) {
        this.cluster = cluster;
        List<LinkLevel> levels = cluster.levels();
        int dims = cluster.torus().map(torus -> torus.shape().size()).orElse(0);
        for (int dim = 0; dim < dims; dim++) {
            names.add(levels.getFirst().name());
        }
        for (int i = dims > 0 ? 1 : 0; i < levels.size(); i++) {
            names.add(levels.get(i).name());
        }
        behindTorus = Math.max(0, dims - 1);
    }

    /** Name of each link: that of its level. */
    public List<String> names() {
        return names;
    }

    /** Adds {@code times} the seconds for which one collective of each group keeps each link of a device busy. */
    void add(double[] busy, double times, CollectiveKind kind, long bytes, GroupPattern group) {
        add(busy, times, kind, bytes, group, TokenCopies.EACH);
    }

    /** @param copies of an exchange's tokens that go past each level */
    void add(double[] busy, double times, CollectiveKind kind, long bytes, GroupPattern group, TokenCopies copies) {
        if (kind == CollectiveKind.SEND) {
            // a step of a ring: where the group crosses a border, some message does
            addSend(busy, times, bytes, group.span() - 1);
            return;
        }
        int size = group.size();
        List<LinkLevel> levels = cluster.levels();
        double[] wire = new double[levels.size()];
        int inside = 1;
        for (int i = 0; i < levels.size() && inside < size; i++) {
            LinkLevel level = levels.get(i);
            int reach = i == levels.size() - 1 ? size : CollectiveModel.reach(group, level);
            int domains = (reach + inside - 1) / inside;
            if (domains > 1) {
                long moved = (long) Math.ceil(bytes * copies.share(size, domains, inside));
                if (i == 0 && cluster.torus().isPresent()) {
                    TorusCost.addBusy(
                            busy,
                            times,
                            kind,
                            moved,
                            domains,
                            group.stride(),
                            cluster.torus().get(),
                            level.efficiency());
                } else {
                    wire[i] = CollectiveModel.wireBytes(kind, moved, size, inside, domains, level);
                }
                inside = reach;
            }
        }
        addWire(busy, times, wire, kind == CollectiveKind.ALL_TO_ALL);
    }

    /** Likewise of a message to the rank {@code distance} ahead, on the way out of its sender and into its receiver. */
    void addSend(double[] busy, double times, long bytes, int distance) {
        List<LinkLevel> levels = cluster.levels();
        if (distance == 0 || levels.isEmpty()) {
            return;
        }
        int i = 0;
        while (i < levels.size() - 1 && distance >= levels.get(i).degree()) {
            i++;
        }
        if (i == 0 && cluster.torus().isPresent()) {
            Torus torus = cluster.torus().get();
            int dim = 0;
            int below = torus.shape().getFirst();
            while (dim < torus.shape().size() - 1 && distance >= below) {
                dim++;
                below *= torus.shape().get(dim);
            }
            // one of the dimension's two links
            double rate = 2 * torus.linkBytesPerSecond() * levels.getFirst().efficiency();
            busy[dim] += times * bytes / rate;
            return;
        }
        double[] wire = new double[levels.size()];
        wire[i] = bytes;
        addWire(busy, times, wire, false);
    }

    /** Messages to unlike peers add up on their way out; a ring leaves a node once, however far it goes. */
    private void addWire(double[] busy, double times, double[] wire, boolean apart) {
        List<LinkLevel> levels = cluster.levels();
        for (int i = levels.size() - 2; i >= 0; i--) {
            boolean carries = i > 0 || levels.getFirst().name().equals(PCIE);
            if (carries) {
                wire[i] = apart ? wire[i] + wire[i + 1] : Math.max(wire[i], wire[i + 1]);
            }
        }
        for (int i = 0; i < wire.length; i++) {
            if (wire[i] > 0) {
                LinkLevel level = levels.get(i);
                double nominal = level.deviceBytesPerSecond() / Math.max(1, level.oversubscription());
                busy[behindTorus + i] += times * wire[i] / (nominal * level.efficiency());
            }
        }
    }
}
