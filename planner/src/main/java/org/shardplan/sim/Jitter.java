package org.shardplan.sim;

/** Draws that depend on the seed, the lane and the slot alone, not on the order in which they are made. */
record Jitter(long seed, int width) {
    static final Jitter NONE = new Jitter(0, 1);

    /** The largest of as many even draws from 0 to 1 as a lane has devices on a rank: they wait for the slowest. */
    double slowest(int lane, long slot) {
        long bits = mix(seed ^ mix(lane + mix(slot)));
        double even = (bits >>> 11) * 0x1.0p-53;
        return width == 1 ? even : StrictMath.pow(even, 1.0 / width);
    }

    /** The finalizer of SplitMix64 (Steele, Lea, Flood 2014). */
    private static long mix(long bits) {
        long mixed = bits + 0x9e3779b97f4a7c15L;
        mixed = (mixed ^ (mixed >>> 30)) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
        return mixed ^ (mixed >>> 31);
    }
}
