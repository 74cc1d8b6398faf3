package org.shardplan.form;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.Collectors;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.shardplan.cluster.Cluster;
import org.shardplan.graph.DataType;
import org.shardplan.units.Printed;
import org.shardplan.units.UserError;

/** FEATURE UNDER TEST: the words of --cluster. A golden is {@code name devices node level/degree@rate …}. */
final class A02_ClusterWordsTest {

    private static String line(Cluster cluster) {
        return cluster.name() + " " + cluster.devices() + " node " + cluster.nodeSize() + " "
                + cluster.levels().stream()
                        .map(level -> level.name() + "/" + level.degree() + "@"
                                + Printed.bytesPerSecond(level.deviceBytesPerSecond()))
                        .collect(Collectors.joining(", "))
                + cluster.torus().map(torus -> " torus " + torus.shape()).orElse("");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "dgx-h100|dgx-h100:1 8 node 8 nvlink/8@450 GB/s",
                "dgx-h100/4|dgx-h100/4 4 node 4 nvlink/4@450 GB/s",
                "dgx-h100/1|dgx-h100/1 1 node 1 nvlink/1@450 GB/s",
                "dgx-a100-80gb:128|dgx-a100-80gb:128 1024 node 8 nvlink/8@300 GB/s, infiniband/1024@25.0 GB/s",
                "gb200-nvl72:2|gb200-nvl72:2 144 node 72 nvlink/72@900 GB/s, infiniband/144@50.0 GB/s",
                "dgx-2:2|dgx-2:2 32 node 16 nvlink/16@150 GB/s, infiniband/32@6.25 GB/s",
                "p3.16xlarge:2|p3.16xlarge:2 16 node 8 nvlink/8@150 GB/s, ethernet/16@391 MB/s",
                "jean-zay:48|jean-zay:48 384 node 8 nvlink/8@300 GB/s, omni-path/384@6.25 GB/s",
                "tpu-v4:64|tpu-v4:64 64 node 64 ici/64@270 GB/s torus [4, 4, 4]",
                "tpu-v4:2x3072|tpu-v4:2x3072 6144 node 3072 ici/3072@270 GB/s, dcn/6144@1.65 GB/s torus [12, 16, 16]",
                "tpu-v5e:2x256|tpu-v5e:2x256 512 node 256 ici/256@180 GB/s, dcn/512@3.13 GB/s torus [16, 16]",
                "tpu-v4:6144|tpu-v4:6144 6144 node 3072 ici/3072@270 GB/s, dcn/6144@1.65 GB/s torus [12, 16, 16]",
                "tpu-v5e:512|tpu-v5e:512 512 node 256 ici/256@180 GB/s, dcn/512@3.13 GB/s torus [16, 16]",
                "local:4|local:4 4 node 4 shared-memory/4@2.00 GB/s"
            })
    void goldens(String words, String golden) {
        assertEquals(golden, line(ClusterCatalog.resolve(words)));
    }

    /** Names that have the words, or are known by the name, before those that are spelled alike. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "dgx-1-v100-32gb:4|Maybe dgx-v100:4.",
                "dgx-1|Maybe dgx-v100.",
                "DGX-H100:8|Maybe dgx-h100:8.",
                "dgx-a100:2|Maybe dgx-a100-40gb:2 or dgx-a100-80gb:2.",
                "h200:2|Maybe dgx-h200:2 or azure-nd-h200-v5:2.",
                "/somewhere/cluster.json|Maybe dgx-h100:8, a name with a count; a plan goes to `shardplan simulate` or `explain`.",
                "cluster.JSON|Maybe dgx-h100:8, a name with a count; a plan goes to `shardplan simulate` or `explain`."
            })
    void suggestsWhatIsMeant(String words, String maybe) {
        assertEquals(
                maybe,
                assertThrows(UserError.class, () -> ClusterCatalog.resolve(words))
                        .maybe());
    }

    @Test
    void localRanksShareTheMachine() {
        assertEquals(
                ClusterCatalog.resolve("local:1").device().peakFlops(DataType.FP32),
                4 * ClusterCatalog.resolve("local:4").device().peakFlops(DataType.FP32));
        assertTrue(ClusterCatalog.resolve("local:4").device().source().startsWith("assumed"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "dgx-h100:0|cluster \"dgx-h100:0\": 0 nodes; at least 1 and at most 1,250,000|Maybe dgx-h100:1.",
                "dgx-h100:-1|cluster \"dgx-h100:-1\": -1 nodes; at least 1 and at most 1,250,000|Maybe dgx-h100:1.",
                "dgx-h100:x|cluster \"dgx-h100:x\": \"x\" is not a number of nodes|Maybe dgx-h100:8.",
                "dgx-h100:|cluster \"dgx-h100:\": \"\" is not a number of nodes|Maybe dgx-h100:8.",
                "dgx-h100:1.5|cluster \"dgx-h100:1.5\": \"1.5\" is not a number of nodes|Maybe dgx-h100:8.",
                "dgx-h100/9|cluster \"dgx-h100/9\": 9 is not a part of a node with 8 devices|Maybe dgx-h100/8.",
                "dgx-h100/0|cluster \"dgx-h100/0\": 0 is not a part of a node with 8 devices|Maybe dgx-h100/8.",
                "dgx-h100:2/4|cluster \"dgx-h100:2/4\": a part is taken of one node, and a count is given too|Maybe dgx-h100/4, or a .yaml file with smaller nodes.",
                "dgx-h100:2000000|cluster \"dgx-h100:2000000\": 2,000,000 nodes; at least 1 and at most 1,250,000|Maybe dgx-h100:1250000.",
                "dgx-a100:8|cluster \"dgx-a100:8\": there is no \"dgx-a100\" in the catalog|Maybe dgx-a100-40gb:8 or dgx-a100-80gb:8.",
                "dgx-h10|cluster \"dgx-h10\": there is no \"dgx-h10\" in the catalog|Maybe dgx-h100.",
                "h100-sxm-80gb:4|cluster \"h100-sxm-80gb:4\": h100-sxm-80gb is a device, not a cluster|Maybe dgx-h100:4, which has that device.",
                "tpu-v4:4097|cluster \"tpu-v4:4097\": 4,097 chips are not equal slices of a torus within [16, 16, 16]|Maybe tpu-v4:4096.",
                "tpu-v4:2x4097|cluster \"tpu-v4:2x4097\": a slice of 4,097 chips is no torus within [16, 16, 16]|Maybe tpu-v4:2x4096.",
                "tpu-v4/4|cluster \"tpu-v4/4\": TPUs are counted in chips, not in parts of a node|Maybe tpu-v4:4.",
                "local:5000|cluster \"local:5000\": 5,000 ranks; at least 1 and at most 4,096|Maybe local:4096.",
                "none.yaml|none.yaml cannot be read: there is no such file|Maybe the path is mistyped.",
                ":8|cluster \":8\" has no name|Maybe dgx-h100:8."
            })
    void refused(String words, String message, String maybe) {
        UserError error = assertThrows(UserError.class, () -> ClusterCatalog.resolve(words));
        assertEquals(message, error.getMessage());
        assertEquals(maybe, error.maybe());
    }

    /** Any number of chips is a cluster of exactly that many, or an error that names one that is. */
    @Property(tries = 300)
    void chips(@ForAll @IntRange(min = 1, max = 60_000) int chips) {
        try {
            Cluster cluster = ClusterCatalog.resolve("tpu-v5p:" + chips);
            int slice = TorusShape.chips(cluster.torus().orElseThrow().shape());
            assertEquals(chips, cluster.devices());
            assertEquals(0, chips % slice);
            assertEquals(slice, cluster.nodeSize());
        } catch (UserError error) {
            ClusterCatalog.resolve(error.maybe().replaceAll("Maybe |\\.$", ""));
        }
    }
}
