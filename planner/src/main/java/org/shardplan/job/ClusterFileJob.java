package org.shardplan.job;

import org.shardplan.cluster.Cluster;
import org.shardplan.form.ClusterFile;

/** Writes any cluster as a file that can be edited: the catalog's, or one that machines printed. */
public final class ClusterFileJob {
    private ClusterFileJob() {}

    /** The YAML of {@code words}. @throws org.shardplan.units.UserError where they name no cluster */
    public static String run(String words) {
        Cluster cluster = ClusterSource.resolve(words);
        return ClusterFile.write(cluster);
    }
}
