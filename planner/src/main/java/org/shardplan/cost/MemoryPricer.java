package org.shardplan.cost;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.shardplan.cluster.Cluster;
import org.shardplan.plan.Shorthand;
import org.shardplan.program.BlockProgram;
import org.shardplan.program.GroupPattern;
import org.shardplan.program.Program;
import org.shardplan.program.StageProgram;
import org.shardplan.program.StageProgram.Level;
import org.shardplan.program.StageProgram.Run;
import org.shardplan.workload.Framework;
import org.shardplan.workload.Workload;

/**
 * Bytes of a program by rank and stage. States follow ZeRO's table (Rajbhandari et al. 2020, figure 1) with the framework's widths:
 * 2 + 4 + 12 bytes an element in Megatron with 32-bit gradients and Adam.
 */
public final class MemoryPricer {
    private final BlockPricer blocks;
    private final Cluster cluster;
    private final Framework framework;
    private final Workload workload;
    private final int weightBytes;

    MemoryPricer(
            BlockPricer blocks, Cluster cluster, Framework framework, Workload workload, int weightBytes) {
        this.blocks = blocks;
        this.cluster = cluster;
        this.framework = framework;
        this.workload = workload;
        this.weightBytes = weightBytes;
    }

    /** Bytes of working weights for so many elements of a rank. */
    public long parametersBytes(long elements, int zero, int dataRanks) {
        return share(elements * weightBytes, zero >= 3, dataRanks);
    }

    public long gradientsBytes(long elements, int zero, int dataRanks) {
        return share(elements * framework.memory().gradientBytes(), zero >= 2, dataRanks);
    }

    /** Master weights and optimizer states. */
    public long optimizerBytes(long elements, int zero, int dataRanks) {
        Framework.Memory memory = framework.memory();
        long each = memory.masterBytes() + (long) memory.stateBytes() * workload.optimizer().states;
        return share(elements * each, zero >= 1, dataRanks);
    }

    private static long share(long bytes, boolean sharded, int ranks) {
        return sharded ? Math.ceilDiv(bytes, ranks) : bytes;
    }

    /** Outside the allocator: context, and buffers of each communicator that the plan opens. */
    public long contextBytes(int tp, int pp, int dp) {
        int communicators = 1 + (tp > 1 ? 1 : 0) + (dp > 1 ? 1 : 0) + (pp > 1 ? 2 : 0);
        return framework.memory().contextBytes() + communicators * framework.memory().communicatorBytes();
    }

    /** Activations that one repeat keeps. */
    public static long savedBytes(BlockCost cost, Level level) {
        return switch (level) {
            case NONE -> cost.savedBytes();
            case SELECTIVE -> cost.savedSelectiveBytes();
            case FULL -> cost.savedFullBytes();
        };
    }

    /** Transient bytes of a forward slot: the operands of the largest operator, and a send's buffer. */
    public static long forwardPeakBytes(BlockCost cost) {
        return 2 * cost.largestBytes() + cost.outputBytes();
    }

    /** Transient bytes of a backward slot: gradients of the largest activation, and what recomputation brings back. */
    public static long backwardPeakBytes(BlockCost cost, Level level) {
        long recomputed = savedBytes(cost, Level.NONE) - savedBytes(cost, level);
        return 2 * cost.largestBytes() + cost.outputBytes() + recomputed;
    }

    /** Gathered parameters of two layers at a time (the one that runs, the one that is prefetched), and a gradient of one. */
    public long workingSetBytes(long largestBlockElements, int zero) {
        int gradient = zero >= 2 ? framework.memory().reduceBytes() : 0;
        int weights = zero >= 3 ? 2 * weightBytes : 0;
        return largestBlockElements * (weights + gradient);
    }

    StageMemory price(Program program) {
        Shorthand plan = program.plan().shorthand();
        GroupPattern tensor = program.group("tp");
        int ranks = program.classes().size();
        int stages = program.stages().size();
        long[] parameters = new long[ranks];
        long[] gradients = new long[ranks];
        long[] states = new long[ranks];
        long[] other = new long[ranks];
        long[] saved = new long[stages];
        long[] forwardPeak = new long[stages];
        long[] backwardPeak = new long[stages];
        for (int rank = 0; rank < ranks; rank++) {
            List<Integer> own = program.classes().get(rank).stages();
            long elements = elements(program, own);
            parameters[rank] = parametersBytes(elements, plan.zero(), plan.dp());
            gradients[rank] = gradientsBytes(elements, plan.zero(), plan.dp());
            states[rank] = optimizerBytes(elements, plan.zero(), plan.dp());
            other[rank] = plan.dp() > 1 ? workingSetBytes(largestBlock(program, own), plan.zero()) : 0;
        }
        for (int q = 0; q < stages; q++) {
            for (Run run : program.stages().get(q).runs()) {
                BlockCost cost = blocks.price(run.program(), tensor);
                saved[q] += savedBytes(cost, run.level()) * run.repeats();
                forwardPeak[q] = Math.max(forwardPeak[q], forwardPeakBytes(cost));
                backwardPeak[q] = Math.max(backwardPeak[q], backwardPeakBytes(cost, run.level()));
            }
        }
        return new StageMemory(
                parameters,
                gradients,
                states,
                other,
                saved,
                forwardPeak,
                backwardPeak,
                framework.memory().fragmentation(),
                contextBytes(plan.tp(), plan.pp(), plan.dp()),
                cluster.device().usableBytes());
    }

    /** Elements on a rank, a shared tensor once. */
    private static long elements(Program program, List<Integer> stages) {
        long elements = 0;
        Map<String, Long> shared = new LinkedHashMap<>();
        for (int q : stages) {
            for (Run run : program.stages().get(q).runs()) {
                for (BlockProgram.LocalParameter parameter : run.program().parameters()) {
                    if (parameter.shared()) {
                        shared.put(parameter.name(), parameter.elements());
                    } else {
                        elements += parameter.elements() * run.repeats();
                    }
                }
            }
        }
        return elements + shared.values().stream().mapToLong(Long::longValue).sum();
    }

    private long largestBlock(Program program, List<Integer> stages) {
        long largest = 0;
        for (int q : stages) {
            StageProgram stage = program.stages().get(q);
            for (Run run : stage.runs()) {
                largest = Math.max(largest, run.program().parameterElements());
            }
        }
        return largest;
    }
}
