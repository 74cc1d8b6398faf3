package org.shardplan.sim;

import java.util.ArrayList;
import java.util.List;
import org.shardplan.cluster.Cluster;
import org.shardplan.cost.Calibration;
import org.shardplan.cost.PricedProgram;
import org.shardplan.graph.Attention;
import org.shardplan.graph.Block;
import org.shardplan.graph.ModelFlops;
import org.shardplan.graph.OperatorGraph;
import org.shardplan.plan.Layouts;
import org.shardplan.plan.PlanText;
import org.shardplan.plan.Shorthand;
import org.shardplan.program.Kernel;
import org.shardplan.program.Program;
import org.shardplan.program.StageProgram;
import org.shardplan.program.StageProgram.Level;
import org.shardplan.program.StageProgram.Run;
import org.shardplan.program.Task;
import org.shardplan.workload.Framework;
import org.shardplan.workload.Workload;

/** Turns a swept program into the record that reports read. */
public final class Predictor {
    private final OperatorGraph graph;
    private final Cluster cluster;
    private final Framework framework;
    private final Workload workload;
    private final Calibration calibration;
    private final String software;
    private final EventRung events;
    private final Sweep sweep = new Sweep();

    public Predictor(
            OperatorGraph graph,
            Cluster cluster,
            Framework framework,
            Workload workload,
            Calibration calibration,
            EventRung events) {
        this.events = events;
        this.graph = graph;
        this.cluster = cluster;
        this.framework = framework;
        this.workload = workload;
        this.calibration = calibration;
        software = Calibration.software(framework.name(), workload.precision(), graph.isSparse());
    }

    /** Sweeps the program, or runs its events where they tell more, and says what was found. */
    public Prediction predict(Program program, PricedProgram priced) {
        Shorthand plan = program.plan().shorthand();
        Breakdown breakdown = events.applies() ? events.breakdown(program, priced) : Breakdown.of(priced, sweep);
        Prediction.TimeShares all = breakdown.seconds();
        boolean elsewhere = plan.tp() == 1 && (plan.ep() > 1 || plan.context().ranks() > 1);
        Prediction.TimeShares shares = elsewhere ? all.withoutTensor(plan.ep() > 1) : all;
        double step = breakdown.makespan() / 1e9;
        double halfWidth = calibration.interval(software, cluster.device(), shares.exposedShare());
        int devices = plan.devices();
        double modelFlops = ModelFlops.trainedPerSample(graph, false) * workload.globalBatch();
        double causalFlops = ModelFlops.trainedPerSample(graph, true) * workload.globalBatch();
        double hardwareFlops = modelFlops + recomputedFlops(program) * workload.globalBatch();
        double peak = cluster.device().peakFlops(workload.precision()) * devices;
        List<MemoryPeak> peaks = MemoryWalk.peaks(priced);
        List<String> layouts = Layouts.printRanks(plan, graph.layers());
        List<Prediction.StageUse> stages = new ArrayList<>();
        for (MemoryPeak rank : peaks) {
            stages.add(rank.use(layouts.get(rank.rank())));
        }
        return new Prediction(
                plan,
                PlanText.print(plan),
                program.plan().mesh().toString(),
                devices,
                cluster.devices() - devices,
                framework.name(),
                events.applies() ? EventRung.NAME : "sweep",
                step,
                step * (1 - halfWidth),
                step * (1 + halfWidth),
                calibration.find(software, cluster.device()).source(),
                workload.tokensPerStep() / step / devices,
                modelFlops / step / devices / 1e12,
                modelFlops / step / peak,
                hardwareFlops / step / peak,
                causalFlops / step / peak,
                shares,
                priced.memory().capacityBytes(),
                peaks.stream().mapToLong(MemoryPeak::total).max().orElse(0),
                stages,
                program.plan().microBatches(),
                shares.bubble() / step);
    }

    /** Events and memory over time of the program that was predicted last. */
    public Timeline timeline(Program program, PricedProgram priced) {
        if (events.applies()) {
            return events.timeline(program, priced);
        }
        sweep.run(priced);
        Shorthand plan = program.plan().shorthand();
        return sweep.timeline(priced, plan.tp() * plan.parameterRanks());
    }

    /** Forward FLOPs that the backward pass repeats, of one sample. */
    private double recomputedFlops(Program program) {
        double flops = 0;
        for (StageProgram stage : program.stages()) {
            for (Run run : stage.runs()) {
                Block block = run.program().block();
                if (run.level() == Level.FULL) {
                    flops += run.repeats() * ModelFlops.forwardPerSample(block, false);
                } else if (run.level() == Level.SELECTIVE) {
                    flops += run.repeats() * (attentionFlops(program, block) + productFlops(program, run));
                }
            }
        }
        return flops;
    }

    private static double attentionFlops(Program program, Block block) {
        boolean core =
                program.context().framework().memory().recomputeSelective().contains("attention-core");
        return program.context().flashAttention() || !core
                ? 0
                : block.operators().stream()
                        .filter(operator -> operator instanceof Attention)
                        .mapToDouble(operator -> ModelFlops.forwardPerSample(operator, false))
                        .sum();
    }

    /** Products that "selective" makes again, of one sample on all tensor ranks. */
    private static double productFlops(Program program, Run run) {
        double flops = 0;
        for (Task task : run.program().recomputeSelective()) {
            if (task.work() instanceof Task.Segment(List<Kernel> kernels)) {
                flops += kernels.stream()
                        .filter(kernel -> kernel instanceof Kernel.MatrixProduct)
                        .mapToDouble(Kernel::matmulFlops)
                        .sum();
            }
        }
        return flops * program.context().size("tp") / program.context().microBatch();
    }
}
