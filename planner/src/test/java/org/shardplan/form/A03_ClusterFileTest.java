package org.shardplan.form;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Scale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.shardplan.Checkout;
import org.shardplan.cluster.Cluster;
import org.shardplan.cluster.Device;
import org.shardplan.cluster.LinkLevel;
import org.shardplan.graph.DataType;

/** FEATURE UNDER TEST: cluster files, both directions. */
final class A03_ClusterFileTest {

    static List<String> clusters() {
        return ClusterCatalog.names();
    }

    @Test
    void theExampleIsRead() {
        Cluster cluster = ClusterFile.read(Checkout.root().resolve("examples/clusters/two-racks.yaml"));
        assertEquals(64, cluster.devices());
        assertEquals(8, cluster.nodeSize());
        assertEquals(
                List.of(8, 32, 64),
                cluster.levels().stream().map(LinkLevel::degree).toList());
        assertEquals(450e9, cluster.levels().getFirst().deviceBytesPerSecond());
        assertEquals(50e9, cluster.levels().get(1).deviceBytesPerSecond());
        assertTrue(cluster.levels().get(1).rails());
        assertEquals(2, cluster.levels().get(2).oversubscription());
    }

    /** The example's description of a device, its comment signs taken away. */
    @Test
    void theExamplesCommentsAreRead() throws IOException {
        String text = Files.readString(Checkout.root().resolve("examples/clusters/two-racks.yaml"));
        String described = text.substring(text.indexOf("#   device:"), text.indexOf("device: h100-sxm-80gb\n\n"))
                .replaceAll("(?m)^#   ", "");
        String file = text.replace("device: h100-sxm-80gb\n\n", described + "\n");
        Device device = ClusterFile.read(file, "x").device();
        assertEquals("my-gpu", device.name());
        assertEquals(989e12, device.peakFlops(DataType.BF16));
    }

    @Test
    void golden() {
        String text = ClusterFile.write(ClusterCatalog.resolve("dgx-2:2"));
        assertEquals("""
                format: shardplan.cluster/1
                name: "dgx-2:2"
                device: v100-sxm-32gb   # see shardplan clusters
                devices: 32
                levels:   # innermost first
                  - name: nvlink
                    devices: 16
                    one-way: 150GB/s   # of one device
                    latency: 3us
                    efficiency: 90%
                """, text.substring(0, text.indexOf("    curve:")));
    }

    @ParameterizedTest
    @MethodSource("clusters")
    void everyClusterIsReadBack(String name) {
        for (String words : List.of(name, name + ":3")) {
            Cluster cluster = ClusterCatalog.resolve(words);
            assertEquals(cluster, ClusterFile.read(ClusterFile.write(cluster), words));
        }
    }

    @Test
    void aFileFromDisk(@TempDir Path folder) throws IOException {
        Cluster cluster = ClusterCatalog.resolve("tpu-v4:8192");
        Path file = folder.resolve("mine.yaml");
        Files.writeString(file, ClusterFile.write(cluster));
        assertEquals(cluster, ClusterCatalog.resolve(file.toString()));
    }

    @Property(tries = 200)
    void anyNumbersAreReadBack(
            @ForAll @LongRange(min = 1 << 21, max = 1L << 48) long memory,
            @ForAll @DoubleRange(min = 1e6, max = 1e14) @Scale(12) double rate,
            @ForAll @DoubleRange(min = 1e-8, max = 0.9) @Scale(12) double latency,
            @ForAll @DoubleRange(min = 0.01, max = 1) @Scale(12) double efficiency,
            @ForAll @DoubleRange(min = 1, max = 100) @Scale(12) double oversubscription,
            @ForAll @IntRange(min = 1, max = 1000) int nodes,
            @ForAll String words) {
        String remark = words.replaceAll("[^\\x20-\\x7eäß\\n\"]", "").strip();
        Device device =
                new Device("mine", "other", memory, memory - 1, rate, Map.of(DataType.BF16, rate), 7, false, "", "s");
        Cluster cluster = new Cluster(
                "a \"name\"",
                List.of(new Cluster.Pool(device, 4 * nodes)),
                nodes == 1
                        ? List.of(level("inner", 4, rate, latency, efficiency, oversubscription))
                        : List.of(
                                level("inner", 4, rate, latency, efficiency, oversubscription),
                                level("outer", 4 * nodes, rate / 3, latency, efficiency, oversubscription)),
                Optional.empty(),
                remark);
        assertEquals(cluster, ClusterFile.read(ClusterFile.write(cluster), "x"));
    }

    private static LinkLevel level(
            String name, int degree, double rate, double latency, double efficiency, double oversubscription) {
        return new LinkLevel(
                name, degree, rate, latency, 2, efficiency, oversubscription, true, "", "from \\ \"there\"", true);
    }
}
