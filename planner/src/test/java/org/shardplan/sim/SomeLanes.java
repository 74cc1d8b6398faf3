package org.shardplan.sim;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.shardplan.cost.LinkUse;
import org.shardplan.cost.PricedProgram;

/** Lanes for tests. */
final class SomeLanes {
    private SomeLanes() {}

    /** One lane, nothing on its links, nothing disturbed. */
    static Lanes quiet(PricedProgram program) {
        return of(program, new Random(0), 1, 0, false);
    }

    /** Tasks that want any share of the links for any part of their time. */
    static Lanes busy(PricedProgram program, Random random) {
        return of(program, random, 1 + random.nextInt(2), 1, true);
    }

    private static Lanes of(PricedProgram program, Random random, int links, double most, boolean contention) {
        int stages = program.schedule().stages();
        int ranks = program.schedule().ranks();
        long[][][] buckets = new long[stages][][];
        for (int q = 0; q < stages; q++) {
            buckets[q] = use(program.bucketNanos()[q], random, links, most);
        }
        LinkUse use = new LinkUse(
                IntStream.range(0, links).mapToObj(link -> "link" + link).toList(),
                use(program.forward(), random, links, most * random.nextDouble()),
                use(program.backward(), random, links, most * random.nextDouble()),
                use(program.sendForward(), random, links, most),
                use(program.sendBackward(), random, links, most),
                buckets,
                new long[ranks][links],
                new long[ranks][links],
                new long[ranks][links],
                new long[links]);
        double[][] capacity = new double[ranks][links];
        for (double[] rank : capacity) {
            Arrays.fill(rank, 1);
        }
        return new Lanes(List.of(new Lane(program, use, capacity, 1, 0)), 1, 0, 0, contention);
    }

    private static long[][] use(long[] nanos, Random random, int links, double most) {
        long[][] use = new long[nanos.length][links];
        for (int i = 0; i < nanos.length; i++) {
            for (int link = 0; link < links; link++) {
                use[i][link] = (long) (nanos[i] * most * random.nextDouble());
            }
        }
        return use;
    }
}
