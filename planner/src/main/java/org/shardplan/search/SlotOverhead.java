package org.shardplan.search;

import org.shardplan.cost.ProgramPricer;
import org.shardplan.plan.MeshOrder;
import org.shardplan.program.GroupPattern;
import org.shardplan.workload.Framework;

/**
 * What slots of one tuple take besides their blocks, in seconds, residual factor included: the host's work, and sends between ranks.
 *
 * @param forwardSeconds host's part of a forward slot, {@code backwardSeconds} likewise
 * @param slotSeconds part of a send that the sender's slot takes: all of one that blocks, else what it slows compute by
 * @param besideSeconds of a send that does not block, on its way while the sender does something else
 */
record SlotOverhead(
        int pp, int vpp, double forwardSeconds, double backwardSeconds, double slotSeconds, double besideSeconds) {

    static SlotOverhead of(
            Framework framework, ProgramPricer pricer, ShapeCost shape, int pp, int vpp, int dp, MeshOrder order) {
        double host = framework.host().microBatchSeconds() * pricer.residual();
        int stride = order == MeshOrder.PP_DP_TP ? shape.tp * shape.cp() * dp : shape.tp;
        double send = pp == 1 ? 0 : sendSeconds(pricer, shape, stride);
        boolean blocks = !framework.overlap().pipelineSends() || vpp == 1;
        double slot = blocks ? send : framework.overlap().sendInterference() * send;
        return new SlotOverhead(pp, vpp, host / 3, host * 2 / 3, slot, blocks ? 0 : send);
    }

    /** Seconds of a send between neighbouring ranks of a pipeline, {@code stride} apart; 0 where unknown, which pricing refuses. */
    static double sendSeconds(ProgramPricer pricer, ShapeCost shape, int stride) {
        GroupPattern tensor = new GroupPattern(shape.tp, 1);
        double send = pricer.sendSeconds(shape.layer.outputBytes(), shape.layer.outputReplicated(), tensor, stride);
        return Double.isNaN(send) ? 0 : pricer.residual() * send;
    }

    /** Of all slots of a micro-batch on one rank. The last virtual stage sends no activation, the first no gradient. */
    double rankSeconds(int rank) {
        int sends = 2 * vpp - (rank == 0 ? 1 : 0) - (rank == pp - 1 ? 1 : 0);
        return vpp * (forwardSeconds + backwardSeconds) + sends * slotSeconds;
    }

    /** Of all slots of a micro-batch on a rank, at the least. */
    double leastSeconds() {
        return vpp * (forwardSeconds + backwardSeconds) + (2 * vpp - 1) * slotSeconds;
    }

    /** Of all slots of a micro-batch on an average rank. */
    double averageSeconds() {
        return vpp * (forwardSeconds + backwardSeconds) + 2 * (vpp - 1.0 / pp) * slotSeconds;
    }

    /** A gradient's way through one chunk of each other rank: from the last rank to this one, or from this one to the first. */
    double passingSeconds(int rank) {
        int slots = pp - 1 - (rank == 0 ? 0 : 1);
        return (pp - 1) * (backwardSeconds + besideSeconds) + slots * slotSeconds;
    }

    /** The first micro-batch's way through all virtual stages, less so many forward slots of one rank; can be negative. */
    double earlySeconds(int inFlight) {
        int stages = pp * vpp;
        return (stages - inFlight) * (forwardSeconds + slotSeconds) - slotSeconds + (stages - 1) * besideSeconds;
    }

    /** One micro-batch's way through all other ranks of one chunk, forward and backward. */
    double othersSeconds(int rank) {
        int slots = 2 * (pp - 1) - (rank == 0 ? 0 : 1) - (rank == pp - 1 ? 0 : 1);
        return (pp - 1) * (forwardSeconds + backwardSeconds + 2 * besideSeconds) + slots * slotSeconds;
    }
}
