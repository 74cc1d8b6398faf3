package org.shardplan.cluster;

/**
 * One level of the network: which devices it joins, and how fast.
 *
 * @param name for example {@code nvlink}, {@code infiniband}
 * @param degree devices within one domain of this level; the outermost level joins the whole cluster
 * @param deviceBytesPerSecond one way, the share of one device when all of them send
 * @param latencySeconds of one message
 * @param linksPerNode NICs that a node of the level below has (0 where each device has its own port)
 * @param efficiency share of the nominal rate that large collectives reach
 * @param oversubscription of the fabric above: 1 = full bisection, 2 = half
 * @param inSwitchReduction whether switches add (NVLS, SHARP)
 * @param curve name of the measured collective curves of this level, empty = latency and bandwidth alone
 * @param source where the figures come from
 * @param rails whether NIC i of every node hangs on the same leaf switches, so that traffic between like ranks crosses no spine
 */
public record LinkLevel(
        String name,
        int degree,
        double deviceBytesPerSecond,
        double latencySeconds,
        int linksPerNode,
        double efficiency,
        double oversubscription,
        boolean inSwitchReduction,
        String curve,
        String source,
        boolean rails) {

    /** A level without rails. */
    public LinkLevel(
            String name,
            int degree,
            double deviceBytesPerSecond,
            double latencySeconds,
            int linksPerNode,
            double efficiency,
            double oversubscription,
            boolean inSwitchReduction,
            String curve,
            String source) {
        this(
                name,
                degree,
                deviceBytesPerSecond,
                latencySeconds,
                linksPerNode,
                efficiency,
                oversubscription,
                inSwitchReduction,
                curve,
                source,
                false);
    }
}
