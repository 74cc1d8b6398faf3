package org.shardplan.job;

import java.util.List;
import java.util.OptionalInt;
import org.shardplan.cluster.Cluster;
import org.shardplan.form.Row;
import org.shardplan.graph.TransformerSizes;
import org.shardplan.plan.Shorthand;
import org.shardplan.workload.Workload;

/** What a measured row is to a predictor: a plan to predict, or a reason why not. */
public sealed interface RowCase {

    Row row();

    /**
     * A run in our words.
     *
     * @param cluster as many devices as it ran on, rounded up to whole nodes
     * @param clusterRule how its network was found, for people
     * @param framework generation, a name of the framework catalog
     * @param attention {@code flash} or {@code standard} where the source says so, else empty: the framework's default
     * @param gradientBytes of one accumulated gradient element, where the source says so
     * @param memoryKind {@code allocated}, {@code reserved} or {@code device}: what its memory figure counts
     * @param assumed what the source leaves open and we assumed, for people
     */
    record Ready(
            Row row,
            TransformerSizes sizes,
            Workload workload,
            Cluster cluster,
            String clusterRule,
            Shorthand plan,
            String framework,
            String attention,
            OptionalInt gradientBytes,
            String memoryKind,
            List<String> assumed)
            implements RowCase {
        public Ready {
            assumed = List.copyOf(assumed);
        }
    }

    /** Not predicted, and why. */
    record Skipped(Row row, String reason) implements RowCase {}
}
