package org.shardplan.program;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.shardplan.graph.Block;
import org.shardplan.graph.OperatorGraph;
import org.shardplan.plan.Plan;
import org.shardplan.plan.Recompute;
import org.shardplan.plan.Shorthand;
import org.shardplan.plan.Stage;
import org.shardplan.program.StageProgram.Level;
import org.shardplan.program.StageProgram.Run;

/** Lowers a plan: blocks by {@link BlockCache}, then stages, rank classes and groups. */
public final class ProgramLowering {
    private final OperatorGraph graph;
    private final BlockCache blocks;
    /** Block of each layer of the chain. */
    private final List<Block> layers = new ArrayList<>();

    public ProgramLowering(OperatorGraph graph, BlockCache blocks) {
        this.graph = graph;
        this.blocks = blocks;
        for (Block block : graph.blocks()) {
            if (block.kind() == Block.Kind.LAYER) {
                for (int i = 0; i < block.repeat(); i++) {
                    layers.add(block);
                }
            }
        }
    }

    public Program lower(Plan plan) {
        Shorthand shorthand = plan.shorthand();
        List<StageProgram> stages = new ArrayList<>();
        for (Stage stage : plan.stages()) {
            stages.add(new StageProgram(stage.rank(), runs(stage, shorthand)));
        }
        List<RankClass> classes = new ArrayList<>();
        for (int rank = 0; rank < shorthand.pp(); rank++) {
            List<Integer> own = new ArrayList<>();
            for (int q = 0; q < stages.size(); q++) {
                if (stages.get(q).rank() == rank) {
                    own.add(q);
                }
            }
            classes.add(new RankClass(rank, shorthand.tp() * shorthand.parameterRanks(), own));
        }
        Map<String, GroupPattern> groups = new HashMap<>();
        for (String dim : List.of("pp", "dp", "edp", "ep", "cp", "ecp", "epc", "tp")) {
            groups.put(dim, GroupPattern.of(plan.mesh(), dim));
        }
        LoweringContext context = blocks.context(
                shorthand.tp(), shorthand.dp(), shorthand.microBatch(), shorthand.context(), shorthand.experts());
        return new Program(plan, context, stages, classes, groups, sharedElements(stages, shorthand));
    }

    private BlockProgram program(Block block, Shorthand plan) {
        int inner = plan.experts().dataRanks();
        return blocks.get(
                block,
                plan.tp(),
                plan.sequenceParallel(),
                plan.microBatch(),
                plan.dp() > inner,
                plan.context(),
                plan.experts());
    }

    private List<Run> runs(Stage stage, Shorthand plan) {
        List<Run> runs = new ArrayList<>();
        Level base = plan.recompute().mode() == Recompute.Mode.SELECTIVE ? Level.SELECTIVE : Level.NONE;
        if (stage.embedding()) {
            addAll(runs, Block.Kind.EMBEDDING, plan);
        }
        for (int i = 0; i < stage.layers(); i++) {
            Level level = i < stage.fullRecomputeLayers() ? Level.FULL : base;
            BlockProgram program = program(layers.get(stage.firstLayer() + i), plan);
            Run last = runs.isEmpty() ? null : runs.getLast();
            if (last != null && last.program() == program && last.level() == level) {
                runs.set(runs.size() - 1, new Run(program, last.repeats() + 1, level));
            } else {
                runs.add(new Run(program, 1, level));
            }
        }
        if (stage.head()) {
            addAll(runs, Block.Kind.HEAD, plan);
        }
        return runs;
    }

    private void addAll(List<Run> runs, Block.Kind kind, Shorthand plan) {
        for (Block block : graph.blocks()) {
            if (block.kind() == kind) {
                runs.add(new Run(program(block, plan), 1, Level.NONE));
            }
        }
    }

    /** Elements of tensors that the first and the last stage of a copy share, where these lie on two ranks. */
    private static long sharedElements(List<StageProgram> stages, Shorthand plan) {
        StageProgram head = stages.get(plan.virtualStages() - 1);
        if (stages.getFirst().rank() == head.rank()) {
            return 0;
        }
        Map<String, Long> first = shared(stages.getFirst());
        Map<String, Long> last = shared(head);
        long elements = 0;
        for (Map.Entry<String, Long> entry : first.entrySet()) {
            if (last.containsKey(entry.getKey())) {
                elements += entry.getValue();
            }
        }
        return elements;
    }

    private static Map<String, Long> shared(StageProgram stage) {
        Map<String, Long> elements = new LinkedHashMap<>();
        for (Run run : stage.runs()) {
            for (BlockProgram.LocalParameter parameter : run.program().parameters()) {
                if (parameter.shared() && parameter.trained()) {
                    elements.put(parameter.name(), parameter.elements());
                }
            }
        }
        return elements;
    }
}
