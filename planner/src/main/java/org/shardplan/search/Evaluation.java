package org.shardplan.search;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.shardplan.cost.Calibration;
import org.shardplan.cost.CollectiveModel;
import org.shardplan.cost.KernelModel;
import org.shardplan.cost.ProgramPricer;
import org.shardplan.graph.Block;
import org.shardplan.plan.ContextParallel;
import org.shardplan.plan.ExpertMesh;
import org.shardplan.plan.PlanRules;
import org.shardplan.program.BlockCache;
import org.shardplan.program.BlockProgram;
import org.shardplan.program.GroupPattern;
import org.shardplan.program.ProgramLowering;
import org.shardplan.program.Task;

/** What scoring the plans of one problem shares between threads: lowered blocks and their prices. */
public final class Evaluation {
    private final Problem problem;
    private final BlockCache blocks;
    private final ProgramLowering lowering;
    private final ProgramPricer pricer;
    private final PlanRules rules;
    private final ScheduleCache schedules = new ScheduleCache();
    private final AtomicBoolean beyondClock = new AtomicBoolean();
    private final Map<Shape, ShapeCost> shapes = new ConcurrentHashMap<>();
    private final Map<Shape, Double> tensorSeconds = new ConcurrentHashMap<>();

    private record Shape(
            int tp, int microBatch, boolean sequenceParallel, ContextParallel context, ExpertMesh experts) {}

    public Evaluation(Problem problem, KernelModel kernels, CollectiveModel collectives, Calibration calibration) {
        this.problem = problem;
        blocks = new BlockCache(problem.workload().precision(), problem.flashAttention(), problem.framework());
        lowering = new ProgramLowering(problem.graph(), blocks);
        pricer = new ProgramPricer(
                kernels,
                collectives,
                calibration,
                problem.cluster(),
                problem.framework(),
                problem.workload(),
                problem.graph().isSparse());
        rules = new PlanRules(problem.graph());
    }

    /** Whether its prices hold for the problem. */
    boolean isFor(Problem other) {
        return other.graph() == problem.graph()
                && other.cluster() == problem.cluster()
                && other.framework() == problem.framework()
                && other.workload() == problem.workload();
    }

    /** A scorer for one thread. */
    public Scorer scorer() {
        return new Scorer(rules, lowering, pricer, schedules, problem.workload().globalBatch(), beyondClock);
    }

    /** Whether a plan was passed over because the simulator's clock can't hold its step. */
    boolean beyondClock() {
        return beyondClock.get();
    }

    public ProgramPricer pricer() {
        return pricer;
    }

    public PlanRules rules() {
        return rules;
    }

    /**
     * Seconds of one sample's forward tensor-parallel collectives over all layers, were they at their highest rate: that of a very
     * large message, of which a fifth is given away lest a measured curve rises again.
     */
    double leastTensorSeconds(int tp, boolean sequenceParallel) {
        if (tp == 1) {
            return 0;
        }
        return tensorSeconds.computeIfAbsent(
                new Shape(tp, 1, sequenceParallel, ContextParallel.NONE, ExpertMesh.NONE), _ -> {
                    double seconds = 0;
                    for (Block block : problem.graph().blocks()) {
                        if (block.parameters().values().stream().anyMatch(parameter -> parameter.indexedBy("expert"))) {
                            continue; // what these exchange depends on how experts are shared out
                        }
                        BlockProgram program = blocks.get(block, tp, sequenceParallel, 1, true);
                        seconds +=
                                block.repeat() * pricer.highestRateSeconds(program.forward(), new GroupPattern(tp, 1));
                    }
                    return 0.8 * seconds * pricer.residual();
                });
    }

    /**
     * Seconds of one sample's forward exchanges among context ranks, likewise, where nothing hides them: those of a ring may be beside attention.
     */
    double leastContextSeconds(int tp, ContextParallel context) {
        if (context.ranks() == 1 || context.type() == ContextParallel.Type.RING) {
            return 0;
        }
        return tensorSeconds.computeIfAbsent(new Shape(tp, 1, false, context, ExpertMesh.NONE), _ -> {
            GroupPattern group = new GroupPattern(context.ranks(), tp);
            double seconds = 0;
            for (Block block : problem.graph().blocks()) {
                List<Task> tasks = blocks.get(block, tp, false, 1, true, context, ExpertMesh.NONE).forward().stream()
                        .filter(task -> task.stream() == Task.Stream.CONTEXT)
                        .toList();
                seconds += block.repeat() * pricer.highestRateSeconds(tasks, group);
            }
            return 0.8 * seconds * pricer.residual();
        });
    }

    ShapeCost shape(Tuple tuple) {
        ExpertMesh experts = ExpertMesh.of(tuple.tp(), tuple.cp(), tuple.ep(), tuple.etp());
        return shape(tuple.tp(), tuple.microBatch(), tuple.sequenceParallel(), tuple.context(), experts);
    }

    ShapeCost shape(int tp, int microBatch, boolean sequenceParallel, ContextParallel context, ExpertMesh experts) {
        return shapes.computeIfAbsent(
                new Shape(tp, microBatch, sequenceParallel, context, experts),
                _ -> new ShapeCost(
                        problem.graph(), blocks, pricer, tp, microBatch, sequenceParallel, true, context, experts));
    }
}
