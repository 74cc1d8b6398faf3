package org.shardplan.plan;

/**
 * What the forward pass throws away and the backward pass computes again.
 *
 * @param mode for the layers that are not recomputed in full
 * @param fullLayers layers of each pipeline stage that are recomputed in full, on top of {@code mode}; all = {@link #ALL}
 */
public record Recompute(Mode mode, int fullLayers) {
    public static final int ALL = Integer.MAX_VALUE;
    public static final Recompute NONE = new Recompute(Mode.NONE, 0);
    public static final Recompute SELECTIVE = new Recompute(Mode.SELECTIVE, 0);
    public static final Recompute FULL = new Recompute(Mode.NONE, ALL);

    /** Base mode of a layer. */
    public enum Mode {
        NONE,
        /** What the framework's record says (attention core in Megatron). */
        SELECTIVE
    }

    public boolean isFull() {
        return fullLayers == ALL;
    }

    /** {@code none}, {@code selective}, {@code full}, {@code full:4}, {@code selective+full:4}. */
    public String text() {
        if (isFull()) {
            return "full";
        }
        String base = mode == Mode.NONE ? "none" : "selective";
        if (fullLayers == 0) {
            return base;
        }
        return (mode == Mode.NONE ? "" : base + "+") + "full:" + fullLayers;
    }
}
