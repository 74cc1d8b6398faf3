package org.shardplan.read;

import java.util.List;

/**
 * One node as its own tools describe it: what {@code nvidia-smi topo -m} or NCCL's topology file say, and no more.
 *
 * @param file that said it
 * @param gpus of the node
 * @param island GPUs that NVLinks join, 1 = none, 0 = not said; every GPU is in an island of this size
 * @param pairLinks fewest NVLinks between two GPUs that are joined; of one GPU into its switches where {@code switched}
 * @param sumLinks fewest NVLinks of one GPU, summed over its peers. Beyond what a GPU has, the pairs share them: there are switches
 * @param switched the file says that NVLinks end in switches
 * @param pcieBytesPerSecond slowest PCIe link of a GPU, one way; NaN = not said
 * @param computeCapability 90 for 9.0; 0 = not said
 * @param nics that serve GPUs
 * @param nicBytesPerSecond one way, of each; NaN = not said
 * @param remarks what was left out, and why
 */
public record NodeTopology(
        String file,
        int gpus,
        int island,
        int pairLinks,
        int sumLinks,
        boolean switched,
        double pcieBytesPerSecond,
        int computeCapability,
        int nics,
        double nicBytesPerSecond,
        List<String> remarks) {
    public NodeTopology {
        remarks = List.copyOf(remarks);
    }

    /** NVLinks that one GPU has at work at once, given how many its generation has. */
    public int linksPerGpu(int most) {
        return switched || sumLinks > most ? pairLinks : sumLinks;
    }
}
