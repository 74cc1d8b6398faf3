package org.shardplan.program;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.shardplan.graph.Block;
import org.shardplan.graph.DataType;
import org.shardplan.graph.OperatorGraph;
import org.shardplan.graph.TransformerGraph;
import org.shardplan.graph.TransformerSizes;
import org.shardplan.plan.ExpertRules;
import org.shardplan.program.Task.Collective;
import org.shardplan.program.Task.CollectiveKind;
import org.shardplan.workload.Framework;
import org.shardplan.workload.PipelineSchedules;

/** A GPT of the Korthikanti et al. kind, and its lowering. */
final class LoweringFixture {
    static final Framework MEGATRON_2022 = new Framework(
            "test",
            "test",
            new Framework.Kernels(false, true, true, false, true, 1),
            new Framework.Overlap(true, false, false, false, 1, false, true, 0, 0, 0),
            new Framework.Memory(4, 4, 0, 4, 4, 0, 0, 0, Set.of("attention-core")),
            new Framework.Host(0, 0, 0, 0, 0),
            new Framework.Limits(1, 1, true, PipelineSchedules.classic(true), false, true, true, false, 128),
            List.of());

    private LoweringFixture() {}

    static TransformerSizes gpt(int layers, long hidden, long heads, boolean rotary) {
        return new TransformerSizes(
                "gpt",
                layers,
                hidden,
                4 * hidden,
                heads,
                heads,
                hidden / heads,
                51200,
                2048,
                2048,
                false,
                TransformerSizes.NormPlacement.PRE,
                TransformerSizes.Norm.LAYER_NORM,
                rotary ? TransformerSizes.Positions.ROTARY : TransformerSizes.Positions.LEARNED,
                1,
                TransformerSizes.QkNorm.NONE,
                TransformerSizes.Bias.ALL,
                true,
                false,
                true,
                0,
                1,
                false,
                true,
                0);
    }

    static Block layer(long hidden, long heads, long seq) {
        OperatorGraph graph = TransformerGraph.build(gpt(2, hidden, heads, false), seq, 128);
        return graph.blocks().get(1);
    }

    static LoweringContext context(int tp, int dp, long microBatch) {
        return new LoweringContext(Map.of("tp", tp, "dp", dp), microBatch, DataType.FP16, false, MEGATRON_2022);
    }

    static BlockLowering lower(Block block, int tp, int dp, long microBatch, boolean sequenceParallel) {
        return BlockLowering.lower(
                block,
                ExpertRules.placements(block, sequenceParallel),
                ExpertRules.boundary(sequenceParallel),
                context(tp, dp, microBatch));
    }

    /** Bytes that a rank sends for the collectives of a list, by the ring algorithm's volume. */
    static double ringBytes(List<Task> tasks, int ranks) {
        double bytes = 0;
        for (Task task : tasks) {
            if (task.work() instanceof Collective collective) {
                double rounds = collective.kind() == CollectiveKind.ALL_REDUCE ? 2 : 1;
                bytes += rounds * collective.bytes() * (ranks - 1) / ranks;
            }
        }
        return bytes;
    }

    static String kinds(List<Task> tasks) {
        StringBuilder text = new StringBuilder();
        for (Task task : tasks) {
            text.append(text.isEmpty() ? "" : " ");
            switch (task.work()) {
                case Task.Segment(List<Kernel> kernels) ->
                    text.append("[").append(kernels.size()).append("]");
                case Collective(CollectiveKind kind, String dim, long bytes) ->
                    text.append(
                            kind == CollectiveKind.ALL_REDUCE ? "AR" : kind == CollectiveKind.ALL_GATHER ? "AG" : "RS");
            }
        }
        return text.toString();
    }
}
