package org.shardplan.cost;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.shardplan.cluster.Cluster;
import org.shardplan.graph.Block;
import org.shardplan.plan.ExpertMesh;
import org.shardplan.program.BlockProgram;
import org.shardplan.program.BlockProgram.LocalParameter;
import org.shardplan.program.GroupPattern;
import org.shardplan.program.Kernel;
import org.shardplan.program.Task;
import org.shardplan.workload.Framework;
import org.shardplan.workload.Mixture;

/** Prices lowered blocks: each task by kernel and collective model, then a sweep over the block's streams. */
public final class BlockPricer {
    private final KernelModel kernels;
    private final CollectiveModel collectives;
    private final Cluster cluster;
    private final Framework framework;
    private final Map<Key, BlockCost> costs = new ConcurrentHashMap<>();

    /** Programs are compared by identity: a cache of lowered blocks gives the same object for the same block. */
    private record Key(int identity, Groups groups) {}

    /** Ranks of a block's collectives, and what is routed. */
    private record Groups(RankGroups ranks, TokenCopies routing) {
        GroupPattern of(String dims) {
            return ranks.of(dims);
        }

        GroupPattern tensor() {
            return ranks.tensor();
        }
    }

    public BlockPricer(KernelModel kernels, CollectiveModel collectives, Cluster cluster, Framework framework) {
        this.kernels = kernels;
        this.collectives = collectives;
        this.cluster = cluster;
        this.framework = framework;
    }

    /** Price of a block of a plan in which tensor ranks alone share work. */
    public BlockCost price(BlockProgram program, GroupPattern tensor) {
        return price(program, RankGroups.of(tensor, 1, ExpertMesh.NONE));
    }

    public BlockCost price(BlockProgram program, RankGroups ranks) {
        Groups groups = new Groups(ranks, TokenCopies.of(program.block()));
        return costs.computeIfAbsent(new Key(System.identityHashCode(program), groups), _ -> compute(program, groups));
    }

    private BlockCost compute(BlockProgram program, Groups groups) {
        Sum forward = pass(program.forward(), 1, program, groups);
        Sum backward = pass(program.backward(), 2, program, groups);
        Sum selective = sweep(program.recomputeSelective(), groups);
        Sum full = pass(program.recomputeFull(), 1, program, groups);
        long partial = program.elements(parameter ->
                parameter.trained() && parameter.gradientPartialOn().contains("tp"));
        return new BlockCost(
                forward.seconds,
                forward.exposed(),
                forward.context,
                backward.seconds,
                backward.exposed(),
                backward.context,
                selective.seconds,
                full.seconds,
                full.exposed(),
                full.context,
                BlockProgram.bytes(program.saved()),
                BlockProgram.bytes(program.savedSelective()),
                BlockProgram.bytes(program.savedFull()),
                program.output(),
                program.outputReplicated(),
                program.elements(LocalParameter::trained),
                program.elements(parameter -> parameter.trained() && parameter.shared()),
                partial,
                program.elements(parameter -> parameter.trained() && parameter.expert()),
                frozen(program),
                program.transientBytes(),
                forward.flops,
                backward.flops,
                selective.flops,
                framework.limits().schedules().splits() ? split(program, groups, forward, backward) : SplitCost.NONE);
    }

    private SplitCost split(BlockProgram program, Groups groups, Sum forward, Sum backward) {
        Sum inputs = pass(program.backwardInput(), 1, program, groups);
        Sum weights = pass(program.backwardWeight(), 1, program, groups);
        double least = program.block().kind() == Block.Kind.LAYER
                ? 3 * framework.host().layerFloorSeconds()
                : 0;
        double both = Math.max(least, beside(program.forward(), program.backward(), groups));
        return new SplitCost(
                inputs.seconds,
                inputs.exposed(),
                weights.seconds,
                weights.exposed(),
                Math.max(0, forward.seconds + backward.seconds - both),
                BlockProgram.bytes(program.keptForWeights()));
    }

    /**
     * Seconds of two task lists that share a device's streams: of the two tasks that come next, the one that may start first does. The
     * collectives of one so run beside the kernels of the other.
     */
    private double beside(List<Task> forward, List<Task> backward, Groups groups) {
        Times one = new Times(forward, groups, seconds(forward, groups));
        Times two = new Times(backward, groups, seconds(backward, groups));
        double[] streams = new double[Task.Stream.values().length];
        double compute = 0;
        double communication = 0;
        int i = 0;
        int j = 0;
        while (i < forward.size() || j < backward.size()) {
            boolean first =
                    j == backward.size() || (i < forward.size() && one.start(i, streams) < two.start(j, streams));
            Task task = first ? forward.get(i) : backward.get(j);
            double seconds = first ? one.run(i++, streams) : two.run(j++, streams);
            compute += task.work() instanceof Task.Segment ? seconds : 0;
            communication += task.work() instanceof Task.Segment ? 0 : seconds;
        }
        double end = Arrays.stream(streams).max().orElse(0);
        double hidden = Math.max(0, compute + communication - end);
        return end + framework.overlap().tensorInterference() * hidden;
    }

    private static BlockCost.Frozen frozen(BlockProgram program) {
        long elements = program.elements(parameter -> !parameter.trained());
        return elements == 0
                ? BlockCost.Frozen.NONE
                : new BlockCost.Frozen(
                        elements,
                        program.elements(parameter -> !parameter.trained() && parameter.shared()),
                        program.elements(parameter -> !parameter.trained() && parameter.expert()));
    }

    /** A pass with what the host needs for it, {@code passes} times as much as for a forward pass. */
    private Sum pass(List<Task> tasks, int passes, BlockProgram program, Groups groups) {
        Sum sum = sweep(tasks, groups);
        long layers = program.block().layersWithin();
        if (layers == 0 || tasks.isEmpty()) {
            return sum;
        }
        long collectives = tasks.stream()
                .filter(task -> task.work() instanceof Task.Collective)
                .count();
        Framework.Host host = framework.host();
        double floor = passes * layers * host.layerFloorSeconds() + collectives * host.collectiveSeconds();
        if (!groups.routing.isRouted()) {
            return sum.with(floor, cluster.blockingLaunches());
        }
        Mixture mixture = framework.mixture();
        double share = mixture.hostShare();
        double experts = mixture.layerSeconds() + (isLatent(program.block()) ? mixture.latentSeconds() : 0);
        return sum.later(passes * layers * share * mixture.waitSeconds())
                .with(share * (floor + passes * layers * experts), cluster.blockingLaunches());
    }

    private static boolean isLatent(Block block) {
        return block.operators().stream().anyMatch(operator -> operator.name().endsWith("kv.up"));
    }

    /** End of a task list; within it compute, and communication among context ranks that nothing hides; FLOPs. */
    private record Sum(double seconds, double compute, double context, double flops) {
        /** With the time of the host, beside the device or before it. */
        Sum with(double host, boolean blocking) {
            double lift = blocking ? host : Math.max(0, host - seconds);
            return lift == 0 ? this : new Sum(seconds + lift, compute + lift, context, flops);
        }

        /** With the device idle for a while. */
        Sum later(double idle) {
            return new Sum(seconds + idle, compute + idle, context, flops);
        }

        /** Tensor-parallel communication that nothing hides. */
        double exposed() {
            return Math.max(0, seconds - compute - context);
        }
    }

    /**
     * Longest path over the streams: tasks of a stream in order, each after what it waits for. Collectives that run beside
     * compute take multiprocessors and memory bandwidth from it: a share of the hidden time comes back as interference. What context ranks
     * send is exposed as far as the pass would be shorter if it took no time.
     */
    private Sum sweep(List<Task> tasks, Groups groups) {
        double[] seconds = new double[tasks.size()];
        double compute = 0;
        double tensor = 0;
        double context = 0;
        double flops = 0;
        for (int i = 0; i < seconds.length; i++) {
            Task task = tasks.get(i);
            seconds[i] = seconds(task.work(), groups);
            if (task.work() instanceof Task.Segment(List<Kernel> all)) {
                compute += seconds[i];
                flops += all.stream().mapToDouble(Kernel::matmulFlops).sum();
            } else if (task.stream() == Task.Stream.CONTEXT) {
                context += seconds[i];
            } else {
                tensor += seconds[i];
            }
        }
        double end = new Times(tasks, groups, seconds).end();
        double without = end;
        if (context > 0) {
            double[] free = seconds.clone();
            for (int i = 0; i < free.length; i++) {
                free[i] = tasks.get(i).stream() == Task.Stream.CONTEXT ? 0 : free[i];
            }
            without = new Times(tasks, groups, free).end();
        }
        Framework.Overlap overlap = framework.overlap();
        double exposed = Math.max(0, end - without);
        boolean exchanges = groups.routing.isRouted() && framework.mixture().exchangeOverlap();
        double slowdown = exchanges ? overlap.interference() : overlap.tensorInterference();
        double slower = slowdown * Math.max(0, compute + tensor - without)
                + overlap.sendInterference() * Math.max(0, context - exposed);
        return new Sum(end + slower, compute, exposed, flops);
    }

    /** When the tasks of a list start and end. */
    private final class Times {
        private final List<Task> tasks;
        private final GroupPattern tensor;
        private final boolean chunked;
        private final double[] seconds;
        private final double[] ends;
        private final double[] streamEnds = new double[Task.Stream.values().length];

        Times(List<Task> tasks, Groups groups, double[] seconds) {
            this.tasks = tasks;
            this.seconds = seconds;
            this.tensor = groups.tensor();
            chunked = framework.overlap().tensorChunks() && tensor.size() > 1;
            ends = new double[tasks.size()];
        }

        /** When all tasks have ended. */
        double end() {
            for (int i = 0; i < ends.length; i++) {
                run(i);
            }
            return Arrays.stream(ends).max().orElse(0);
        }

        private void run(int i) {
            Task task = tasks.get(i);
            double start = streamEnds[task.stream().ordinal()];
            double least = 0;
            double later = 1 - 1.0 / tensor.size();
            double first = chunked ? chunkedSeconds(i, true) : 0;
            for (int before : task.after()) {
                if (isFree(task) || isFree(tasks.get(before))) {
                    continue; // another micro-batch's compute runs beside this exchange
                }
                double last = chunked ? chunkedSeconds(before, false) : 0;
                boolean both = last > 0
                        && first > 0
                        && task.work() instanceof Task.Segment
                                != tasks.get(before).work() instanceof Task.Segment;
                // the later one of the two starts after a chunk of the other, and ends a chunk of its own after it
                start = Math.max(start, ends[before] - (both ? last * later : 0));
                least = Math.max(least, both ? ends[before] + seconds[i] - first * later : 0);
            }
            ends[i] = Math.max(start + seconds[i], least);
            streamEnds[task.stream().ordinal()] = ends[i];
        }

        /** When a task can start on streams that others use too, those before it in its list having run. */
        double start(int i, double[] streams) {
            double start = streams[tasks.get(i).stream().ordinal()];
            for (int before : tasks.get(i).after()) {
                start = Math.max(start, ends[before]);
            }
            return start;
        }

        /** Runs a task there; its seconds. */
        double run(int i, double[] streams) {
            ends[i] = start(i, streams) + seconds[i];
            streams[tasks.get(i).stream().ordinal()] = ends[i];
            return seconds[i];
        }

        private boolean isFree(Task task) {
            return framework.mixture().exchangeOverlap()
                    && task.work() instanceof Task.Collective(Task.CollectiveKind kind, String dim, long _)
                    && isExchange(kind, dim);
        }

        /** Seconds of the product that stands first or last in a segment, or of a gather or scatter; else 0. */
        private double chunkedSeconds(int i, boolean first) {
            return switch (tasks.get(i).work()) {
                case Task.Segment(List<Kernel> all) -> {
                    Kernel kernel = first ? all.getFirst() : all.getLast();
                    yield kernel instanceof Kernel.MatrixProduct
                            ? kernels.seconds(kernel, cluster.device(), framework)
                            : 0;
                }
                case Task.Collective(Task.CollectiveKind kind, String _, long _) ->
                    kind == Task.CollectiveKind.ALL_GATHER || kind == Task.CollectiveKind.REDUCE_SCATTER
                            ? seconds[i]
                            : 0;
            };
        }
    }

    private double[] seconds(List<Task> tasks, Groups groups) {
        return tasks.stream().mapToDouble(task -> seconds(task.work(), groups)).toArray();
    }

    private double seconds(Task.Work work, Groups groups) {
        return switch (work) {
            case Task.Segment(List<Kernel> all) -> {
                double seconds = 0;
                for (Kernel kernel : all) {
                    seconds += kernels.seconds(kernel, cluster.device(), framework);
                }
                yield seconds;
            }
            case Task.Collective(Task.CollectiveKind kind, String dim, long bytes) ->
                collectives.seconds(kind, bytes, groups.of(dim), cluster, copies(kind, dim, groups));
        };
    }

    private TokenCopies copies(Task.CollectiveKind kind, String dim, Groups groups) {
        boolean once = isExchange(kind, dim) && framework.mixture().dispatcher().sendsOnce();
        return once ? groups.routing : TokenCopies.EACH;
    }

    /** Whether tokens go to their experts or come back from them. */
    private static boolean isExchange(Task.CollectiveKind kind, String dim) {
        return kind == Task.CollectiveKind.ALL_TO_ALL && dim.startsWith("ep");
    }
}
