package org.shardplan.workload;

import java.util.List;
import java.util.Set;

/**
 * How one software generation behaves: what it fuses, overlaps, keeps and recomputes. Data, read from a resource file
 * where each statement names its source.
 *
 * @param name for example {@code megatron-core}
 * @param title one line for people
 * @param kernels what it fuses
 * @param overlap what it hides behind compute
 * @param memory what it keeps
 * @param host what the host costs
 * @param limits which plans it can run
 * @param mixture how it runs mixtures of experts
 * @param sharding how it splits sequences, and over which ranks it shards states
 * @param sources where the statements come from
 */
public record Framework(
        String name,
        String title,
        Kernels kernels,
        Overlap overlap,
        Memory memory,
        Host host,
        Limits limits,
        Mixture mixture,
        Sharding sharding,
        List<String> sources) {

    /** One whose experts cost no time of the host, that splits no sequence and shards over all data ranks. */
    public Framework(
            String name,
            String title,
            Kernels kernels,
            Overlap overlap,
            Memory memory,
            Host host,
            Limits limits,
            List<String> sources) {
        this(name, title, kernels, overlap, memory, host, limits, Mixture.LEAST, Sharding.NONE, sources);
    }

    /** The same that splits sequences, or shards states, otherwise. */
    public Framework with(Sharding other) {
        return new Framework(name, title, kernels, overlap, memory, host, limits, mixture, other, sources);
    }

    /** The same with other fusions. */
    public Framework with(Kernels other) {
        return new Framework(name, title, other, overlap, memory, host, limits, mixture, sharding, sources);
    }

    /** The same with other overlap. */
    public Framework with(Overlap other) {
        return new Framework(name, title, kernels, other, memory, host, limits, mixture, sharding, sources);
    }

    /** The same that keeps other bytes. */
    public Framework with(Memory other) {
        return new Framework(name, title, kernels, overlap, other, host, limits, mixture, sharding, sources);
    }

    /** The same with other host costs. */
    public Framework with(Host other) {
        return new Framework(name, title, kernels, overlap, memory, other, limits, mixture, sharding, sources);
    }

    /** The same that runs experts in another way. */
    public Framework with(Mixture other) {
        return new Framework(name, title, kernels, overlap, memory, host, limits, other, sharding, sources);
    }

    /**
     * Fusions.
     *
     * @param flashAttention uses fused attention on devices that have it
     * @param fusedSoftmax scale, mask and softmax in one kernel where attention is not fused
     * @param fusedPointwise bias, activation, dropout and residual fused into one pass each
     * @param fusedCrossEntropy no 32-bit copy of the logits besides the result
     * @param fusedWeightGradient the weight-gradient product adds into the gradient buffer itself
     * @param memoryTraffic bytes of memory-bound kernels over the least possible
     * @param castGathers in 8 bits and less, tensor ranks gather what is cast already
     */
    public record Kernels(
            boolean flashAttention,
            boolean fusedSoftmax,
            boolean fusedPointwise,
            boolean fusedCrossEntropy,
            boolean fusedWeightGradient,
            double memoryTraffic,
            boolean castGathers) {

        /** Fusions of a framework that gathers 16 bits. */
        public Kernels(
                boolean flashAttention,
                boolean fusedSoftmax,
                boolean fusedPointwise,
                boolean fusedCrossEntropy,
                boolean fusedWeightGradient,
                double memoryTraffic) {
            this(
                    flashAttention,
                    fusedSoftmax,
                    fusedPointwise,
                    fusedCrossEntropy,
                    fusedWeightGradient,
                    memoryTraffic,
                    false);
        }

        /** The same with or without fused attention. */
        public Kernels withFlashAttention(boolean flash) {
            return new Kernels(
                    flash,
                    fusedSoftmax,
                    fusedPointwise,
                    fusedCrossEntropy,
                    fusedWeightGradient,
                    memoryTraffic,
                    castGathers);
        }

        /** The same with other bytes of memory-bound kernels. */
        public Kernels withMemoryTraffic(double traffic) {
            return new Kernels(
                    flashAttention,
                    fusedSoftmax,
                    fusedPointwise,
                    fusedCrossEntropy,
                    fusedWeightGradient,
                    traffic,
                    castGathers);
        }
    }

    /**
     * What runs beside compute on a stream of its own.
     *
     * @param weightGradientOverlap a linear layer's input-gradient collective runs beside its weight-gradient product
     * @param tensorChunks gathers before and scatters after a tensor-parallel product are cut in as many chunks as there are ranks,
     *     each of which moves beside the product of another one
     * @param gradientReduce data-parallel reductions run beside the last micro-batch's backward pass
     * @param parameterGather ZeRO's gathers run beside compute
     * @param messages that a layer's parameters are gathered in, and its gradients reduced: 1 where they lie in one buffer
     * @param pipelineSends sends of an interleaved schedule do not block the sender's compute
     * @param scatterGatherSends boundary activations that all tensor ranks hold are sent in parts and gathered (SC'21)
     * @param interference slowdown of compute while a data-parallel collective runs beside it, as a share of the hidden time
     * @param tensorInterference likewise of a tensor-parallel collective; above 1 where both at once cost more than one after
     *     the other
     * @param sendInterference likewise of a pipeline send that does not block
     */
    public record Overlap(
            boolean weightGradientOverlap,
            boolean tensorChunks,
            boolean gradientReduce,
            boolean parameterGather,
            int messages,
            boolean pipelineSends,
            boolean scatterGatherSends,
            double interference,
            double tensorInterference,
            double sendInterference) {

        /** The same where tensor-parallel collectives run beside products, or not. */
        public Overlap withTensor(boolean weightGradients, boolean chunks) {
            return new Overlap(
                    weightGradients,
                    chunks,
                    gradientReduce,
                    parameterGather,
                    messages,
                    pipelineSends,
                    scatterGatherSends,
                    interference,
                    tensorInterference,
                    sendInterference);
        }

        /** The same where data-parallel collectives run beside compute, or not. */
        public Overlap withData(boolean reduces, boolean gathers, int layerMessages) {
            return new Overlap(
                    weightGradientOverlap,
                    tensorChunks,
                    reduces,
                    gathers,
                    layerMessages,
                    pipelineSends,
                    scatterGatherSends,
                    interference,
                    tensorInterference,
                    sendInterference);
        }

        /** The same with other slowdowns of what overlaps. */
        public Overlap withInterference(double data, double tensor, double send) {
            return new Overlap(
                    weightGradientOverlap,
                    tensorChunks,
                    gradientReduce,
                    parameterGather,
                    messages,
                    pipelineSends,
                    scatterGatherSends,
                    data,
                    tensor,
                    send);
        }
    }

    /**
     * Bytes.
     *
     * @param gradientBytes a gradient element, as accumulated
     * @param reduceBytes a gradient element, as reduced over data ranks
     * @param accumulationBytes moved to add one element of a micro-batch's weight gradient to the buffer; where the product adds
     *     it itself, as many as would take the time by which that slows it
     * @param masterBytes a 32-bit master copy, 0 = none
     * @param stateBytes one optimizer state
     * @param contextBytes CUDA context and libraries, not visible to the allocator
     * @param communicatorBytes buffers of one communicator
     * @param fragmentation reserved over allocated, minus 1
     * @param recomputeSelective what "selective" recomputes, words of {@link #RECOMPUTED}
     * @param workspace what its code allocates besides
     */
    public record Memory(
            int gradientBytes,
            int reduceBytes,
            int accumulationBytes,
            int masterBytes,
            int stateBytes,
            long contextBytes,
            long communicatorBytes,
            double fragmentation,
            Set<String> recomputeSelective,
            Workspace workspace) {

        /**
         * Operators of a layer that "selective" can recompute. {@code attention-core}: scores and softmax where attention is not
         * fused; {@code keys}: the key's part of the joint projection; {@code up}: the second half of a gated MLP's first product; {@code latent-up}: queries, keys and values from
         * latent attention's narrow ones; {@code experts-activation}: that of routed experts alone.
         */
        public static final Set<String> RECOMPUTED = Set.of(
                "attention-core",
                "attention",
                "norm",
                "qkv",
                "keys",
                "rotary",
                "attention-out",
                "residual",
                "latent-up",
                "mlp-in",
                "up",
                "activation",
                "experts-activation",
                "mlp-out");

        /** Memory of a framework whose code keeps what its operators need and no more. */
        public Memory(
                int gradientBytes,
                int reduceBytes,
                int accumulationBytes,
                int masterBytes,
                int stateBytes,
                long contextBytes,
                long communicatorBytes,
                double fragmentation,
                Set<String> recomputeSelective) {
            this(
                    gradientBytes,
                    reduceBytes,
                    accumulationBytes,
                    masterBytes,
                    stateBytes,
                    contextBytes,
                    communicatorBytes,
                    fragmentation,
                    recomputeSelective,
                    Workspace.LEAST);
        }

        /** The same where "selective" recomputes other operators. */
        public Memory withRecomputeSelective(Set<String> operators) {
            return new Memory(
                    gradientBytes,
                    reduceBytes,
                    accumulationBytes,
                    masterBytes,
                    stateBytes,
                    contextBytes,
                    communicatorBytes,
                    fragmentation,
                    operators,
                    workspace);
        }

        /** The same with other widths of a gradient element. */
        public Memory withGradient(int accumulated, int reduced) {
            return new Memory(
                    accumulated,
                    reduced,
                    accumulationBytes,
                    masterBytes,
                    stateBytes,
                    contextBytes,
                    communicatorBytes,
                    fragmentation,
                    recomputeSelective,
                    workspace);
        }
    }

    /**
     * Host costs, in seconds.
     *
     * @param launchSeconds least time from one kernel to the next one
     * @param layerFloorSeconds least time of one layer's forward pass at any size (Python, dispatch)
     * @param collectiveSeconds more of it for each tensor-parallel collective of the pass
     * @param microBatchSeconds beside each micro-batch's forward and backward pass on a stage
     * @param stepSeconds beside each step (optimizer launch, loss reduction, logging)
     */
    public record Host(
            double launchSeconds,
            double layerFloorSeconds,
            double collectiveSeconds,
            double microBatchSeconds,
            double stepSeconds) {}

    /**
     * Which plans it can run.
     *
     * @param maxZero highest ZeRO stage
     * @param maxZeroWithPipeline highest ZeRO stage when pp > 1
     * @param sequenceParallel whether sp exists
     * @param schedules which pipeline schedules it runs
     * @param unevenLayouts whether stages may have unlike numbers of layers
     * @param tensorParallel whether tp exists
     * @param selectiveRecompute whether recompute=selective exists
     * @param keyValueReplication whether tp may exceed the key-value heads
     * @param vocabMultiple vocabulary is padded to a multiple of this times tp
     * @param recomputeByRank whether ranks may recompute unlike numbers of layers in full; else every chunk recomputes the same
     * @param lowPrecision whether products may run in 8 bits and less
     */
    public record Limits(
            int maxZero,
            int maxZeroWithPipeline,
            boolean sequenceParallel,
            PipelineSchedules schedules,
            boolean unevenLayouts,
            boolean tensorParallel,
            boolean selectiveRecompute,
            boolean keyValueReplication,
            long vocabMultiple,
            boolean recomputeByRank,
            boolean lowPrecision) {

        /** Limits of a framework whose ranks may recompute unlike numbers of layers. */
        public Limits(
                int maxZero,
                int maxZeroWithPipeline,
                boolean sequenceParallel,
                PipelineSchedules schedules,
                boolean unevenLayouts,
                boolean tensorParallel,
                boolean selectiveRecompute,
                boolean keyValueReplication,
                long vocabMultiple) {
            this(
                    maxZero,
                    maxZeroWithPipeline,
                    sequenceParallel,
                    schedules,
                    unevenLayouts,
                    tensorParallel,
                    selectiveRecompute,
                    keyValueReplication,
                    vocabMultiple,
                    true,
                    true);
        }

        /** Whether vpp exists. */
        public boolean interleaved() {
            return schedules.kinds().contains("interleaved");
        }
    }
}
