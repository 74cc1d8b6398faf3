package org.shardplan.cluster;

import java.util.List;
import java.util.Optional;

/**
 * Devices and how they are joined.
 *
 * @param name catalog name with its count, or the file's name
 * @param pools runs of like devices, in rank order; one pool = uniform
 * @param levels innermost first; ranks are numbered so that each level's domains are consecutive
 * @param torus where the innermost level is one
 * @param networkEfficiencyNote remarks for people (assumptions, substitutes)
 * @param blockingLaunches jobs run with CUDA_LAUNCH_BLOCKING=1: the host prepares each kernel after the one before has ended, so
 *     that its time adds to the device's
 * @param economics money, power and failures, as far as they are known
 * @param disturbances stragglers, jitter and contention, as far as the user says
 */
public record Cluster(
        String name,
        List<Pool> pools,
        List<LinkLevel> levels,
        Optional<Torus> torus,
        String networkEfficiencyNote,
        boolean blockingLaunches,
        Economics economics,
        Disturbances disturbances) {

    /** A cluster whose devices and links all run as they should. */
    public Cluster(
            String name,
            List<Pool> pools,
            List<LinkLevel> levels,
            Optional<Torus> torus,
            String networkEfficiencyNote,
            boolean blockingLaunches,
            Economics economics) {
        this(name, pools, levels, torus, networkEfficiencyNote, blockingLaunches, economics, Disturbances.NONE);
    }

    /** A cluster of which neither money, power nor failures are known. */
    public Cluster(
            String name,
            List<Pool> pools,
            List<LinkLevel> levels,
            Optional<Torus> torus,
            String networkEfficiencyNote,
            boolean blockingLaunches) {
        this(name, pools, levels, torus, networkEfficiencyNote, blockingLaunches, Economics.UNKNOWN);
    }

    /** A cluster whose hosts run ahead of their devices. */
    public Cluster(
            String name,
            List<Pool> pools,
            List<LinkLevel> levels,
            Optional<Torus> torus,
            String networkEfficiencyNote) {
        this(name, pools, levels, torus, networkEfficiencyNote, false);
    }

    /** A run of {@code count} like devices. */
    public record Pool(Device device, int count) {}

    public Cluster {
        pools = List.copyOf(pools);
        levels = List.copyOf(levels);
        if (pools.isEmpty()) {
            throw new IllegalArgumentException("cluster " + name + " has no devices");
        }
    }

    /** The same cluster at another price. */
    public Cluster withEconomics(Economics other) {
        return new Cluster(name, pools, levels, torus, networkEfficiencyNote, blockingLaunches, other, disturbances);
    }

    /** The same cluster, disturbed otherwise. */
    public Cluster withDisturbances(Disturbances other) {
        return new Cluster(name, pools, levels, torus, networkEfficiencyNote, blockingLaunches, economics, other);
    }

    public int devices() {
        return pools.stream().mapToInt(Pool::count).sum();
    }

    /** The device of the first pool; the only one in a uniform cluster. */
    public Device device() {
        return pools.getFirst().device();
    }

    /** Devices within the innermost level: what is called a node. */
    public int nodeSize() {
        return levels.isEmpty() ? 1 : Math.min(levels.getFirst().degree(), devices());
    }

    /** The innermost level whose domain holds {@code span} consecutive ranks that start at a multiple of it. */
    public LinkLevel levelFor(int span) {
        for (LinkLevel level : levels) {
            if (span <= level.degree()) {
                return level;
            }
        }
        return levels.getLast();
    }
}
