package org.shardplan.search;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.shardplan.cost.Calibration;
import org.shardplan.cost.CollectiveModel;
import org.shardplan.cost.KernelModel;
import org.shardplan.cost.ProgramPricer;
import org.shardplan.plan.PlanRules;
import org.shardplan.program.BlockCache;
import org.shardplan.program.ProgramLowering;

/** What scoring the plans of one problem shares between threads: lowered blocks and their prices. */
public final class Evaluation {
    private final Problem problem;
    private final BlockCache blocks;
    private final ProgramLowering lowering;
    private final ProgramPricer pricer;
    private final PlanRules rules;
    private final ScheduleCache schedules = new ScheduleCache();
    private final Map<Shape, ShapeCost> shapes = new ConcurrentHashMap<>();

    private record Shape(int tp, int microBatch, boolean sequenceParallel) {}

    public Evaluation(Problem problem, KernelModel kernels, CollectiveModel collectives, Calibration calibration) {
        this.problem = problem;
        blocks = new BlockCache(problem.workload().precision(), problem.flashAttention(), problem.framework());
        lowering = new ProgramLowering(problem.graph(), blocks);
        pricer = new ProgramPricer(
                kernels, collectives, calibration, problem.cluster(), problem.framework(), problem.workload());
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
        return new Scorer(rules, lowering, pricer, schedules, problem.workload().globalBatch());
    }

    public ProgramPricer pricer() {
        return pricer;
    }

    public PlanRules rules() {
        return rules;
    }

    ShapeCost shape(int tp, int microBatch, boolean sequenceParallel) {
        return shapes.computeIfAbsent(
                new Shape(tp, microBatch, sequenceParallel),
                _ -> new ShapeCost(problem.graph(), blocks, pricer, tp, microBatch, sequenceParallel, true));
    }
}
