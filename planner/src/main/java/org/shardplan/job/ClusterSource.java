package org.shardplan.job;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.shardplan.cluster.Cluster;
import org.shardplan.form.ClusterCatalog;
import org.shardplan.form.DisturbanceForm;
import org.shardplan.form.EconomicsForm;
import org.shardplan.read.NodeTopology;
import org.shardplan.read.SlurmTopology;
import org.shardplan.read.TopologyFile;
import org.shardplan.units.ClosestNames;
import org.shardplan.units.UserError;

/**
 * Turns what a user calls a cluster into one: words of the catalog, a YAML file, or files that machines print (a node's topology,
 * Slurm's switches), told apart by content. Behind it, after commas, stands what the files don't say and what running it costs:
 * {@code topo.txt,topology.conf,device=h200-sxm,nic-one-way=400Gbit/s,price=2.50USD/h}.
 */
public final class ClusterSource {
    private static final Pattern SETTING = Pattern.compile("([a-z-]+)=(.*)");
    private static final Pattern PRINTED = Pattern.compile("(?i).*\\.(txt|xml|conf|out|log)");

    private ClusterSource() {}

    /** @throws UserError when there is no such cluster, or the files say too little */
    public static Cluster resolve(String words) {
        List<String> bases = new ArrayList<>();
        List<NodeTopology> nodes = new ArrayList<>();
        List<SlurmTopology> switches = new ArrayList<>();
        Map<String, String> topology = new LinkedHashMap<>();
        Map<String, String> economics = new LinkedHashMap<>();
        Map<String, String> disturbances = new LinkedHashMap<>();
        for (String word : isFile(words) ? List.of(words) : List.of(words.split(",", -1))) {
            String part = word.strip();
            var setting = SETTING.matcher(part);
            if (!isFile(part) && setting.matches()) {
                set(setting.group(1), setting.group(2), topology, economics, disturbances);
            } else if (!isFile(part) && PRINTED.matcher(part).matches()) {
                throw new UserError("--cluster: there is no file " + part, "Maybe the path is mistyped.");
            } else if (isFile(part) && !part.matches("(?i).*\\.ya?ml")) {
                file(part, nodes, switches);
            } else {
                bases.add(part);
            }
        }
        once(words, "clusters", bases.size());
        once(words, "node topologies", nodes.size());
        once(words, "switch topologies", switches.size());
        Cluster cluster = cluster(
                words,
                bases.stream().findFirst(),
                nodes.stream().findFirst(),
                switches.stream().findFirst(),
                topology);
        return DisturbanceForm.with(EconomicsForm.with(cluster, economics), disturbances);
    }

    private static Cluster cluster(
            String words,
            Optional<String> base,
            Optional<NodeTopology> node,
            Optional<SlurmTopology> switches,
            Map<String, String> settings) {
        if (node.isPresent()) {
            if (base.isPresent()) {
                throw new UserError(
                        "--cluster " + words + ": the node is given twice, by " + base.get() + " and by "
                                + node.get().file(),
                        "Maybe delete one of the two; device=h200-sxm says which device it is.");
            }
            return new TopologyCluster(settings).of(node.get(), switches);
        }
        if (switches.isPresent()) {
            return new TopologyCluster(settings).of(base, switches.get());
        }
        if (base.isEmpty()) {
            throw new UserError(
                    "--cluster " + words + ": no cluster is named", "Maybe dgx-h100:8 in front, or a file.");
        }
        if (!settings.isEmpty()) {
            String key = settings.keySet().iterator().next();
            throw new UserError(
                    "--cluster " + words + ": " + key + " is said by " + base.get() + " itself",
                    "Maybe leave it out; `shardplan clusters " + base.get()
                            + " -o cluster.yaml` writes a file to edit.");
        }
        return ClusterCatalog.resolve(base.get());
    }

    private static void once(String words, String what, int count) {
        if (count > 1) {
            throw new UserError("--cluster " + words + " names " + count + " " + what, "Maybe one of them.");
        }
    }

    private static void set(
            String key,
            String value,
            Map<String, String> topology,
            Map<String, String> economics,
            Map<String, String> disturbances) {
        boolean money = EconomicsForm.KEYS.contains(key);
        boolean disturbs = DisturbanceForm.WORDS.contains(key);
        if (!money && !disturbs && !TopologySettings.KEYS.contains(key)) {
            List<String> known = new ArrayList<>(TopologySettings.KEYS);
            known.addAll(EconomicsForm.KEYS);
            known.addAll(DisturbanceForm.WORDS);
            throw new UserError(
                    "--cluster: there is no \"" + key + "\" to set",
                    "Maybe "
                            + ClosestNames.of(key, known).stream()
                                    .findFirst()
                                    .orElse("one of " + String.join(", ", known)));
        }
        if (value.isBlank()) {
            throw new UserError("--cluster: " + key + " has no value", "Maybe leave it out.");
        }
        if ((money ? economics : disturbs ? disturbances : topology).put(key, value.strip()) != null) {
            throw new UserError("--cluster has " + key + " twice", "Maybe delete one of the two.");
        }
    }

    private static void file(String name, List<NodeTopology> nodes, List<SlurmTopology> switches) {
        String text = TopologyFile.text(Path.of(name));
        switch (TopologyFile.kind(text)) {
            case NVIDIA_SMI, NCCL -> nodes.add(TopologyFile.node(text, name));
            case SLURM -> switches.add(SlurmTopology.parse(text, name));
            case NONE ->
                throw new UserError(
                        "--cluster " + name
                                + " is neither what nvidia-smi topo -m prints, nor NCCL's topology XML, nor Slurm's topology.conf",
                        text.strip().toLowerCase(Locale.ROOT).startsWith("format: shardplan.cluster")
                                ? "Maybe call it " + name + ".yaml."
                                : "Maybe a .yaml file: see examples/clusters/two-racks.yaml.");
        }
    }

    private static boolean isFile(String name) {
        try {
            return !name.isBlank() && Files.isRegularFile(Path.of(name));
        } catch (InvalidPathException e) {
            return false;
        }
    }
}
