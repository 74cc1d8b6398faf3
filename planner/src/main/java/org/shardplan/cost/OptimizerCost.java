package org.shardplan.cost;

import org.shardplan.cluster.Device;
import org.shardplan.program.Kernel;
import org.shardplan.workload.Framework;
import org.shardplan.workload.Workload;

/** Seconds of the optimizer step: memory-bound passes over gradients, master weights and states. */
public final class OptimizerCost {
    private final KernelModel kernels;
    private final Device device;
    private final Framework framework;
    private final int bytesPerElement;

    OptimizerCost(KernelModel kernels, Device device, Framework framework, Workload workload, int weightBytes) {
        this.kernels = kernels;
        this.device = device;
        this.framework = framework;
        Framework.Memory memory = framework.memory();
        // read the gradient twice (norm, update); read and write master and states; write the working weight
        bytesPerElement = 2 * memory.gradientBytes()
                + 2 * memory.masterBytes()
                + 2 * memory.stateBytes() * workload.optimizer().states
                + weightBytes;
    }

    /** Of so many elements, shared out over data ranks from ZeRO 1 on. */
    public double seconds(long elements, int zero, int dataRanks) {
        return seconds(zero >= 1 ? Math.ceilDiv(elements, dataRanks) : elements);
    }

    /** Of dense parameters and experts, each shared out over the ranks that hold them. */
    double seconds(long dense, long expert, int zero, DataGroups groups) {
        return zero >= 1
                ? seconds(Math.ceilDiv(dense, groups.dense().size())
                        + Math.ceilDiv(expert, groups.expert().size()))
                : seconds(dense + expert);
    }

    private double seconds(long own) {
        return own == 0
                ? 0
                : kernels.seconds(new Kernel.MemoryBound("optimizer", own * bytesPerElement, 1), device, framework);
    }
}
