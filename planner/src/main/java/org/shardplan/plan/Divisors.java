package org.shardplan.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.IntPredicate;

/** Divisors of a number, for the nearest setting that divides. */
final class Divisors {
    private Divisors() {}

    /** All of them, ascending, those that fit in an int; none for a number below 1. */
    static List<Integer> of(long number) {
        List<Integer> low = new ArrayList<>();
        List<Integer> high = new ArrayList<>();
        for (long d = 1; d * d <= number; d++) {
            if (number % d == 0) {
                low.add((int) d);
                if (d * d != number && number / d <= Integer.MAX_VALUE) {
                    high.addFirst((int) (number / d));
                }
            }
        }
        low.addAll(high);
        return low;
    }

    /** The divisor of {@code number} that is nearest to {@code wanted}; of two, the smaller one. */
    static OptionalInt nearest(long number, int wanted) {
        return nearest(number, wanted, any -> true);
    }

    /** The nearest divisor of {@code number} that is allowed. */
    static OptionalInt nearest(long number, int wanted, IntPredicate allowed) {
        return nearest(of(number), wanted, allowed);
    }

    private static OptionalInt nearest(List<Integer> candidates, int wanted, IntPredicate allowed) {
        int best = 0;
        for (int candidate : candidates) {
            if (allowed.test(candidate)
                    && (best == 0 || Math.abs((long) candidate - wanted) < Math.abs((long) best - wanted))) {
                best = candidate;
            }
        }
        return best == 0 ? OptionalInt.empty() : OptionalInt.of(best);
    }
}
