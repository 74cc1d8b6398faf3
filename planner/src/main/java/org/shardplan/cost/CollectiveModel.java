package org.shardplan.cost;

import java.util.List;
import java.util.Optional;
import org.shardplan.cluster.Cluster;
import org.shardplan.cluster.LinkLevel;
import org.shardplan.cluster.Torus;
import org.shardplan.program.GroupPattern;
import org.shardplan.program.Task.CollectiveKind;

/**
 * Time of one collective among the ranks of one group, all groups of the pattern at work at once.
 *
 * <p>A group has members in each level's domains. On the innermost level a measured curve gives the time where the cluster
 * names one, never better than the link's nominal rate times its efficiency; every other level is priced by latency and
 * bandwidth, each device on its own share of the network cards. Levels work as a pipeline, as NCCL's rings do: the slowest
 * sets the pace, the others add their latency.
 */
public final class CollectiveModel {
    private final KernelTables tables;

    public CollectiveModel(KernelTables tables) {
        this.tables = tables;
    }

    /**
     * Seconds; 0 for a group of one. Grows with bytes and is never faster than the links.
     *
     * @param bytes whole buffer on each rank, as {@code Task.Collective} counts it
     */
    public double seconds(CollectiveKind kind, long bytes, GroupPattern group, Cluster cluster) {
        return seconds(kind, bytes, group, cluster, TokenCopies.EACH);
    }

    /** @param copies of an exchange's tokens that go past each level */
    double seconds(CollectiveKind kind, long bytes, GroupPattern group, Cluster cluster, TokenCopies copies) {
        if (kind == CollectiveKind.SEND) {
            return ringStepSeconds(bytes, group, cluster);
        }
        int size = group.size();
        if (size <= 1) {
            return 0;
        }
        List<LinkLevel> levels = cluster.levels();
        double pace = 0;
        double latencies = 0;
        int inside = 1;
        double hops = 0;
        for (int i = 0; i < levels.size() && inside < size; i++) {
            LinkLevel level = levels.get(i);
            boolean outermost = i == levels.size() - 1;
            int reach = outermost ? size : reach(group, level);
            int domains = (reach + inside - 1) / inside;
            if (domains <= 1) {
                continue;
            }
            long moved = (long) Math.ceil(bytes * copies.share(size, domains, inside));
            Optional<Torus> torus = i == 0 ? cluster.torus() : Optional.empty();
            double seconds = torus.isPresent()
                    ? TorusCost.seconds(kind, moved, domains, group.stride(), torus.get(), level.efficiency())
                    : level(kind, moved, size, inside, domains, level, i == 0 && !copies.isRouted(), hops);
            double latency = latency(kind, domains, level, hops);
            latencies += latency;
            pace = Math.max(pace, seconds - latency);
            hops += (domains - 1) * level.latencySeconds();
            inside = reach;
        }
        return inside < size ? Double.NaN : latencies + pace;
    }

    /**
     * One level's part: {@code domains} members, each of which stands for {@code inside} ranks that share the buffer. A ring
     * through all ranks sends each piece past every border, so that the group's size sets the volume (NCCL: 16 A100 with four
     * 200 Gb/s cards a node reach 86 to 96 GB/s of bus bandwidth, not twice that).
     *
     * @param innermost within a node, by NCCL; kernels that send tokens once reach the link's rate (DeepEP's README: 153 of 160 GB/s
     *     on H800's NVLink, 43 to 58 of 50 on its network)
     * @param hops latency of the way through the ranks that a member stands for
     */
    private double level(
            CollectiveKind kind,
            long bytes,
            int size,
            int inside,
            int domains,
            LinkLevel level,
            boolean innermost,
            double hops) {
        double nominal = level.deviceBytesPerSecond() / Math.max(1, level.oversubscription());
        double wire = wireBytes(kind, bytes, size, inside, domains, level);
        double atRate = wire / (nominal * level.efficiency());
        if (innermost && !level.curve().isEmpty()) {
            Optional<CollectiveCurves> curves = tables.curves(level.curve());
            if (curves.isPresent()) {
                // of an all-to-all only this level's share of the buffer stays inside
                long here = kind == CollectiveKind.ALL_TO_ALL ? Math.max(1, bytes * domains / size) : bytes;
                double measured = curves.get().seconds(kind, domains, here, level.inSwitchReduction());
                return Math.max(measured, atRate);
            }
        }
        double ring = ringLatency(kind, domains, level, hops) + atRate;
        if (kind != CollectiveKind.ALL_REDUCE) {
            return ring;
        }
        // NCCL takes a tree where it is faster; it reaches 0.92 of a ring's rate (NCCL, graph/tuning.cc)
        return Math.min(ring, treeSteps(domains) * level.latencySeconds() + atRate / 0.92);
    }

    /** Members of a group that one domain of the level joins. */
    static int reach(GroupPattern group, LinkLevel level) {
        return Math.clamp(level.degree() / group.stride(), 1, group.size());
    }

    /** Bytes that a device sends over a level's links; {@code inside} and {@code domains} as in {@link #level}. */
    static double wireBytes(CollectiveKind kind, long bytes, int size, int inside, int domains, LinkLevel level) {
        boolean inSwitch = level.inSwitchReduction() && kind == CollectiveKind.ALL_REDUCE;
        return kind == CollectiveKind.ALL_TO_ALL
                ? (double) bytes * (domains - 1) * inside / size
                : wireShare(kind, size, inSwitch) * bytes / inside;
    }

    /** The least latency of a collective: a tree of all-reduce has fewer steps than a ring. */
    private static double latency(CollectiveKind kind, int members, LinkLevel level, double hops) {
        double ring = ringLatency(kind, members, level, hops);
        return kind == CollectiveKind.ALL_REDUCE ? Math.min(ring, treeSteps(members) * level.latencySeconds()) : ring;
    }

    /** A step of a ring from node to node goes through the ranks of the node as well. */
    private static double ringLatency(CollectiveKind kind, int members, LinkLevel level, double hops) {
        return ringSteps(kind, members) * (level.latencySeconds() + (kind == CollectiveKind.ALL_TO_ALL ? 0 : hops));
    }

    private static double treeSteps(int members) {
        return 2 * Math.ceil(Math.log(members) / Math.log(2));
    }

    /** Messages one after the other in a ring; all-to-all has all of them under way at once. */
    private static double ringSteps(CollectiveKind kind, int members) {
        return switch (kind) {
            case ALL_REDUCE -> 2.0 * (members - 1);
            case ALL_GATHER, REDUCE_SCATTER -> members - 1.0;
            case ALL_TO_ALL, SEND -> 1;
        };
    }

    /** Bytes that a device sends, over those of the buffer. */
    static double wireShare(CollectiveKind kind, int members, boolean inSwitch) {
        double share = (members - 1.0) / members;
        return switch (kind) {
            case ALL_REDUCE -> inSwitch ? 1 : 2 * share;
            case ALL_GATHER, REDUCE_SCATTER, ALL_TO_ALL -> share;
            case SEND -> 1;
        };
    }

    /** Each rank sends to its neighbour, the last one to the first: as long as the slowest of these messages takes. */
    private double ringStepSeconds(long bytes, GroupPattern group, Cluster cluster) {
        double slowest = 0;
        for (int member = 0; member < group.size(); member++) {
            int next = (member + 1) % group.size() * group.stride();
            slowest = Math.max(slowest, sendSeconds(bytes, member * group.stride(), next, cluster));
        }
        return slowest;
    }

    /** A message to the rank {@code distance} ahead, from a rank at the start of its domains: it crosses where it must. */
    public double sendSeconds(long bytes, int distance, Cluster cluster) {
        return sendSeconds(bytes, 0, distance, cluster);
    }

    /**
     * A message from one rank to another, all devices of the sender's node sending at once.
     *
     * @param from rank in the cluster, likewise {@code to}
     */
    public double sendSeconds(long bytes, int from, int to, Cluster cluster) {
        if (from == to) {
            return 0;
        }
        List<LinkLevel> levels = cluster.levels();
        for (int i = 0; i < levels.size(); i++) {
            LinkLevel level = levels.get(i);
            if (i < levels.size() - 1 && from / level.degree() != to / level.degree()) {
                continue;
            }
            if (i == 0 && cluster.torus().isPresent()) {
                Torus torus = cluster.torus().get();
                return torus.latencySeconds() + bytes / (torus.linkBytesPerSecond() * level.efficiency());
            }
            double rate = level.deviceBytesPerSecond() * level.efficiency() / Math.max(1, level.oversubscription());
            return level.latencySeconds() + bytes / rate;
        }
        return Double.NaN;
    }

    /** Whether collectives within a node are priced from measurements. */
    public boolean isMeasured(Cluster cluster) {
        return !cluster.levels().isEmpty()
                && tables.curves(cluster.levels().getFirst().curve()).isPresent();
    }
}
