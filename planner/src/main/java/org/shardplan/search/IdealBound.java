package org.shardplan.search;

import org.shardplan.cost.ProgramPricer;
import org.shardplan.graph.ModelFlops;

/**
 * A bound that needs no prices: all products at the device's highest rate, no communication, the pipeline's bubble. Rules out shapes (tp, cp,
 * micro-batch) before they are lowered, above all micro-batches so large that too few are left to fill a pipeline.
 */
final class IdealBound {
    private final SearchSpace space;
    /** Seconds of one sample's forward and backward pass on one device at its best. */
    private final double sampleSeconds;

    /** Some schedules fill the pipeline's bubble, and may hide what is sent. */
    private final boolean splits;

    IdealBound(Problem problem, SearchSpace space, ProgramPricer pricer) {
        this.space = space;
        splits = space.splits();
        double peak = problem.cluster().device().peakFlops(problem.workload().precision());
        double attention = 3 * ModelFlops.attentionPerSample(problem.graph(), true);
        double products = ModelFlops.trainedPerSample(problem.graph(), true) - attention;
        double seconds = pricer.residual() * (products / pricer.highestFlops() + attention / peak);
        sampleSeconds = Double.isNaN(seconds) ? 0 : seconds;
    }

    /**
     * Least seconds of any plan with this tp, cp and micro-batch; infinity where there is none.
     *
     * @param exposedSeconds of one sample's forward collectives at their highest rate, which nothing hides
     */
    double seconds(int tp, int cp, int microBatch, double exposedSeconds) {
        double best = Double.POSITIVE_INFINITY;
        int[] ranks = space.dataRanks(microBatch);
        double microSeconds = (sampleSeconds / tp / cp + (splits ? 0 : exposedSeconds)) * microBatch;
        for (int pp : space.pipelines(tp)) {
            for (int i = ranks.length - 1; i >= 0; i--) {
                int dp = ranks[i];
                if ((long) tp * cp * pp * dp > space.devices) {
                    continue;
                }
                int micro = (int) (space.globalBatch / microBatch / dp);
                if (micro * microSeconds / pp >= best) {
                    break; // fewer data ranks have more to do
                }
                int[] chunks = space.chunks(pp, micro);
                if (chunks.length > 0) {
                    int vpp = chunks[chunks.length - 1];
                    best = Math.min(best, pipeline(microSeconds, pp, splits && pp > 1 ? 2 : vpp, micro));
                }
            }
        }
        return best;
    }

    /**
     * Work of an average rank; without interleaving also the way through the ranks before it. With t the seconds of rank s and P those
     * of the ranks before it, a step takes at least P + m·t; so at most (M - P)/m is done by each rank in M seconds, and all of them do
     * M·(1 - (1 - 1/m)^p) of a micro-batch's seconds however layers are laid out.
     */
    private static double pipeline(double microSeconds, int pp, int vpp, int micro) {
        if (vpp > 1) {
            return micro * microSeconds / pp;
        }
        return microSeconds / (1 - Math.pow(1 - 1.0 / micro, pp));
    }
}
