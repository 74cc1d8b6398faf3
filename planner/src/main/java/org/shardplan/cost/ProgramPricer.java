package org.shardplan.cost;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.shardplan.cluster.Cluster;
import org.shardplan.program.GroupPattern;
import org.shardplan.program.Program;
import org.shardplan.program.Task;
import org.shardplan.program.Task.CollectiveKind;
import org.shardplan.units.UserError;
import org.shardplan.workload.Framework;
import org.shardplan.workload.Workload;

/** Puts a price on each slot, send and reduction of a program: what {@link PricedProgram} says. */
public final class ProgramPricer {
    private final BlockPricer blocks;
    private final KernelModel kernels;
    private final CollectiveModel collectives;
    private final DataParallelCost data;
    private final MemoryPricer memory;
    private final Cluster cluster;
    private final Framework framework;
    private final Workload workload;
    private final OptimizerCost optimizer;
    private final double residual;

    public ProgramPricer(
            KernelModel kernels,
            CollectiveModel collectives,
            Calibration calibration,
            Cluster cluster,
            Framework framework,
            Workload workload,
            boolean experts) {
        this.kernels = kernels;
        this.collectives = collectives;
        this.cluster = cluster;
        this.framework = framework;
        this.workload = workload;
        int weightBytes = Math.max(2, workload.precision().bytes);
        blocks = new BlockPricer(kernels, collectives, cluster, framework);
        data = new DataParallelCost(collectives, cluster, framework, weightBytes);
        memory = new MemoryPricer(cluster, framework, workload, weightBytes);
        optimizer = new OptimizerCost(kernels, cluster.device(), framework, workload, weightBytes);
        String software = Calibration.software(framework.name(), workload.precision(), experts);
        residual = calibration.residual(software, cluster.device());
    }

    public BlockPricer blocks() {
        return blocks;
    }

    public DataParallelCost data() {
        return data;
    }

    public MemoryPricer memory() {
        return memory;
    }

    public OptimizerCost optimizer() {
        return optimizer;
    }

    /** Seconds of those collectives of a list that no product hides, each at the rate of a message of a tebibyte. */
    public double highestRateSeconds(List<Task> tasks, GroupPattern group) {
        long large = 1L << 40;
        double seconds = 0;
        for (Task task : tasks) {
            if (task.work() instanceof Task.Collective(CollectiveKind kind, String _, long bytes)
                    && (kind == CollectiveKind.ALL_REDUCE
                            || !framework.overlap().tensorChunks())) {
                seconds += collectives.seconds(kind, large, group, cluster) / large * bytes;
            }
        }
        return seconds;
    }

    /** No product of the workload runs faster on this device, FLOP/s. */
    public double highestFlops() {
        return kernels.on(cluster.device(), framework).highestFlops(workload.precision());
    }

    /** Measured over modelled time of this framework on this device; every duration is multiplied by it. */
    public double residual() {
        return residual;
    }

    /** The whole program, priced. */
    public PricedProgram price(Program program) {
        return price(PricingInput.of(program, blocks));
    }

    /** A program whose blocks are priced. */
    public PricedProgram price(PricingInput input) {
        return new Pricing(input).price();
    }

    /** How long the program's messages keep each link of a device busy. */
    public LinkUse links(Program program) {
        int weightBytes = Math.max(2, workload.precision().bytes);
        PricingInput input = PricingInput.of(program, blocks);
        return new LinkPricer(new DeviceLinks(cluster), framework, weightBytes, residual, program, input).price();
    }

    /** Seconds of a boundary send between neighbouring pipeline ranks. */
    public double sendSeconds(long bytes, boolean replicated, GroupPattern tensor, int pipelineStride) {
        if (replicated && tensor.size() > 1 && framework.overlap().scatterGatherSends()) {
            return collectives.sendSeconds(Math.ceilDiv(bytes, tensor.size()), pipelineStride, cluster)
                    + collectives.seconds(CollectiveKind.ALL_GATHER, bytes, tensor, cluster);
        }
        return collectives.sendSeconds(bytes, pipelineStride, cluster);
    }

    /** Seconds to sum a gradient that two ranks {@code distance} apart share. */
    public double tiedSeconds(long elements, int distance) {
        if (elements == 0) {
            return 0;
        }
        long bytes = elements * framework.memory().reduceBytes();
        return collectives.seconds(CollectiveKind.ALL_REDUCE, bytes, new GroupPattern(2, distance), cluster);
    }

    /** Seconds to sum the norms' gradients over tensor ranks, at the end of a step. */
    public double tensorPartialSeconds(long elements, GroupPattern tensor) {
        if (elements == 0 || tensor.size() == 1) {
            return 0;
        }
        long bytes = elements * framework.memory().reduceBytes();
        return collectives.seconds(CollectiveKind.ALL_REDUCE, bytes, tensor, cluster);
    }

    /** @throws UserError where the time is unknown, which must not count as none */
    long nanos(double seconds) {
        if (Double.isNaN(seconds)) {
            throw new UserError(
                    "no time is known for a kernel or a message of " + cluster.name() + ": "
                            + cluster.device().name() + " at "
                            + workload.precision().text(),
                    "Maybe give its device the peak of that precision, and its levels one that joins all devices");
        }
        // what is beyond the clock is recognised by its sum, which must not overflow before: see PricedProgram
        return Math.min(PricedProgram.MOST_NANOS, Math.round(seconds * residual * 1e9));
    }

    /** One program's pricing. */
    private final class Pricing {
        private final PricingInput input;
        private final GroupPattern tensor;
        private final DataGroups dataGroup;
        private final int zero;
        private final int stages;
        private final int ranks;
        private final long[] forward;
        private final long[] backward;
        private final long[] lastBackward;
        private final long[] forwardTensor;
        private final long[] backwardTensor;
        private final long[] forwardContext;
        private final long[] backwardContext;
        private final long[] forwardData;
        private final long[] backwardData;
        private final long[][] bucketReady;
        private final long[][] bucketNanos;
        private final SplitSlots split;

        Pricing(PricingInput input) {
            this.input = input;
            tensor = input.tensor();
            dataGroup = input.data();
            zero = input.zero();
            stages = input.stages().size();
            ranks = input.ranks();
            forward = new long[stages];
            backward = new long[stages];
            lastBackward = new long[stages];
            forwardTensor = new long[stages];
            backwardTensor = new long[stages];
            forwardContext = new long[stages];
            backwardContext = new long[stages];
            forwardData = new long[stages];
            backwardData = new long[stages];
            bucketReady = new long[stages][];
            bucketNanos = new long[stages][];
            split = input.schedule().splits() ? SplitSlots.of(stages) : SplitSlots.NONE;
        }

        PricedProgram price() {
            int[] distinct = new int[stages];
            int count = 0;
            for (int q = 0; q < stages; q++) {
                int like = input.like(q, distinct, count);
                if (like >= 0) {
                    copy(like, q);
                } else {
                    stage(q, input.stages().get(q));
                    distinct[count++] = q;
                }
            }
            long[] reduceTail = new long[ranks];
            long[] head = new long[ranks];
            long[] optimizerTail = new long[ranks];
            long optimizerData = tails(head, reduceTail, optimizerTail);
            long[] sends = sends();
            long[] gradientSends = gradientSends(sends);
            boolean block = !framework.overlap().pipelineSends()
                    || (stages == ranks && input.schedule().isClassic());
            if (!block) {
                for (int q = 0; q < stages; q++) {
                    forward[q] += Math.round(framework.overlap().sendInterference() * sends[q]);
                    backward[q] += Math.round(framework.overlap().sendInterference() * gradientSends[q]);
                    lastBackward[q] += Math.round(framework.overlap().sendInterference() * gradientSends[q]);
                    if (split.exist()) {
                        split.input()[q] += Math.round(framework.overlap().sendInterference() * gradientSends[q]);
                    }
                }
            }
            int distance = (ranks - 1) * input.pipelineStride();
            long tied = nanos(tiedSeconds(input.sharedOnTwoRanks(), distance));
            return new PricedProgram(
                    input.schedule(),
                    block,
                    forward,
                    backward,
                    lastBackward,
                    split,
                    sends,
                    gradientSends,
                    bucketReady,
                    bucketNanos,
                    head,
                    reduceTail,
                    tied,
                    0,
                    ranks - 1,
                    optimizerTail,
                    forwardTensor,
                    backwardTensor,
                    forwardContext,
                    backwardContext,
                    forwardData,
                    backwardData,
                    optimizerData,
                    nanos(framework.host().stepSeconds()),
                    memory.price(input));
        }

        private void copy(int from, int to) {
            forward[to] = forward[from];
            backward[to] = backward[from];
            lastBackward[to] = lastBackward[from];
            forwardTensor[to] = forwardTensor[from];
            backwardTensor[to] = backwardTensor[from];
            forwardContext[to] = forwardContext[from];
            backwardContext[to] = backwardContext[from];
            forwardData[to] = forwardData[from];
            backwardData[to] = backwardData[from];
            bucketReady[to] = bucketReady[from];
            bucketNanos[to] = bucketNanos[from];
            if (split.exist()) {
                split.copy(from, to);
            }
        }

        private void stage(int q, List<CostRun> stage) {
            double forwardSeconds = framework.host().microBatchSeconds() / 3;
            double backwardSeconds = framework.host().microBatchSeconds() * 2 / 3;
            double[] exposed = new double[6];
            @Nullable BlockCost before = null;
            for (CostRun run : stage) {
                BlockCost cost = run.cost();
                boolean ends = !cost.equals(before);
                before = cost;
                StageTimes times =
                        StageTimes.of(cost, run.level(), run.repeats(), ends, zero, data, dataGroup, framework);
                forwardSeconds += times.forwardSeconds();
                backwardSeconds += times.backwardSeconds();
                exposed[0] += times.forwardTensorSeconds();
                exposed[1] += times.backwardTensorSeconds();
                exposed[2] += times.forwardDataSeconds();
                exposed[3] += times.backwardDataSeconds();
                exposed[4] += times.forwardContextSeconds();
                exposed[5] += times.backwardContextSeconds();
            }
            forward[q] = nanos(forwardSeconds);
            backward[q] = nanos(backwardSeconds);
            forwardTensor[q] = nanos(exposed[0]);
            backwardTensor[q] = nanos(exposed[1]);
            forwardData[q] = nanos(exposed[2]);
            backwardData[q] = nanos(exposed[3]);
            forwardContext[q] = nanos(exposed[4]);
            backwardContext[q] = nanos(exposed[5]);
            buckets(q, stage);
            if (split.exist()) {
                new SplitPricing(input, data, framework, ProgramPricer.this)
                        .price(q, bucketNanos[q].length > 0, lastBackward[q] - backward[q], split);
            }
        }

        /** Gradient buckets, one a block repeat in backward order, where reductions overlap the last backward slot. */
        private void buckets(int q, List<CostRun> stage) {
            boolean reduces = framework.overlap().gradientReduce() && zero < 2 && dataGroup.ranks() > 1;
            int count = 0;
            for (CostRun run : stage) {
                count += reduces ? run.repeats() : 0;
            }
            long[] readyNanos = new long[count];
            long[] reduceNanos = new long[count];
            double ready = framework.host().microBatchSeconds() * 2 / 3;
            double interference = 0;
            if (reduces) {
                int bucket = 0;
                for (int i = stage.size() - 1; i >= 0; i--) {
                    CostRun run = stage.get(i);
                    BlockCost cost = run.cost();
                    double step = StageTimes.backwardSeconds(cost, run.level());
                    double reduce = data.reduceSeconds(cost.denseElements(), cost.expertElements(), zero, dataGroup);
                    for (int repeat = 0; repeat < run.repeats(); repeat++, bucket++) {
                        ready += step;
                        readyNanos[bucket] = nanos(ready);
                        reduceNanos[bucket] = nanos(reduce);
                        interference += framework.overlap().interference() * Math.min(step, reduce);
                    }
                }
            }
            lastBackward[q] = backward[q] + nanos(interference);
            for (int bucket = 0; bucket < count; bucket++) {
                readyNanos[bucket] = Math.min(readyNanos[bucket], lastBackward[q]);
            }
            bucketReady[q] = readyNanos;
            bucketNanos[q] = reduceNanos;
        }

        private long[] sends() {
            int stride = input.pipelineStride();
            long[] sends = new long[stages];
            for (int q = 0; q < stages; q++) {
                List<CostRun> stage = input.stages().get(q);
                if (ranks > 1 && !input.schedule().isLast(q) && !stage.isEmpty()) {
                    BlockCost cost = stage.getLast().cost();
                    sends[q] = nanos(sendSeconds(cost.outputBytes(), cost.outputReplicated(), tensor, stride));
                }
            }
            return sends;
        }

        /** A gradient has the shape of the activation that came the other way. */
        private long[] gradientSends(long[] sends) {
            long[] back = new long[stages];
            System.arraycopy(sends, 0, back, 1, stages - 1);
            return back;
        }

        /** Seconds to sum gradients of two copies: with the rank at the mirrored place, at the far end at worst; of a data rank's share under ZeRO. */
        private double copiesSeconds(long elements) {
            if (input.schedule().copies() == 1) {
                return 0;
            }
            long share = zero == 0
                    ? elements
                    : Math.ceilDiv(elements, dataGroup.dense().size());
            return tiedSeconds(share, (ranks - 1) * input.pipelineStride());
        }

        /** Fills the tails; the communication in the optimizer's, of the rank that has most. */
        private long tails(long[] head, long[] reduceTail, long[] optimizerTail) {
            long[] partial = new long[ranks];
            long[] firstBlock = new long[ranks];
            for (int q = 0; q < stages; q++) {
                int rank = input.schedule().rankOf(q);
                for (CostRun run : input.stages().get(q)) {
                    partial[rank] += run.cost().tensorPartialElements() * run.repeats();
                    firstBlock[rank] = firstBlock[rank] == 0 ? run.cost().elements() : firstBlock[rank];
                }
            }
            long[] elements = input.elements();
            long[] experts = input.expertElements();
            long data = 0;
            for (int rank = 0; rank < ranks; rank++) {
                RankTails tails = RankTails.of(
                        elements[rank],
                        experts[rank],
                        firstBlock[rank],
                        partial[rank],
                        zero,
                        dataGroup,
                        tensor,
                        ProgramPricer.this,
                        framework);
                head[rank] = nanos(tails.headSeconds());
                reduceTail[rank] = nanos(tails.reduceSeconds() + copiesSeconds(elements[rank]));
                optimizerTail[rank] = nanos(tails.optimizerSeconds());
                data = Math.max(data, nanos(tails.gatherSeconds()));
            }
            return data;
        }
    }
}
