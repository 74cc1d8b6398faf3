package org.shardplan.cost;

import org.shardplan.plan.Schedule;

/**
 * A program with a price on each task, at the grain of slots: what the simulator runs. All times are nanoseconds.
 *
 * <p>Semantics, which every evaluator follows:
 *
 * <ul>
 *   <li>A rank's compute stream runs its slots in the schedule's order. A forward slot of virtual stage q lasts
 *       {@code forward[q]}, a backward slot {@code backward[q]}, one for input gradients alone {@code split.input[q]}, a slot of phase W
 *       {@code split.weight[q]}. The slot that makes the stage's last weight gradients, in the order of the rank, lasts
 *       {@code lastBackward[q]} or {@code split.lastWeight[q]} instead (interference of overlapped reductions included).
 *   <li>A forward slot that runs beside the backward slot after it starts and ends with it, when what both wait for is there; the two take
 *       what {@link SplitSlots#beside} says. Where sends block, the backward slot's result
 *       is handed on behind the forward slot's.
 *   <li>Stages are first and last, and have neighbours, within their copy of the model.
 *   <li>After a forward slot of stage q that is not the last stage, a send of {@code sendForward[q]} carries its result to
 *       stage q + 1; after a backward slot of stage q &gt; 0, a send of {@code sendBackward[q]} carries its gradient to
 *       stage q - 1. Between stages on one rank a send lasts 0. With {@link #sendsBlock} the send occupies the
 *       sender's compute stream (the next slot waits for it); else it queues on the rank's own send stream of that direction,
 *       in order.
 *   <li>A forward slot of q waits for the send from q - 1 of the same micro-batch, a backward slot for the send from q + 1,
 *       that of the last stage for its own forward slot.
 *   <li>When the slot that makes stage q's last weight gradients has run for {@code bucketReady[q][i]}, or {@code split.weightReady[q][i]}
 *       where that is a slot of phase W, bucket i of its gradients joins the rank's data stream, which takes {@code bucketNanos[q][i]} for it; the stream runs in order of joining.
 *   <li>When all slots, sends and buckets of a rank have ended, its {@code reduceTail} follows (reductions that do not overlap).
 *   <li>Where {@link #tiedReduce} is not 0, ranks {@code tiedFirst} and {@code tiedLast} then meet and reduce the shared embedding's gradient.
 *   <li>All ranks meet (gradient norm), then each takes {@code optimizerTail[r]}; the step ends with the slowest.
 *   <li>The step starts with {@code head[r]} on each rank (parameter gathers that nothing hides, host).
 * </ul>
 *
 * @param forwardTensor share of {@code forward} that is exposed tensor-parallel communication; likewise {@code backwardTensor}
 * @param forwardContext share of {@code forward} that is exposed communication among context ranks; likewise {@code backwardContext}
 * @param forwardData share of {@code forward} that is exposed data-parallel communication (ZeRO-3 gathers); likewise {@code backwardData}
 * @param optimizerData share of {@code optimizerTail} that is communication
 * @param hostShare share of {@code head} and {@code optimizerTail} that is host time
 */
public record PricedProgram(
        Schedule schedule,
        boolean sendsBlock,
        long[] forward,
        long[] backward,
        long[] lastBackward,
        SplitSlots split,
        long[] sendForward,
        long[] sendBackward,
        long[][] bucketReady,
        long[][] bucketNanos,
        long[] head,
        long[] reduceTail,
        long tiedReduce,
        int tiedFirst,
        int tiedLast,
        long[] optimizerTail,
        long[] forwardTensor,
        long[] backwardTensor,
        long[] forwardContext,
        long[] backwardContext,
        long[] forwardData,
        long[] backwardData,
        long optimizerData,
        long hostShare,
        StageMemory memory) {

    /** A program without context parallelism. */
    public PricedProgram(
            Schedule schedule,
            boolean sendsBlock,
            long[] forward,
            long[] backward,
            long[] lastBackward,
            SplitSlots split,
            long[] sendForward,
            long[] sendBackward,
            long[][] bucketReady,
            long[][] bucketNanos,
            long[] head,
            long[] reduceTail,
            long tiedReduce,
            int tiedFirst,
            int tiedLast,
            long[] optimizerTail,
            long[] forwardTensor,
            long[] backwardTensor,
            long[] forwardData,
            long[] backwardData,
            long optimizerData,
            long hostShare,
            StageMemory memory) {
        this(
                schedule,
                sendsBlock,
                forward,
                backward,
                lastBackward,
                split,
                sendForward,
                sendBackward,
                bucketReady,
                bucketNanos,
                head,
                reduceTail,
                tiedReduce,
                tiedFirst,
                tiedLast,
                optimizerTail,
                forwardTensor,
                backwardTensor,
                new long[forward.length],
                new long[forward.length],
                forwardData,
                backwardData,
                optimizerData,
                hostShare,
                memory);
    }

    /**
     * The simulator's clock: about 36 years. Sums of a few such times, and products that a bound makes of them, stay within a
     * long.
     */
    public static final long MOST_NANOS = 1L << 60;

    /** Nanoseconds of a slot by itself; {@code last} where it makes its stage's last weight gradients. */
    public long slotNanos(long slot, boolean last) {
        int stage = Schedule.stage(slot);
        return switch (Schedule.phase(slot)) {
            case Schedule.F -> forward[stage];
            case Schedule.B -> last ? lastBackward[stage] : backward[stage];
            case Schedule.W -> last ? split.lastWeight()[stage] : split.weight()[stage];
            default -> split.input()[stage];
        };
    }

    /** Whether all tasks of all ranks, one after another, end within {@link #MOST_NANOS}: no path through them overflows then. */
    public boolean onClock() {
        return nanosInAll() < MOST_NANOS;
    }

    /** Nanoseconds of all tasks of all ranks, one after another. */
    public double nanosInAll() {
        double slots = 0;
        double once = tiedReduce;
        for (int q = 0; q < forward.length; q++) {
            slots += (double) forward[q] + Math.max(backward[q], lastBackward[q]);
            slots += split.exist() ? (double) split.input()[q] + Math.max(split.weight()[q], split.lastWeight()[q]) : 0;
            slots += (double) sendForward[q] + sendBackward[q];
            for (long nanos : bucketNanos[q]) {
                once += nanos;
            }
        }
        for (int rank = 0; rank < head.length; rank++) {
            once += (double) head[rank] + reduceTail[rank] + optimizerTail[rank];
        }
        return slots * schedule.microBatches() + once;
    }
}
