package org.shardplan.cost;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.shardplan.cluster.Cluster;
import org.shardplan.graph.Block;
import org.shardplan.program.BlockProgram;
import org.shardplan.program.GroupPattern;
import org.shardplan.program.Kernel;
import org.shardplan.program.Task;
import org.shardplan.workload.Framework;

/** Prices lowered blocks: each task by kernel and collective model, then a sweep over the block's streams. */
public final class BlockPricer {
    private final KernelModel kernels;
    private final CollectiveModel collectives;
    private final Cluster cluster;
    private final Framework framework;
    private final Map<Key, BlockCost> costs = new ConcurrentHashMap<>();

    /** Programs are compared by identity: a cache of lowered blocks gives the same object for the same block. */
    private record Key(int identity, GroupPattern tensor) {}

    public BlockPricer(KernelModel kernels, CollectiveModel collectives, Cluster cluster, Framework framework) {
        this.kernels = kernels;
        this.collectives = collectives;
        this.cluster = cluster;
        this.framework = framework;
    }

    /** Price of a block whose tensor-parallel group is {@code tensor}. */
    public BlockCost price(BlockProgram program, GroupPattern tensor) {
        return costs.computeIfAbsent(new Key(System.identityHashCode(program), tensor), _ -> compute(program, tensor));
    }

    private BlockCost compute(BlockProgram program, GroupPattern tensor) {
        double floor =
                program.block().kind() == Block.Kind.LAYER ? framework.host().layerFloorSeconds() : 0;
        Sum forward = sweep(program.forward(), tensor).atLeast(floor);
        Sum backward = sweep(program.backward(), tensor).atLeast(2 * floor);
        Sum selective = sweep(program.recomputeSelective(), tensor);
        Sum full = sweep(program.recomputeFull(), tensor).atLeast(floor);
        long partial = program.parameters().stream()
                .filter(parameter -> parameter.gradientPartialOn().contains("tp"))
                .mapToLong(BlockProgram.LocalParameter::elements)
                .sum();
        long shared = program.parameters().stream()
                .filter(BlockProgram.LocalParameter::shared)
                .mapToLong(BlockProgram.LocalParameter::elements)
                .sum();
        return new BlockCost(
                forward.seconds,
                forward.exposed(),
                backward.seconds,
                backward.exposed(),
                selective.seconds,
                full.seconds,
                full.exposed(),
                BlockProgram.bytes(program.saved()),
                BlockProgram.bytes(program.savedSelective()),
                BlockProgram.bytes(program.savedFull()),
                program.output(),
                program.outputReplicated(),
                program.parameterElements(),
                shared,
                partial,
                program.transientBytes(),
                forward.flops,
                backward.flops,
                selective.flops);
    }

    /** End of a task list, compute seconds within it, FLOPs. */
    private record Sum(double seconds, double compute, double flops) {
        Sum atLeast(double floor) {
            double lift = Math.max(0, floor - seconds);
            return lift == 0 ? this : new Sum(seconds + lift, compute + lift, flops);
        }

        double exposed() {
            return Math.max(0, seconds - compute);
        }
    }

    /**
     * Longest path over the streams: tasks of a stream in order, each after what it waits for. Collectives that run beside
     * compute take multiprocessors and memory bandwidth from it: a share of the hidden time comes back as interference.
     */
    private Sum sweep(List<Task> tasks, GroupPattern tensor) {
        double[] ends = new double[tasks.size()];
        double[] streamEnds = new double[Task.Stream.values().length];
        double compute = 0;
        double communication = 0;
        double flops = 0;
        for (int i = 0; i < ends.length; i++) {
            Task task = tasks.get(i);
            double start = streamEnds[task.stream().ordinal()];
            for (int before : task.after()) {
                start = Math.max(start, ends[before]);
            }
            double seconds = seconds(task.work(), tensor);
            if (task.work() instanceof Task.Segment(List<Kernel> all)) {
                compute += seconds;
                flops += all.stream().mapToDouble(Kernel::matmulFlops).sum();
            } else {
                communication += seconds;
            }
            ends[i] = start + seconds;
            streamEnds[task.stream().ordinal()] = ends[i];
        }
        double end = Arrays.stream(ends).max().orElse(0);
        double hidden = Math.max(0, compute + communication - end);
        return new Sum(end + framework.overlap().tensorInterference() * hidden, compute, flops);
    }

    private double seconds(Task.Work work, GroupPattern tensor) {
        return switch (work) {
            case Task.Segment(List<Kernel> all) -> {
                double seconds = 0;
                for (Kernel kernel : all) {
                    seconds += kernels.seconds(kernel, cluster.device(), framework);
                }
                yield seconds;
            }
            case Task.Collective(Task.CollectiveKind kind, String _, long bytes) ->
                collectives.seconds(kind, bytes, tensor, cluster);
        };
    }
}
