package org.shardplan.cli;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.shardplan.job.CatalogJob;
import org.shardplan.job.ClusterFileJob;
import org.shardplan.units.UserError;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code shardplan clusters}. */
@Command(
        name = "clusters",
        description = "Lists the clusters of the catalog, or writes one as a YAML file to edit.",
        footer =
                "Example: shardplan clusters topo.txt,topology.conf,device=h200-sxm,nic-one-way=400Gbit/s -o cluster.yaml")
final class ClustersCommand implements Callable<Integer> {
    private final Session session;

    @Parameters(
            paramLabel = "CLUSTER",
            arity = "0..1",
            description =
                    "catalog name with a count, or what nvidia-smi topo -m, NCCL or Slurm wrote; its YAML is printed")
    private @Nullable String cluster;

    @Option(names = "--json", paramLabel = "F", description = "write them as JSON; - = stdout, instead of the text")
    private @Nullable String json;

    @Option(names = "-o", paramLabel = "cluster.yaml", description = "write CLUSTER there instead")
    private @Nullable String file;

    ClustersCommand(Session session) {
        this.session = session;
    }

    @Override
    public Integer call() {
        String words = cluster;
        if (words == null) {
            if (file != null) {
                throw new UserError(
                        "-o " + file + ": no cluster is named", "Maybe shardplan clusters dgx-h100:8 -o " + file);
            }
            return CatalogOutput.write(CatalogJob.clusters(), json, session);
        }
        if (json != null) {
            throw new UserError("--json lists the catalog, and " + words + " is one cluster", "Maybe -o cluster.yaml");
        }
        FileOutput output = file == null ? null : new FileOutput("-o", file);
        String yaml = ClusterFileJob.run(words);
        if (output == null) {
            session.out.print(yaml);
            return 0;
        }
        output.write(out -> out.write(yaml.getBytes(StandardCharsets.UTF_8)));
        session.say("wrote " + output);
        return 0;
    }
}
