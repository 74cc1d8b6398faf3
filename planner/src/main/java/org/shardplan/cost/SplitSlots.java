package org.shardplan.cost;

/**
 * Slots of a schedule that keeps weight gradients apart, or runs forward beside backward slots; arrays by virtual stage, times in
 * nanoseconds. Empty arrays where a schedule does neither.
 *
 * @param input a backward slot without weight gradients
 * @param weight a slot of weight gradients
 * @param lastWeight the one that makes the stage's last, interference of overlapped reductions included
 * @param weightReady as {@code bucketReady}, from the start of that slot on
 * @param hidden what a forward slot of the stage beside a backward slot of the same stage saves; beside another stage's the lesser of both
 * @param inputTensor exposed tensor-parallel communication of {@code input}, {@code weightTensor} of {@code weight}
 * @param inputData likewise data-parallel communication
 */
public record SplitSlots(
        long[] input,
        long[] weight,
        long[] lastWeight,
        long[][] weightReady,
        long[] hidden,
        long[] inputTensor,
        long[] weightTensor,
        long[] inputData,
        long[] weightData) {
    private static final long[] NO_TIMES = {};

    /** Of a schedule that has none of these. */
    public static final SplitSlots NONE = new SplitSlots(
            NO_TIMES, NO_TIMES, NO_TIMES, new long[0][], NO_TIMES, NO_TIMES, NO_TIMES, NO_TIMES, NO_TIMES);

    /** All zero, for so many virtual stages. */
    public static SplitSlots of(int stages) {
        return new SplitSlots(
                new long[stages],
                new long[stages],
                new long[stages],
                new long[stages][0],
                new long[stages],
                new long[stages],
                new long[stages],
                new long[stages],
                new long[stages]);
    }

    /** Whether the schedule has such slots. */
    public boolean exist() {
        return weight.length > 0;
    }

    /** Nanoseconds of a forward slot beside a backward slot of another stage, or the same. */
    public long beside(long forward, int forwardStage, long backward, int backwardStage) {
        return forward + backward - Math.min(hidden[forwardStage], hidden[backwardStage]);
    }

    /** Arrays of its own. */
    public SplitSlots copy() {
        long[][] ready = new long[weightReady.length][];
        for (int q = 0; q < ready.length; q++) {
            ready[q] = weightReady[q].clone();
        }
        return new SplitSlots(
                input.clone(),
                weight.clone(),
                lastWeight.clone(),
                ready,
                hidden.clone(),
                inputTensor.clone(),
                weightTensor.clone(),
                inputData.clone(),
                weightData.clone());
    }

    /** The same times of another stage. */
    void copy(int from, int to) {
        for (long[] times :
                new long[][] {input, weight, lastWeight, hidden, inputTensor, weightTensor, inputData, weightData}) {
            times[to] = times[from];
        }
        weightReady[to] = weightReady[from];
    }
}
