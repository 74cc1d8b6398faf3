package org.shardplan.workload;

/**
 * How a framework runs mixtures of experts.
 *
 * <p>A layer with experts is many small kernels and, where no token is dropped, a question to the device: how many rows each expert
 * has. So the host decides its time unless CUDA graphs take the launches off it (runs of DeepSeek-V3 on 256 GB200, one plan: 34 ms a
 * layer and micro-batch with NCCL's all-to-all and no graphs, 17 with HybridEP and partial graphs).
 *
 * @param dispatcher how tokens go to their experts
 * @param exchangeOverlap an exchange runs beside another micro-batch's compute
 * @param graphs what CUDA graphs take off the host
 * @param layerSeconds least time of a layer's forward pass with experts, without graphs, beside that of any layer
 * @param latentSeconds likewise of latent attention in such a layer
 * @param waitSeconds of such a pass in which the device waits for the host to read how many rows each expert has
 * @param partialShare of these times that is left under partial graphs
 */
public record Mixture(
        Dispatcher dispatcher,
        boolean exchangeOverlap,
        Graphs graphs,
        double layerSeconds,
        double latentSeconds,
        double waitSeconds,
        double partialShare) {

    /** NCCL's all-to-all and no cost of the host. */
    public static final Mixture LEAST = new Mixture(Dispatcher.ALL_TO_ALL, false, Graphs.NONE, 0, 0, 0, 1);

    /** How tokens go to their experts. */
    public enum Dispatcher {
        /** One copy for each chosen expert, by NCCL. */
        ALL_TO_ALL("alltoall"),
        /** One copy for each node that holds a chosen expert, passed on inside the node (DeepEP). */
        DEEP_EP("deepep"),
        /** Likewise (HybridEP). */
        HYBRID_EP("hybridep");

        private final String text;

        Dispatcher(String text) {
            this.text = text;
        }

        public String text() {
            return text;
        }

        /**
         * How often a token's copies are read and written once more on each way: after an exchange they lie by sender, and experts want
         * them side by side. HybridEP's kernels put them there as they arrive.
         */
        public int sorts() {
            return this == HYBRID_EP ? 0 : 1;
        }

        /** Whether a token goes once to ranks that share a node. */
        public boolean sendsOnce() {
            return this != ALL_TO_ALL;
        }
    }

    /** What is launched by CUDA graphs. */
    public enum Graphs {
        NONE("none"),
        /** Attention, router, shared experts: what doesn't depend on the routing. */
        PARTIAL("partial"),
        /** The whole step. */
        FULL("full");

        private final String text;

        Graphs(String text) {
            this.text = text;
        }

        public String text() {
            return text;
        }
    }

    /** Share of the host's times that graphs leave to it. */
    public double hostShare() {
        return switch (graphs) {
            case NONE -> 1;
            case PARTIAL -> partialShare;
            case FULL -> 0;
        };
    }

    public Mixture with(Dispatcher other) {
        return new Mixture(other, exchangeOverlap, graphs, layerSeconds, latentSeconds, waitSeconds, partialShare);
    }

    public Mixture with(Graphs other) {
        return new Mixture(dispatcher, exchangeOverlap, other, layerSeconds, latentSeconds, waitSeconds, partialShare);
    }

    public Mixture withExchangeOverlap(boolean overlap) {
        return new Mixture(dispatcher, overlap, graphs, layerSeconds, latentSeconds, waitSeconds, partialShare);
    }
}
