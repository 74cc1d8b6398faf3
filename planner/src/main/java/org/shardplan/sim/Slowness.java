package org.shardplan.sim;

import java.util.Arrays;

/**
 * How much slower than usual a lane's devices and links are: time over usual time, of the slowest of its devices.
 *
 * @param devices by pipeline rank
 * @param links by pipeline rank and link
 */
record Slowness(double[] devices, double[][] links) {

    /** Nothing is slow. */
    static Slowness none(int ranks, int links) {
        double[] devices = new double[ranks];
        double[][] each = new double[ranks][links];
        Arrays.fill(devices, 1);
        for (double[] rank : each) {
            Arrays.fill(rank, 1);
        }
        return new Slowness(devices, each);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Slowness slowness
                && Arrays.equals(devices, slowness.devices)
                && Arrays.deepEquals(links, slowness.links);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(devices) * 31 + Arrays.deepHashCode(links);
    }

    @Override
    public String toString() {
        return Arrays.toString(devices) + Arrays.deepToString(links);
    }
}
