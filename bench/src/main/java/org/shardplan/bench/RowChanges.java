package org.shardplan.bench;

import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.shardplan.cluster.Cluster;
import org.shardplan.cluster.Device;
import org.shardplan.cluster.LinkLevel;
import org.shardplan.form.ClusterCatalog;
import org.shardplan.graph.TransformerSizes;
import org.shardplan.job.RowCase;
import org.shardplan.plan.PlanText;
import org.shardplan.plan.Recompute;
import org.shardplan.plan.Shorthand;

/** Measured runs as if their plan, network or cluster were simpler than they were. */
final class RowChanges {
    private static final double FREE = 1e18;

    private RowChanges() {}

    static RowCase.Ready withoutRecomputation(RowCase.Ready row) {
        Shorthand plan = row.plan();
        return plan(row, plan(plan, plan.vpp(), plan.zero(), Recompute.NONE));
    }

    static RowCase.Ready withoutChunks(RowCase.Ready row) {
        Shorthand plan = row.plan();
        return plan.vpp() == 1 ? row : plan(row, plan(plan, 1, plan.zero(), plan.recompute()));
    }

    static RowCase.Ready withoutGathers(RowCase.Ready row) {
        Shorthand plan = row.plan();
        return plan(row, plan(plan, plan.vpp(), Math.min(1, plan.zero()), plan.recompute()));
    }

    /** Products by a constant share of the device's peak. */
    static RowCase.Ready withoutTable(RowCase.Ready row) {
        Device of = row.cluster().device();
        Device device = new Device(
                of.name(),
                of.family(),
                of.memoryBytes(),
                of.usableBytes(),
                of.hbmBytesPerSecond(),
                of.peakFlops(),
                of.multiprocessors(),
                of.flashAttention(),
                "",
                of.source());
        Cluster cluster = row.cluster();
        return cluster(
                row,
                new Cluster(
                        cluster.name(),
                        List.of(new Cluster.Pool(device, cluster.devices())),
                        cluster.levels(),
                        cluster.torus(),
                        cluster.networkEfficiencyNote(),
                        cluster.blockingLaunches()));
    }

    static RowCase.Ready freeInside(RowCase.Ready row) {
        return levels(row, level -> level.equals(row.cluster().levels().getFirst()) ? free(level) : level);
    }

    static RowCase.Ready freeOutside(RowCase.Ready row) {
        return levels(row, level -> level.equals(row.cluster().levels().getFirst()) ? level : free(level));
    }

    static RowCase.Ready nominalRates(RowCase.Ready row) {
        return levels(
                row, level -> level(level, level.deviceBytesPerSecond(), level.latencySeconds(), 1, level.curve()));
    }

    /** Jean Zay's A100 with the shares of its links that a DGX A100 reaches. */
    static RowCase.Ready onUsualLinks(RowCase.Ready row) {
        Cluster cluster = row.cluster();
        if (!cluster.name().startsWith("jean-zay:") && !cluster.name().startsWith("jean-zay/")) {
            return row;
        }
        List<LinkLevel> usual = ClusterCatalog.resolve("dgx-a100-80gb:2").levels();
        LinkLevel first = cluster.levels().getFirst();
        return levels(row, level -> {
            LinkLevel like = level.equals(first) ? usual.getFirst() : usual.getLast();
            return level(level, level.deviceBytesPerSecond(), level.latencySeconds(), like.efficiency(), like.curve());
        });
    }

    private static LinkLevel free(LinkLevel level) {
        return level(level, FREE, 0, 1, "");
    }

    private static LinkLevel level(LinkLevel of, double rate, double latency, double efficiency, String curve) {
        return new LinkLevel(
                of.name(),
                of.degree(),
                rate,
                latency,
                of.linksPerNode(),
                efficiency,
                1,
                of.inSwitchReduction(),
                curve,
                of.source(),
                of.rails());
    }

    private static RowCase.Ready levels(RowCase.Ready row, UnaryOperator<LinkLevel> change) {
        Cluster of = row.cluster();
        return cluster(
                row,
                new Cluster(
                        of.name(),
                        of.pools(),
                        of.levels().stream().map(change).toList(),
                        Optional.empty(),
                        of.networkEfficiencyNote(),
                        of.blockingLaunches()));
    }

    /** A vocabulary of one word a tensor rank and the multiple that frameworks pad to. */
    static RowCase.Ready withoutVocabulary(RowCase.Ready row) {
        TransformerSizes of = row.sizes();
        TransformerSizes sizes = new TransformerSizes(
                of.name(),
                of.layers(),
                of.hidden(),
                of.ffn(),
                of.heads(),
                of.kvHeads(),
                of.headDim(),
                128L * row.plan().tp(),
                of.maxPositions(),
                of.seqLen(),
                of.gatedMlp(),
                of.normPlacement(),
                of.norm(),
                of.positions(),
                of.rotaryFraction(),
                of.qkNorm(),
                of.bias(),
                of.tiedEmbeddings(),
                of.embeddingNorm(),
                of.finalNorm(),
                of.window(),
                of.windowEvery(),
                of.logitSoftCap(),
                of.dropout(),
                of.extraPositionRows());
        return ready(row, sizes, row.cluster(), row.plan());
    }

    /** Without interleaving a layout by virtual stages means nothing: an even one stands for it. */
    private static Shorthand plan(Shorthand of, int vpp, int zero, Recompute recompute) {
        boolean same = vpp == of.vpp();
        return new Shorthand(
                of.tp(),
                of.pp(),
                vpp,
                of.dp(),
                of.microBatch(),
                of.sequenceParallel(),
                zero,
                recompute,
                same ? of.schedule() : PlanText.defaultSchedule(vpp),
                of.order(),
                same ? of.layout() : List.of(),
                recompute.equals(of.recompute()) ? of.fullRecomputeByStage() : List.of());
    }

    private static RowCase.Ready plan(RowCase.Ready row, Shorthand plan) {
        return ready(row, row.sizes(), row.cluster(), plan);
    }

    private static RowCase.Ready cluster(RowCase.Ready row, Cluster cluster) {
        return ready(row, row.sizes(), cluster, row.plan());
    }

    private static RowCase.Ready ready(RowCase.Ready row, TransformerSizes sizes, Cluster cluster, Shorthand plan) {
        return new RowCase.Ready(
                row.row(),
                sizes,
                row.workload(),
                cluster,
                row.clusterRule(),
                plan,
                row.framework(),
                row.attention(),
                row.gradientBytes(),
                row.memoryKind(),
                row.assumed());
    }
}
