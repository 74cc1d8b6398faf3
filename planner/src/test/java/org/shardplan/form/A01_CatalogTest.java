package org.shardplan.form;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.shardplan.Checkout;
import org.shardplan.cluster.Cluster;
import org.shardplan.cluster.Device;
import org.shardplan.cluster.LinkLevel;
import org.shardplan.graph.DataType;
import org.shardplan.workload.Framework;
import org.shardplan.workload.Sharding;

/** FEATURE UNDER TEST: every catalog entry is read, is plausible and names its sources; a few published constants. */
final class A01_CatalogTest {

    static List<String> devices() {
        return DeviceCatalog.names();
    }

    static List<String> clusters() {
        return ClusterCatalog.names();
    }

    static List<String> frameworks() {
        return FrameworkCatalog.names();
    }

    @ParameterizedTest
    @MethodSource("devices")
    void deviceIsPlausible(String name) {
        Device device = DeviceCatalog.get(name);
        assertEquals(name, device.name());
        assertTrue(device.usableBytes() <= device.memoryBytes() && device.usableBytes() > 0.9 * device.memoryBytes());
        assertTrue(device.supports(DataType.BF16) || device.supports(DataType.FP16));
        assertTrue(device.source().length() > 20);
        assertTrue(ClusterCatalog.referenceNode(name).isPresent(), "has a reference node");
    }

    @ParameterizedTest
    @MethodSource("clusters")
    void clusterIsPlausible(String name) {
        Cluster one = ClusterCatalog.resolve(name);
        Cluster four = ClusterCatalog.resolve(name + ":4");
        assertEquals(name + ":1", one.name());
        assertEquals(4 * one.devices(), four.devices());
        assertEquals(four.devices(), four.levels().getLast().degree());
        assertFalse(one.networkEfficiencyNote().isBlank());
        for (LinkLevel level : four.levels()) {
            assertTrue(level.source().length() > 10, level.name());
            assertTrue(level.efficiency() > 0 && level.efficiency() <= 1);
            assertTrue(level.deviceBytesPerSecond() >= 1e8 && level.deviceBytesPerSecond() <= 1e12);
        }
    }

    @ParameterizedTest
    @MethodSource("frameworks")
    void frameworkIsPlausible(String name) {
        Framework framework = FrameworkCatalog.get(name);
        assertEquals(name, framework.name());
        // those that split sequences or replicate states say so in three more
        boolean shards = !framework.sharding().equals(Sharding.NONE);
        assertEquals(shards ? 63 : 60, framework.sources().size(), "one source a statement");
        assertTrue(
                framework.limits().maxZeroWithPipeline() <= framework.limits().maxZero());
        assertTrue(framework.limits().selectiveRecompute()
                == !framework.memory().recomputeSelective().isEmpty());
    }

    @Test
    void theFoldersHoldWhatTheNamesSay() throws IOException {
        Path root = Checkout.root().resolve("planner/src/main/resources/org/shardplan/form");
        assertEquals(files(root.resolve("devices")), new TreeSet<>(DeviceCatalog.names()));
        assertEquals(files(root.resolve("clusters")), new TreeSet<>(ClusterCatalog.names()));
        assertEquals(files(root.resolve("frameworks")), new TreeSet<>(FrameworkCatalog.names()));
    }

    private static Set<String> files(Path folder) throws IOException {
        Set<String> names = new TreeSet<>();
        try (Stream<Path> files = Files.list(folder)) {
            files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".yaml"))
                    .forEach(name -> names.add(name.replace(".yaml", "")));
        }
        return names;
    }

    @Test
    void publishedConstants() {
        assertEquals(312e12, DeviceCatalog.get("a100-sxm-80gb").peakFlops(DataType.BF16));
        assertEquals(989.4e12, DeviceCatalog.get("h100-sxm-80gb").peakFlops(DataType.BF16));
        assertEquals(125e12, DeviceCatalog.get("v100-sxm-32gb").peakFlops(DataType.FP16));
        assertTrue(Double.isNaN(DeviceCatalog.get("v100-sxm-32gb").peakFlops(DataType.BF16)), "unknown, never 0");
        assertFalse(DeviceCatalog.get("v100-sxm-32gb").flashAttention());
        assertEquals(80L << 30, DeviceCatalog.get("a100-sxm-80gb").memoryBytes());
        assertEquals("a100-sxm-80gb", DeviceCatalog.get("a100-sxm-40gb").kernelTable());
        assertEquals("", DeviceCatalog.get("v100-sxm-32gb").kernelTable());
        LinkLevel nvlink = ClusterCatalog.resolve("dgx-a100-80gb").levels().getFirst();
        assertEquals(300e9, nvlink.deviceBytesPerSecond());
        LinkLevel hdr = ClusterCatalog.resolve("selene:2").levels().getLast();
        assertEquals(25e9, hdr.deviceBytesPerSecond());
        assertEquals(8, hdr.linksPerNode());
        assertEquals(
                50e9, ClusterCatalog.resolve("p5.48xlarge:2").levels().getLast().deviceBytesPerSecond());
        assertEquals("megatron-core", FrameworkCatalog.names().getFirst());
        assertEquals(
                Set.of("attention-core"),
                FrameworkCatalog.get("megatron-lm-2022").memory().recomputeSelective());
    }

    /** Every gpu of the ledger is a device. */
    @Test
    void everyGpuOfTheLedgerIsADevice() throws IOException {
        Path ledger = Checkout.root().resolve("../shared/groundtruth");
        assumeTrue(Files.isDirectory(ledger));
        Set<String> missing = new TreeSet<>();
        try (Stream<Path> files = Files.list(ledger)) {
            for (Path csv :
                    files.filter(file -> file.toString().endsWith(".csv")).toList()) {
                List<String> lines = Files.readAllLines(csv);
                int column = List.of(lines.getFirst().split(",")).indexOf("gpu");
                lines.stream()
                        .skip(1)
                        .map(line -> line.replaceAll("\"[^\"]*\"", "").split(","))
                        .filter(cells -> cells.length > column)
                        .map(cells -> cells[column])
                        .filter(gpu -> !DeviceCatalog.names().contains(gpu))
                        .forEach(missing::add);
            }
        }
        assertEquals(Set.of(), missing);
    }
}
