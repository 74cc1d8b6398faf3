package org.shardplan.sim;

import org.shardplan.cost.LinkUse;
import org.shardplan.cost.PricedProgram;

/**
 * The links on which tasks of a program can get in each other's way at all: others need no book-keeping. On one where a device's slot, its
 * sends both ways, its neighbours' sends to it and a reduction together want no more than there is, nobody ever waits.
 */
final class LinkChoice {
    static final long[] NOTHING = {};

    private int[] chosen = {};
    private int count;

    void of(Lanes program) {
        Lane first = program.lanes().getFirst();
        int links = program.contention() ? first.use().count() : 0;
        if (chosen.length < links) {
            chosen = new int[links];
        }
        count = 0;
        for (int link = 0; link < links; link++) {
            double wanted = 0;
            double free = 1;
            for (Lane lane : program.lanes()) {
                wanted = Math.max(wanted, wanted(lane, link));
                for (double[] rank : lane.capacity()) {
                    free = Math.min(free, rank[link]);
                }
            }
            if (wanted > free) {
                chosen[count++] = link;
            }
        }
    }

    private static double wanted(Lane lane, int link) {
        PricedProgram program = lane.program();
        LinkUse use = lane.use();
        double slot = 0;
        double send = 0;
        double reduce = 0;
        for (int q = 0; q < program.forward().length; q++) {
            slot = Math.max(slot, share(use.forward()[q], link, program.forward()[q]));
            slot = Math.max(slot, share(use.backward()[q], link, program.backward()[q]));
            send = Math.max(send, share(use.sendForward()[q], link, program.sendForward()[q]));
            send = Math.max(send, share(use.sendBackward()[q], link, program.sendBackward()[q]));
            for (int bucket = 0; bucket < program.bucketNanos()[q].length; bucket++) {
                reduce = Math.max(reduce, share(use.buckets()[q][bucket], link, program.bucketNanos()[q][bucket]));
            }
        }
        // a schedule may send to a device from many others: with any send at all, two count as a crowd
        return slot + 2 * send + reduce;
    }

    private static double share(long[] use, int link, long nanos) {
        return nanos == 0 ? 0 : (double) use[link] / nanos;
    }

    int count() {
        return count;
    }

    int link(int index) {
        return chosen[index];
    }

    /** Says what a task will want of each chosen link. */
    void want(Flows flows, int stream, long[] use, long nanos) {
        for (int index = 0; index < count; index++) {
            flows.want(stream, index, use.length == 0 || nanos == 0 ? 0 : (double) use[chosen[index]] / nanos);
        }
    }
}
