package org.shardplan.search;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.shardplan.cost.PricedProgram;
import org.shardplan.cost.ProgramPricer;
import org.shardplan.plan.MeshOrder;
import org.shardplan.plan.Recompute;
import org.shardplan.plan.ScheduleKind;
import org.shardplan.plan.Schedules;
import org.shardplan.program.GroupPattern;
import org.shardplan.sim.UniformStages;
import org.shardplan.workload.Framework;

/**
 * Lists the tuples of one shape whose lower bound lies in an interval. Whole prefixes are passed over: a shape when all devices together
 * could not do its work in time, a pipeline degree when its ranks could not.
 *
 * <p>Bounds of a tuple under GPipe, 1F1B or interleaving, in seconds, with t a layer's forward and backward pass, m micro-batches, p ranks of v chunks, L = q·p + r
 * layers: the average rank's work; a rank with q + 1 layers; and where r = 0 and none has more than q, the last rank's work behind the first
 * micro-batch's way through the others. Plus the optimizer step of the average rank.
 */
final class BoundScan {
    /** A tuple that may be good, and the bound that says so. */
    record Promise(Tuple tuple, double boundSeconds, double tailSeconds) {}

    /** Durations are whole nanoseconds: a sum of them may be less by this share than what it rounds. */
    static final double ROUNDING = 4e-6;

    private final Problem problem;
    private final SearchSpace space;
    private final ProgramPricer pricer;
    private final ShapeCost shape;
    private final int shapeIndex;
    private final Recompute recompute;
    private final ExpertChoice choice;
    private final double layerSeconds;
    private final double totalSeconds;
    /** Of a layer, and of a whole micro-batch, under any schedule of the space. */
    private final double leastLayerSeconds;

    private final double leastTotalSeconds;
    private final Framework framework;
    private final double hostSeconds;
    /** Another bound on all tuples of the shape: a shape that it kept out of an earlier round has none below that round's limit. */
    private final double leastSeconds;

    BoundScan(
            Problem problem,
            SearchSpace space,
            ProgramPricer pricer,
            ShapeCost shape,
            int shapeIndex,
            Recompute recompute,
            ExpertChoice choice,
            double leastSeconds) {
        this.choice = choice;
        this.leastSeconds = leastSeconds;
        this.problem = problem;
        this.space = space;
        this.pricer = pricer;
        this.shape = shape;
        this.shapeIndex = shapeIndex;
        this.recompute = recompute;
        this.framework = problem.framework();
        hostSeconds = framework.host().microBatchSeconds() * pricer.residual();
        layerSeconds = shape.layerSeconds(recompute);
        totalSeconds = shape.layers * layerSeconds + shape.seconds(shape.embedding) + shape.seconds(shape.head);
        boolean splits = space.splits();
        leastLayerSeconds = splits ? Math.min(layerSeconds, shape.leastLayerSeconds(recompute)) : layerSeconds;
        double ends = shape.leastSeconds(shape.embedding) + shape.leastSeconds(shape.head);
        leastTotalSeconds = splits ? Math.min(totalSeconds, shape.layers * leastLayerSeconds + ends) : totalSeconds;
    }

    /** No plan of this shape can be faster: all devices at work without a pause. */
    double prefixBound() {
        return (double) space.globalBatch
                / shape.microBatch
                * leastTotalSeconds
                * shape.tp
                * shape.cp()
                / space.devices;
    }

    /** No tuple's bound is above this: one rank does all, or all but one idle. */
    double ceiling() {
        double micro = (double) space.globalBatch / shape.microBatch;
        int stages = shape.layers + 2;
        double sends = 0;
        if (space.devices > 1) { // one device alone has no links, and sends nothing
            double near = SlotOverhead.sendSeconds(pricer, shape, 1);
            double far = SlotOverhead.sendSeconds(pricer, shape, space.devices - 1);
            sends = Math.max(near, far);
        }
        double slots = 2 * (micro + 2) * stages * (hostSeconds + 2 * sends);
        double tail = tailBound(1, 1, 0) + framework.host().stepSeconds();
        double reduce = pricer.data().reduceSeconds(shape.elements(), 0, new GroupPattern(space.devices, 1));
        reduce = Double.isNaN(reduce) ? 0 : reduce;
        return micro * 2 * (totalSeconds + layerSeconds) + slots + tail + 4 * reduce * pricer.residual() + 1;
    }

    /**
     * Tuples with {@code from < bound <= to}.
     *
     * @param stop whether to give up: not all are listed then
     */
    List<Promise> between(double from, double to, BooleanSupplier stop) {
        List<Promise> promises = new ArrayList<>();
        if (prefixBound() > to) {
            return promises;
        }
        int[] ranks = space.dataRanks(shape.microBatch);
        for (int pp : space.pipelines(shape.tp)) {
            for (int dp : ranks) {
                if ((long) shape.tp * shape.cp() * pp * dp > space.devices || stop.getAsBoolean()) {
                    break;
                }
                if (dp % shape.experts.dataRanks() != 0) {
                    continue;
                }
                int micro = (int) (space.globalBatch / shape.microBatch / dp);
                if (micro * leastTotalSeconds / pp <= to) {
                    schedules(pp, dp, micro, from, to, promises);
                }
            }
        }
        return promises;
    }

    /** Tuples as people choose them: all devices, layers that divide, sp where there is tp, the highest ZeRO stage, the first order. */
    List<Promise> usual() {
        List<Promise> promises = new ArrayList<>();
        boolean half = shape.tp > 1
                && !shape.sequenceParallel
                && space.sequenceParallel(shape.tp).size() > 1;
        for (int pp : half ? new int[0] : space.pipelines(shape.tp)) {
            long modelRanks = (long) shape.tp * shape.cp() * pp;
            boolean divides = shape.layers % pp == 0 && space.devices % modelRanks == 0;
            for (int dp : divides ? space.dataRanks(shape.microBatch) : new int[0]) {
                if (modelRanks * dp == space.devices && dp % shape.experts.dataRanks() == 0) {
                    usual(pp, dp, (int) (space.globalBatch / shape.microBatch / dp), promises);
                }
            }
        }
        return promises;
    }

    private void usual(int pp, int dp, int micro, List<Promise> promises) {
        for (int vpp : space.chunks(pp, micro)) {
            List<MeshOrder> orders = space.orders(pp, dp, shape.cp(), choice);
            int[] zeros = space.zeros(pp, dp * shape.cp());
            if (shape.layers % (pp * vpp) != 0 || zeros.length == 0 || orders.isEmpty()) {
                continue;
            }
            int zero = zeros[Math.min(1, zeros.length - 1)];
            MeshOrder order = orders.getFirst();
            int[] replicas = space.replicas(shape.tp, dp * shape.cp(), zero, choice);
            if (replicas.length == 0) {
                continue;
            }
            Ends ends = ends(pp, dp, zero, order, replicas[0]);
            for (ScheduleKind kind : space.schedules(pp, vpp, micro)) {
                Promise promise = promise(pp, dp, micro, vpp, kind, ends);
                if (kind != ScheduleKind.GPIPE && fitsMemory(promise.tuple)) {
                    promises.add(promise);
                }
            }
        }
    }

    /** What does not depend on the schedule. */
    private record Ends(int zero, MeshOrder order, int replicas, StepEnds seconds) {}

    private Ends ends(int pp, int dp, int zero, MeshOrder order, int replicas) {
        return new Ends(zero, order, replicas, new StepEnds(framework, pricer, shape, pp, dp, zero, order, replicas));
    }

    private Promise promise(int pp, int dp, int micro, int vpp, ScheduleKind kind, Ends ends) {
        int packed = (kind.number() * 4 + ends.zero) * 2 + ends.order.ordinal();
        long number = space.number(shapeIndex, pp, dp, vpp, packed, ends.replicas);
        Tuple tuple = new Tuple(
                shape.tp,
                pp,
                vpp,
                dp,
                shape.microBatch,
                shape.sequenceParallel,
                ends.zero,
                recompute,
                kind,
                ends.order,
                micro,
                choice.ep(),
                choice.etp(),
                shape.context,
                ends.replicas,
                number);
        double tail = tailBound(pp, tuple.shards(), ends.zero) + (kind.isClassic() ? ends.seconds.leastSeconds() : 0);
        SlotOverhead overhead = SlotOverhead.of(framework, pricer, shape, pp, vpp, dp, ends.order);
        double work = kind.isClassic() ? workBound(tuple, ends.seconds, overhead) : freeWorkBound(tuple);
        double bound = (work + tail) * (1 - ROUNDING);
        return new Promise(tuple, Math.max(leastSeconds, bound), tail);
    }

    private void schedules(int pp, int dp, int micro, double from, double to, List<Promise> promises) {
        List<Ends> ends = new ArrayList<>();
        double least = micro * (leastTotalSeconds / pp + hostSeconds);
        for (int zero : space.zeros(pp, dp * shape.cp())) {
            for (int replicas : space.replicas(shape.tp, dp * shape.cp(), zero, choice)) {
                boolean promising = least + tailBound(pp, dp * shape.cp() / replicas, zero) <= to;
                for (MeshOrder order : promising ? space.orders(pp, dp, shape.cp(), choice) : List.<MeshOrder>of()) {
                    ends.add(ends(pp, dp, zero, order, replicas));
                }
            }
        }
        for (int vpp : ends.isEmpty() ? new int[0] : space.chunks(pp, micro)) {
            double work = micro * (leastTotalSeconds / pp + vpp * hostSeconds);
            if (work > to) {
                break;
            }
            for (ScheduleKind kind : space.schedules(pp, vpp, micro)) {
                for (Ends end : ends) {
                    if (work + tailBound(pp, dp * shape.cp() / end.replicas, end.zero) > to) {
                        continue;
                    }
                    Promise promise = promise(pp, dp, micro, vpp, kind, end);
                    boolean inside = promise.boundSeconds > from && promise.boundSeconds <= to;
                    if (inside && fitsMemory(promise.tuple)) {
                        promises.add(promise);
                    }
                }
            }
        }
    }

    /**
     * Seconds of all slots, and of reductions beyond those of {@link StepEnds#leastSeconds}: some rank has the average work, and one has
     * more than the even share of layers or none has.
     */
    private double workBound(Tuple tuple, StepEnds ends, SlotOverhead overhead) {
        int pp = tuple.pp();
        int micro = tuple.microBatches();
        double average = micro * (totalSeconds / pp + overhead.averageSeconds()) + ends.averageSlowerSeconds();
        if (pp == 1) {
            return average;
        }
        int q = shape.layers / pp;
        double least = micro * overhead.leastSeconds();
        // no rank waits less than one between the ends would with as many micro-batches in flight as the first
        double wait = wait(tuple, overhead, 1, q + 1, inFlight(tuple, 0));
        double behind = Math.max(wait, ends.moreSeconds(q + 1))
                + ends.slowerSeconds(0, q + 1, Math.ceilDiv(q + 1, tuple.vpp()));
        double fuller = micro * (q + 1) * layerSeconds + behind + least;
        if (shape.layers % pp != 0) {
            return Math.max(average, fuller);
        }
        double even;
        if (q % tuple.vpp() == 0) {
            int each = q / tuple.vpp();
            even = uniform(each, overhead).bound(tuple.schedule(), pp, tuple.vpp(), micro) / 1e9
                    + ends.moreOfFirstSeconds(q)
                    + ends.slowerSeconds(0, each, each);
        } else {
            double blocks = Math.max(shape.seconds(shape.embedding), shape.seconds(shape.head));
            double first = wait(tuple, overhead, 0, q, inFlight(tuple, 0));
            double last = wait(tuple, overhead, pp - 1, q, inFlight(tuple, pp - 1));
            even = micro * (q * layerSeconds + blocks)
                    + Math.max(Math.min(first, last), ends.moreSeconds(q))
                    + ends.slowerSeconds(0, q, Math.ceilDiv(q, tuple.vpp()))
                    + least;
        }
        return Math.max(average, Math.min(even, fuller));
    }

    /** Where weight gradients move freely nothing is known of waits: the average rank's work, or that of a rank with the even share. */
    private double freeWorkBound(Tuple tuple) {
        int micro = tuple.microBatches();
        double host = micro * tuple.vpp() * hostSeconds;
        int copies = tuple.schedule().copies();
        double fullest = (double) micro / copies * Math.ceilDiv(copies * shape.layers, tuple.pp()) * leastLayerSeconds;
        return host + Math.max(micro * leastTotalSeconds / tuple.pp(), fullest);
    }

    private static int inFlight(Tuple tuple, int rank) {
        return Schedules.inFlight(tuple.schedule(), tuple.pp(), tuple.vpp(), tuple.microBatches(), rank);
    }

    private double wait(Tuple tuple, SlotOverhead overhead, int rank, int layers, int inFlight) {
        return RankOptions.waitSeconds(tuple, shape, overhead, rank, layers, inFlight);
    }

    private UniformStages uniform(int layersOfChunk, SlotOverhead overhead) {
        double residual = pricer.residual();
        boolean blocks = overhead.besideSeconds() == 0;
        double slower = blocks ? 0 : overhead.slotSeconds();
        long send = floor(blocks ? overhead.slotSeconds() : overhead.besideSeconds());
        // the last stage sends no activation, the first no gradient
        long none = Math.min(PricedProgram.MOST_NANOS, (long) Math.ceil(slower * 1e9));
        return new UniformStages(
                floor(layersOfChunk * shape.forwardSeconds + overhead.forwardSeconds() + slower),
                floor(layersOfChunk * shape.backwardSeconds(recompute) + overhead.backwardSeconds() + slower),
                floor(residual * shape.embedding.forwardSeconds()),
                floor(residual * shape.embedding.backwardSeconds()) - none,
                floor(residual * shape.head.forwardSeconds()) - none,
                floor(residual * shape.head.backwardSeconds()),
                send,
                send,
                blocks,
                0);
    }

    private static long floor(double seconds) {
        return Math.min(PricedProgram.MOST_NANOS, (long) (seconds * 1e9 * (1 - 1e-6)));
    }

    /** Optimizer and host of a rank with an average share of the parameters: all ranks wait for the fullest. */
    private double tailBound(int pp, int shards, int zero) {
        long elements = pp == 1 ? shape.elementsOnOneRank() : shape.elements() / pp;
        double seconds = pricer.optimizer().seconds(elements, zero, shards)
                + framework.host().stepSeconds();
        return seconds * pricer.residual();
    }

    /** Whether the ranks together have room for all layers, each kept at its smallest. */
    private boolean fitsMemory(Tuple tuple) {
        boolean full = recompute.isFull() || space.mayRecomputeMore(recompute) || recompute.fullLayers() > 0;
        long saved = full
                ? Math.min(shape.leanest.savedFullBytes(), shape.savedBytes(recompute.mode()))
                : shape.savedBytes(recompute.mode());
        int pp = tuple.pp();
        int vpp = tuple.vpp();
        int expertRanks = tuple.shards() / shape.experts.ranks();
        double each = stateBytes(tuple.zero(), tuple.shards()) * shape.leanest.denseElements()
                + stateBytes(tuple.zero(), expertRanks) * shape.leanest.expertElements()
                + pricer.memory().frozenBytes(shape.leanest.frozen(), tuple.zero(), tuple.shards(), expertRanks);
        double free = problem.capacityBytes() / (1 + framework.memory().fragmentation());
        double slack = vpp > 1 ? 0.9 : 1;
        double room = 0;
        int layers = shape.layers * tuple.schedule().copies();
        for (int rank = 0; rank < pp && room < layers; rank++) {
            double inFlight = tuple.schedule().isClassic()
                    ? inFlight(tuple, rank) / (double) vpp * slack
                    : leastInFlight(tuple.schedule(), pp, tuple.microBatches(), rank);
            room += Math.floor(free / (each + inFlight * saved));
        }
        return room >= layers;
    }

    /**
     * Micro-batches whose activations a rank holds of each of its layers before it frees any, at the least. Down and up again: of the
     * chunk that comes later; of a table that is not known here: one.
     */
    private static int leastInFlight(ScheduleKind kind, int pp, int micro, int rank) {
        if (kind == ScheduleKind.ZB_H1) {
            return Math.min(micro, pp - rank);
        }
        if (kind == ScheduleKind.ZB_H2) {
            return Math.min(micro, 2 * (pp - rank) - 1);
        }
        int place = kind == ScheduleKind.DUALPIPE ? Math.min(rank, pp - 1 - rank) : rank;
        return kind.table().isPresent() ? 0 : Math.min(micro, place + 1);
    }

    /** Bytes of an element's states on each of so many data ranks. */
    private double stateBytes(int zero, int dataRanks) {
        long one = 1L << 20;
        return (pricer.memory().parametersBytes(one, zero, dataRanks)
                        + pricer.memory().gradientsBytes(one, zero, dataRanks)
                        + pricer.memory().optimizerBytes(one, zero, dataRanks))
                / (double) one;
    }
}
