package org.shardplan.cost;

import java.util.List;

/**
 * How long each task of a priced program keeps a device's links busy, were it alone on them: nanoseconds at the links' full rate. What
 * a task sends it also receives from somewhere, so that both directions of a link are busy alike; a pipeline send leaves one device and
 * enters another.
 *
 * @param links names of the links of a device, as {@link DeviceLinks} lists them; the last index of each array
 * @param forward by virtual stage: within one forward slot; {@code backward} likewise
 * @param sendForward by virtual stage: of the send behind a forward slot; {@code sendBackward} likewise
 * @param buckets by virtual stage and gradient bucket
 * @param head by pipeline rank: gathers before the first slot; {@code reduceTail}, {@code optimizerTail} likewise after the last
 * @param tied of the shared embedding's sum
 */
public record LinkUse(
        List<String> links,
        long[][] forward,
        long[][] backward,
        long[][] sendForward,
        long[][] sendBackward,
        long[][][] buckets,
        long[][] head,
        long[][] reduceTail,
        long[][] optimizerTail,
        long[] tied) {
    public LinkUse {
        links = List.copyOf(links);
    }

    /** Links of a device, each with two directions. */
    public int count() {
        return links.size();
    }
}
