package org.shardplan.form;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.shardplan.cluster.Cluster;
import org.shardplan.cluster.Disturbances;
import org.shardplan.cluster.Disturbances.Straggler;
import org.shardplan.units.UserError;

/** Stragglers, jitter and contention in a cluster's file and behind its name. */
class A06_DisturbancesTest {
    private static final String FILE = """
            format: shardplan.cluster/1
            name: mine
            device: h100-sxm-80gb
            nodes: 4
            devices-per-node: 8
            levels:
              - name: nvlink
                devices: 8
                one-way: 450GB/s
                latency: 2us
              - name: net
                devices: all
                one-way: 50GB/s
                latency: 5us
            """;

    private static Disturbances read(String more) {
        return ClusterFile.read(FILE + more, "f.yaml").disturbances();
    }

    @Test
    void nothingIsSaidOfMostClusters() {
        assertEquals(Disturbances.NONE, read(""));
        assertEquals(Disturbances.NONE, ClusterCatalog.resolve("dgx-h100:8").disturbances());
    }

    @Test
    void whatAFileSays() {
        Disturbances read = read("""
                stragglers:
                  - device: 13
                    slower: 20%
                  - node: 3
                    link: net
                    slower: 100%
                jitter: 2%
                jitter-seed: 4
                contention: yes
                """);
        assertEquals(
                new Disturbances(List.of(new Straggler(13, 1, "", 0.2), new Straggler(24, 8, "net", 1)), 0.02, 4, true),
                read);
        assertTrue(read.any());
    }

    @Test
    void writtenAndReadAgain() {
        Cluster cluster = ClusterFile.read(
                FILE + "stragglers:\n  - device: 1\n    slower: 5%\n    link: net\njitter: 3%\ncontention: yes\n", "f");
        assertEquals(cluster, ClusterFile.read(ClusterFile.write(cluster), "written"));
    }

    @Test
    void wordsBehindAName() {
        Cluster words = DisturbanceForm.with(
                ClusterCatalog.resolve("dgx-h100:2"), Map.of("straggler", "9:20%", "contention", "yes"));
        assertEquals(new Disturbances(List.of(new Straggler(9, 1, "", 0.2)), 0, 0, true), words.disturbances());
    }

    @Test
    void mistakes() {
        mistake("stragglers:\n  - device: 32\n    slower: 20%\n", "32 is too large");
        mistake("stragglers:\n  - node: 4\n    slower: 20%\n", "4 is too large");
        mistake("stragglers:\n  - device: 1\n", "how much slower it is is missing");
        mistake("stragglers:\n  - slower: 20%\n", "which device is slow is missing");
        mistake("stragglers:\n  - device: 1\n    node: 1\n    slower: 20%\n", "a node is named too");
        mistake("stragglers:\n  - device: 1\n    slower: 20%\n    link: nett\n", "no level is called nett");
        mistake("stragglers:\n  - device: 1\n    slower: -5%\n", "negative");
        mistake("jitter: 3\n", "3");
        mistake("contention: perhaps\n", "neither yes nor no");
    }

    private static void mistake(String more, String what) {
        UserError error = assertThrows(UserError.class, () -> read(more), more);
        assertTrue(String.valueOf(error.getMessage()).contains(what), () -> what + ": " + error.getMessage());
        assertTrue(error.maybe().startsWith("Maybe"), error::maybe);
    }
}
