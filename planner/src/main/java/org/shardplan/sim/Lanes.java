package org.shardplan.sim;

import java.util.List;

/**
 * A priced program as the event simulator runs it: its rank classes refined by what the cluster's user says of slow devices and links.
 *
 * @param lanes at least one; they have a schedule and reductions in common
 * @param width devices of one lane on one pipeline rank
 * @param jitter share by which a slot may last longer, drawn for each device and slot
 * @param seed of these draws
 * @param contention whether tasks that meet on a link share it
 */
public record Lanes(List<Lane> lanes, int width, double jitter, long seed, boolean contention) {
    public Lanes {
        lanes = List.copyOf(lanes);
    }
}
