package org.shardplan.cost;

import java.util.List;
import org.shardplan.program.GroupPattern;
import org.shardplan.program.Program;
import org.shardplan.program.StageProgram.Level;
import org.shardplan.program.StageProgram.Run;
import org.shardplan.program.Task;
import org.shardplan.program.Task.CollectiveKind;
import org.shardplan.workload.Framework;

/** How long the messages of a program keep each link busy: the same messages that {@link ProgramPricer} has given a time to. */
final class LinkPricer {
    private final DeviceLinks links;
    private final Framework framework;
    private final int weightBytes;
    private final double residual;
    private final Program program;
    private final PricingInput input;
    private final DataGroups data;
    private final int stages;

    LinkPricer(
            DeviceLinks links,
            Framework framework,
            int weightBytes,
            double residual,
            Program program,
            PricingInput input) {
        this.links = links;
        this.framework = framework;
        this.weightBytes = weightBytes;
        this.residual = residual;
        this.program = program;
        this.input = input;
        data = input.data();
        stages = input.stages().size();
    }

    LinkUse price() {
        long[][] forward = new long[stages][];
        long[][] backward = new long[stages][];
        long[][] sends = new long[stages][];
        long[][] gradientSends = new long[stages][];
        long[][][] buckets = new long[stages][][];
        for (int q = 0; q < stages; q++) {
            forward[q] = slot(q, false);
            backward[q] = slot(q, true);
            sends[q] = send(q);
            gradientSends[q] = q == 0 ? new long[links.names().size()] : sends[q - 1];
            buckets[q] = buckets(q);
        }
        int ranks = input.ranks();
        long[][] head = new long[ranks][];
        long[][] reduceTail = new long[ranks][];
        long[][] optimizerTail = new long[ranks][];
        long[] elements = input.elements();
        long[] experts = input.expertElements();
        boolean gathers = input.zero() == 1 || input.zero() == 2;
        boolean gatherLater = framework.overlap().parameterGather();
        for (int rank = 0; rank < ranks; rank++) {
            long dense = elements[rank] - experts[rank];
            double[] first = busy();
            double[] reduce = busy();
            double[] gather = busy();
            if (gathers && gatherLater) {
                addGather(first, 1, firstBlock(rank), 0);
            }
            if (input.zero() < 2 && !framework.overlap().gradientReduce()) {
                addReduce(reduce, 1, dense, experts[rank]);
            }
            if (gathers && !gatherLater) {
                addGather(gather, 1, dense, experts[rank]);
            }
            head[rank] = nanos(first);
            reduceTail[rank] = nanos(reduce);
            optimizerTail[rank] = nanos(gather);
        }
        return new LinkUse(
                links.names(),
                forward,
                backward,
                sends,
                gradientSends,
                buckets,
                head,
                reduceTail,
                optimizerTail,
                tied());
    }

    private double[] busy() {
        return new double[links.names().size()];
    }

    private long[] nanos(double[] busy) {
        long[] nanos = new long[busy.length];
        for (int i = 0; i < busy.length; i++) {
            nanos[i] = Math.min(PricedProgram.MOST_NANOS, Math.round(busy[i] * residual * 1e9));
        }
        return nanos;
    }

    private long[] slot(int q, boolean backward) {
        double[] busy = busy();
        List<Run> runs = program.stages().get(q).runs();
        for (int i = 0; i < runs.size(); i++) {
            Run run = runs.get(i);
            if (backward) {
                addTasks(busy, run, run.program().backward());
                if (run.level() != Level.NONE) {
                    boolean full = run.level() == Level.FULL;
                    addTasks(
                            busy,
                            run,
                            full ? run.program().recomputeFull() : run.program().recomputeSelective());
                }
            } else {
                addTasks(busy, run, run.program().forward());
            }
            BlockCost cost = input.stages().get(q).get(i).cost();
            if (input.zero() == 3) {
                addGather(busy, run.repeats(), cost.denseElements(), cost.expertElements());
            }
            if (input.zero() >= 2 && backward) {
                addReduce(busy, run.repeats(), cost.denseElements(), cost.expertElements());
            }
        }
        return nanos(busy);
    }

    private void addTasks(double[] busy, Run run, List<Task> tasks) {
        for (Task task : tasks) {
            if (task.work() instanceof Task.Collective(CollectiveKind kind, String dims, long bytes)) {
                boolean once = kind == CollectiveKind.ALL_TO_ALL
                        && dims.startsWith("ep")
                        && framework.mixture().dispatcher().sendsOnce();
                TokenCopies copies = once ? TokenCopies.of(run.program().block()) : TokenCopies.EACH;
                links.add(busy, run.repeats(), kind, bytes, group(dims), copies);
            }
        }
    }

    /** Neighbouring dimensions at once are one group. */
    private GroupPattern group(String dims) {
        int size = 1;
        int stride = Integer.MAX_VALUE;
        for (String dim : dims.split("\\+", -1)) {
            GroupPattern group = program.group(dim);
            size *= group.size();
            stride = group.size() > 1 ? Math.min(stride, group.stride()) : stride;
        }
        return new GroupPattern(size, size > 1 ? stride : 1);
    }

    private void addGather(double[] busy, int times, long dense, long expert) {
        links.add(busy, times, CollectiveKind.ALL_GATHER, dense * weightBytes, data.dense());
        links.add(busy, times, CollectiveKind.ALL_GATHER, expert * weightBytes, data.expert());
    }

    private void addReduce(double[] busy, int times, long dense, long expert) {
        CollectiveKind kind = input.zero() == 0 ? CollectiveKind.ALL_REDUCE : CollectiveKind.REDUCE_SCATTER;
        int bytes = framework.memory().reduceBytes();
        addReduce(busy, times, kind, dense * bytes, data.dense(), data.denseReplicas());
        addReduce(busy, times, kind, expert * bytes, data.expert(), data.expertReplicas());
    }

    /** Within each group, then what a rank is left with over the groups. */
    private void addReduce(
            double[] busy, int times, CollectiveKind kind, long bytes, GroupPattern shards, GroupPattern replicas) {
        links.add(busy, times, kind, bytes, shards);
        links.add(busy, times, CollectiveKind.ALL_REDUCE, Math.ceilDiv(bytes, Math.max(1, shards.size())), replicas);
    }

    private long[] send(int q) {
        double[] busy = busy();
        List<CostRun> stage = input.stages().get(q);
        if (q < stages - 1 && input.ranks() > 1 && !stage.isEmpty()) {
            BlockCost cost = stage.getLast().cost();
            GroupPattern tensor = input.tensor();
            boolean parts = cost.outputReplicated()
                    && tensor.size() > 1
                    && framework.overlap().scatterGatherSends();
            long bytes = parts ? Math.ceilDiv(cost.outputBytes(), tensor.size()) : cost.outputBytes();
            links.addSend(busy, 1, bytes, input.pipelineStride());
            if (parts) {
                links.add(busy, 1, CollectiveKind.ALL_GATHER, cost.outputBytes(), tensor);
            }
        }
        return nanos(busy);
    }

    /** As the pricer makes them: one a block repeat in backward order. */
    private long[][] buckets(int q) {
        boolean reduces = framework.overlap().gradientReduce() && input.zero() < 2 && data.ranks() > 1;
        List<CostRun> stage = reduces ? input.stages().get(q) : List.of();
        int count = stage.stream().mapToInt(CostRun::repeats).sum();
        long[][] buckets = new long[count][];
        int bucket = 0;
        for (CostRun run : stage.reversed()) {
            double[] busy = busy();
            addReduce(busy, 1, run.cost().denseElements(), run.cost().expertElements());
            long[] nanos = nanos(busy);
            for (int repeat = 0; repeat < run.repeats(); repeat++) {
                buckets[bucket++] = nanos;
            }
        }
        return buckets;
    }

    private long firstBlock(int rank) {
        for (int q = 0; q < stages; q++) {
            if (input.schedule().rankOf(q) == rank && !input.stages().get(q).isEmpty()) {
                return input.stages().get(q).getFirst().cost().elements();
            }
        }
        return 0;
    }

    private long[] tied() {
        double[] busy = busy();
        if (input.ranks() > 1 && input.shared() > 0) {
            int distance = (input.ranks() - 1) * input.pipelineStride();
            long bytes = input.shared() * framework.memory().reduceBytes();
            links.add(busy, 1, CollectiveKind.ALL_REDUCE, bytes, new GroupPattern(2, distance));
        }
        return nanos(busy);
    }
}
