package org.shardplan.cluster;

import java.util.List;

/**
 * What keeps a cluster from running as its data sheets say; what the evaluator {@code events} sees and {@code sweep} does not.
 *
 * @param stragglers slow devices and slow links
 * @param jitter a pass of a micro-batch takes up to this share longer, drawn evenly for each device: 0.03 = 3 %
 * @param jitterSeed of these draws, beside the command's own seed
 * @param contention whether what a device sends and receives at once shares its links
 */
public record Disturbances(List<Straggler> stragglers, double jitter, long jitterSeed, boolean contention) {
    /** Every device and link as it should be, and its tasks alone on its links. */
    public static final Disturbances NONE = new Disturbances(List.of(), 0, 0, false);

    public Disturbances {
        stragglers = List.copyOf(stragglers);
    }

    /** Whether there is anything that a sweep would not see. */
    public boolean any() {
        return contention || jitter > 0 || !stragglers.isEmpty();
    }

    /**
     * Devices in a row that are slow, or whose links of one level are.
     *
     * @param firstDevice rank in the cluster, from 0
     * @param devices so many from there
     * @param level name of the slow links' level; empty = the devices themselves are slow
     * @param slower time over usual time, less 1: 0.2 = a fifth longer
     */
    public record Straggler(int firstDevice, int devices, String level, double slower) {
        /** Time over usual time, at least 1. */
        public double factor() {
            return 1 + slower;
        }
    }
}
