package org.shardplan.read;

/** Divisors, for advice. */
final class Divisors {
    private Divisors() {}

    /** The divisor of {@code number} nearest to {@code wanted}; the smaller of two. */
    static long nearest(long number, long wanted) {
        for (long off = 0; ; off++) {
            if (wanted - off >= 1 && number % (wanted - off) == 0) {
                return wanted - off;
            }
            if (number % (wanted + off) == 0) {
                return wanted + off;
            }
        }
    }
}
