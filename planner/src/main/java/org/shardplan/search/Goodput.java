package org.shardplan.search;

/**
 * What failures leave of a long run: time between failures, the cost of a checkpoint, how often to write one, and the share of
 * the time that goes into steps that count. NaN = unknown.
 *
 * <p>After J. T. Daly, "A higher order estimate of the optimum checkpoint interval for restart dumps", Future Generation Computer
 * Systems 22 (2006): the interval is its equation 37, a refinement of Young's √(2δM) (Communications of the ACM 17, 1974); the wall
 * time its equation 20: failures come at random (exponential), a step counts when a checkpoint after it is whole, and training waits while
 * one is written.
 *
 * @param mtbfSeconds M: mean time between failures of all devices at work together
 * @param checkpointSeconds δ: to write one checkpoint
 * @param intervalSeconds τ: of training between two checkpoints
 * @param share of the time that counts, 0 to 1
 */
public record Goodput(double mtbfSeconds, double checkpointSeconds, double intervalSeconds, double share) {

    /** @param restartSeconds R: from a failure to the first new step */
    public static Goodput of(double mtbfSeconds, double checkpointSeconds, double restartSeconds) {
        double interval = interval(mtbfSeconds, checkpointSeconds);
        return new Goodput(
                mtbfSeconds,
                checkpointSeconds,
                interval,
                share(mtbfSeconds, checkpointSeconds, restartSeconds, interval));
    }

    /** Daly's τ: Young's with two terms more; M where a checkpoint takes twice the time between failures. */
    static double interval(double mtbf, double checkpoint) {
        if (Double.isNaN(mtbf) || Double.isNaN(checkpoint)) {
            return Double.NaN;
        }
        if (checkpoint >= 2 * mtbf) {
            return mtbf;
        }
        double ratio = checkpoint / (2 * mtbf);
        return Math.sqrt(2 * checkpoint * mtbf) * (1 + Math.sqrt(ratio) / 3 + ratio / 9) - checkpoint;
    }

    /** Training time over Daly's wall time M·e^(R/M)·(e^((τ+δ)/M) − 1)·(training time)/τ. */
    static double share(double mtbf, double checkpoint, double restart, double interval) {
        return interval / (mtbf * Math.exp(restart / mtbf) * Math.expm1((interval + checkpoint) / mtbf));
    }
}
