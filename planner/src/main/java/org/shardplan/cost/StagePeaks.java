package org.shardplan.cost;

import org.shardplan.program.StageProgram.Level;

/**
 * Bytes that the slots of a virtual stage keep and need, summed over its blocks in the order of the backward pass: a block's transients
 * count on top of what the blocks before it in the stage still keep. Reusable: {@link #start} forgets the stage before.
 */
public final class StagePeaks {
    private final MemoryPricer pricer;
    private boolean sharded;
    private boolean split;
    private long kept;
    private long saved;
    private long forwardPeak;
    private long backwardPeak;
    /** Gradients of the unit before that are still being reduced. */
    private long reducing;

    StagePeaks(MemoryPricer pricer) {
        this.pricer = pricer;
    }

    /** A new stage whose backward slots make all gradients. */
    public void start(int zero, int dataRanks) {
        start(zero, dataRanks, false);
    }

    /** @param split whether weight gradients are made later, in slots of their own */
    public void start(int zero, int dataRanks, boolean split) {
        this.split = split;
        kept = 0;
        sharded = zero >= 2 && dataRanks > 1;
        saved = 0;
        forwardPeak = 0;
        backwardPeak = 0;
        reducing = 0;
    }

    /** The next block in backward order. */
    public void add(BlockCost cost, Level level, int repeats) {
        if (repeats == 0) {
            return;
        }
        long each = MemoryPricer.savedBytes(cost, level);
        long recomputed = cost.savedBytes() - each;
        long within = cost.transientBytes() + cost.outputBytes() + recomputed;
        forwardPeak = Math.max(forwardPeak, cost.transientBytes() + cost.outputBytes());
        if (sharded) {
            within = Math.max(
                    within, pricer.unshardedBytes(cost.elements(), cost.frozen().elements()));
        }
        long keeps = split ? cost.split().keptBytes() : 0;
        backwardPeak = Math.max(backwardPeak, within + reducing - saved + kept);
        if (sharded) {
            reducing = pricer.reducedBytes(cost.elements());
        }
        if (repeats > 1) {
            long others = repeats - 1; // the last of them has most kept and least saved behind it
            long more = Math.max(keeps - each, others * (keeps - each));
            backwardPeak = Math.max(backwardPeak, within + reducing - saved + kept + more);
        }
        saved += repeats * each;
        kept += repeats * keeps;
        backwardPeak = split ? Math.max(backwardPeak, kept - saved) : backwardPeak;
    }

    /** The stage sends what its last block gives. */
    public void sends(BlockCost last) {
        saved += pricer.sentBytes(last);
    }

    /** Kept from a micro-batch's forward slot to its backward slot. */
    public long savedBytes() {
        return saved;
    }

    /** Kept from input gradients to weight gradients. */
    public long keptBytes() {
        return kept;
    }

    /** Transient bytes within a forward slot, on top of what the stage keeps. */
    public long forwardPeakBytes() {
        return forwardPeak;
    }

    /** Likewise within a backward slot. */
    public long backwardPeakBytes() {
        return backwardPeak;
    }
}
