package org.shardplan.plan;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.shardplan.cluster.Cluster;
import org.shardplan.cluster.Device;
import org.shardplan.graph.DataType;
import org.shardplan.graph.OperatorGraph;
import org.shardplan.graph.TransformerGraph;
import org.shardplan.graph.TransformerSizes;
import org.shardplan.workload.Framework;
import org.shardplan.workload.Mixture;
import org.shardplan.workload.PipelineSchedules;
import org.shardplan.workload.Sharding;
import org.shardplan.workload.Workload;

/** Small networks, clusters and frameworks that the tests of this room share. */
final class TestCases {
    private TestCases() {}

    /** GPT-3's shape at a size that reads well: 12 layers, 16 heads, width 1,024. */
    static TransformerSizes sizes(int layers, long heads, long kvHeads, long ffn, long vocab) {
        return sizes(layers, heads, kvHeads, ffn, vocab, 0);
    }

    /** The same, each query sees so many keys. */
    static TransformerSizes windowed(int layers, long window) {
        return sizes(layers, 16, 16, 4096, 51200, window);
    }

    private static TransformerSizes sizes(int layers, long heads, long kvHeads, long ffn, long vocab, long window) {
        return new TransformerSizes(
                "test",
                layers,
                1024,
                ffn,
                heads,
                kvHeads,
                64,
                vocab,
                2048,
                2048,
                false,
                TransformerSizes.NormPlacement.PRE,
                TransformerSizes.Norm.LAYER_NORM,
                TransformerSizes.Positions.LEARNED,
                1,
                TransformerSizes.QkNorm.NONE,
                TransformerSizes.Bias.ALL,
                true,
                false,
                true,
                window,
                1,
                false,
                true,
                0);
    }

    static OperatorGraph gpt(int layers) {
        return graph(sizes(layers, 16, 16, 4096, 51200));
    }

    static OperatorGraph graph(TransformerSizes sizes) {
        return TransformerGraph.build(sizes, 2048, 1);
    }

    static Cluster cluster(int devices) {
        Device device = new Device(
                "a100-sxm-80gb",
                "ampere",
                80_000_000_000L,
                79_000_000_000L,
                2.0e12,
                Map.of(DataType.BF16, 312e12, DataType.FP16, 312e12),
                108,
                true,
                "",
                "test");
        return new Cluster("test-cluster", List.of(new Cluster.Pool(device, devices)), List.of(), Optional.empty(), "");
    }

    static Workload batch(long globalBatch) {
        return new Workload(globalBatch, 2048, DataType.BF16, Workload.Optimizer.ADAM);
    }

    /** Can do everything that the rules ask about. */
    static Framework able() {
        return framework(
                "megatron-core",
                new Framework.Limits(3, 1, true, PipelineSchedules.classic(true), true, true, true, true, 128));
    }

    static Framework framework(String name, Framework.Limits limits) {
        // the rules look at the name, the limits, the ways to split sequences, and whether attention is fused
        return new Framework(
                name,
                name,
                new Framework.Kernels(true, true, true, true, true, 1),
                null,
                null,
                null,
                limits,
                Mixture.LEAST,
                new Sharding(List.of("ring", "ulysses"), true, true),
                List.of());
    }
}
