package org.shardplan.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardplan.Checkout;
import org.shardplan.cluster.Cluster;
import org.shardplan.cluster.LinkLevel;
import org.shardplan.form.ClusterFile;
import org.shardplan.units.UserError;

/** FEATURE UNDER TEST: {@code --cluster} takes what machines print, and says what that leaves open. */
final class A16_ClusterSourceTest {
    private static final Path SHARED =
            Checkout.root().resolve("../shared/clusters").normalize();

    private static final String PAIR = """
            \tGPU0\tGPU1\tGPU2\tGPU3\tNIC0\tCPU Affinity
            GPU0\t X \tNV12\tSYS\tSYS\tPIX\t0-31
            GPU1\tNV12\t X \tSYS\tSYS\tPIX\t0-31
            GPU2\tSYS\tSYS\t X \tNV12\tSYS\t32-63
            GPU3\tSYS\tSYS\tNV12\t X \tSYS\t32-63
            """;

    private static String shared(String file) {
        Path path = SHARED.resolve(file);
        assumeTrue(Files.isRegularFile(path), "no " + path);
        return path.toString();
    }

    private static UserError refuse(String words) {
        UserError error = assertThrows(UserError.class, () -> ClusterSource.resolve(words));
        assertTrue(error.maybe().startsWith("Maybe"), error.maybe());
        return error;
    }

    private static void isWrittenAndRead(Cluster cluster) {
        assertEquals(cluster, ClusterFile.read(ClusterFile.write(cluster), "x"));
    }

    @Test
    void eightH200AsTheCatalogHasThem() {
        String topo = shared("nvidia-smi_topo_h200x8_gcp.txt");
        Cluster cluster = ClusterSource.resolve(topo + ",device=h200-sxm,nodes=4,nic-one-way=400Gbit/s");
        Cluster catalog = ClusterSource.resolve("dgx-h200:4");
        assertEquals(32, cluster.devices());
        for (int i = 0; i < 2; i++) {
            LinkLevel read = cluster.levels().get(i);
            LinkLevel usual = catalog.levels().get(i);
            assertEquals(usual.degree(), read.degree());
            assertEquals(usual.deviceBytesPerSecond(), read.deviceBytesPerSecond(), 1e6);
            assertEquals(usual.curve(), read.curve());
        }
        isWrittenAndRead(cluster);
        UserError open = refuse(topo + ",nodes=4");
        assertTrue(open.getMessage().contains("h200-sxm") && open.getMessage().contains("how fast a NIC is"));
        assertTrue(!open.getMessage().contains("h800") && !open.getMessage().contains("a100"), open.getMessage());
        assertTrue(refuse(topo + ",device=a100-sxm-80gb").getMessage().contains("is not what"));
    }

    @Test
    void azuresFileLeavesNvlinksToNccl() {
        String topo = shared("nccl_topo_azure_ndv4.xml");
        Cluster cluster = ClusterSource.resolve(topo + ",device=a100-sxm-40gb,nodes=2,nic-one-way=200Gbit/s");
        Cluster catalog = ClusterSource.resolve("azure-ndv4:2");
        assertEquals(16, cluster.devices());
        assertEquals(300e9, cluster.levels().getFirst().deviceBytesPerSecond(), 1e6);
        assertEquals(
                catalog.levels().getLast().deviceBytesPerSecond(),
                cluster.levels().getLast().deviceBytesPerSecond(),
                1e6);
        isWrittenAndRead(cluster);
    }

    @Test
    void slurmsSwitchesAreLevels() {
        String switches = shared("slurm_topology_tree.conf");
        Cluster cluster = ClusterSource.resolve("dgx-h100," + switches + ",oversubscription=2/4");
        assertEquals(768, cluster.devices());
        assertEquals(
                List.of(8, 64, 128, 768),
                cluster.levels().stream().map(LinkLevel::degree).toList());
        assertEquals(
                List.of(1.0, 1.0, 2.0, 4.0),
                cluster.levels().stream().map(LinkLevel::oversubscription).toList());
        isWrittenAndRead(cluster);
        assertTrue(refuse(switches).getMessage().contains("96 nodes. It does not say what a node is"));
        assertTrue(refuse("dgx-h100:4," + switches).maybe().contains("one node"));
        assertTrue(refuse("dgx-h100," + switches + ",nodes=4").getMessage().contains("nodes"));
    }

    @Test
    void otherFilesOfTheWorkplaceAreRefused() {
        assertTrue(refuse(shared("INDEX.csv") + ",device=h200-sxm").getMessage().contains("is neither"));
    }

    @Test
    void bridgesThenPcieThenNics(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("topo.txt");
        Files.writeString(file, PAIR);
        Cluster cluster = ClusterSource.resolve(file + ",device=a100-pcie-80gb,nodes=2,nic-one-way=200Gbit/s");
        assertEquals(
                List.of("nvlink", "pcie", "infiniband"),
                cluster.levels().stream().map(LinkLevel::name).toList());
        assertEquals(
                List.of(300e9, 32e9, 25e9 / 4),
                cluster.levels().stream().map(LinkLevel::deviceBytesPerSecond).toList());
        isWrittenAndRead(cluster);
    }

    @Test
    void moneyStandsBehindAnyName(@TempDir Path folder) throws IOException {
        Cluster cluster = ClusterSource.resolve(
                "dgx-v100:2,node-price=20USD/h,power=300W,node-power=1.2kW,pue=1.2,node-mtbf=1000h,restart=5min,storage=10GB/s");
        assertEquals(2.5, cluster.economics().dollarsPerDeviceHour(), 1e-12);
        assertEquals(450, cluster.economics().deviceWatts(), 1e-9);
        assertEquals(8000 * 3600.0, cluster.economics().deviceMtbfSeconds(), 1e-3);
        isWrittenAndRead(cluster);
        Path file = folder.resolve("c.yaml");
        Files.writeString(file, ClusterFile.write(cluster));
        assertEquals(
                3, ClusterSource.resolve(file + ",price=3USD/h").economics().dollarsPerDeviceHour(), 0);
        assertTrue(Double.isNaN(ClusterSource.resolve("dgx-v100").economics().dollarsPerDeviceHour()));
    }

    @Test
    void mistakes() {
        assertTrue(refuse("dgx-h100:8,price=2.50").getMessage().contains("--cluster: price: 2.50 has no unit"));
        assertTrue(refuse("dgx-h100:8,price=-1USD/h").getMessage().contains("negative"));
        assertTrue(refuse("dgx-h100:8,prize=1USD/h").maybe().contains("price"));
        assertTrue(refuse("dgx-h100:8,price=1USD/h,price=2USD/h").getMessage().contains("twice"));
        assertTrue(
                refuse("dgx-h100:8,price=1USD/h,node-price=2USD/h").getMessage().contains("twice"));
        assertTrue(refuse("dgx-h100:8,node-power=1kW,power=").getMessage().contains("no value"));
        assertTrue(refuse("dgx-h100:8,dgx-a100-80gb:8").getMessage().contains("names 2 clusters"));
        assertTrue(refuse("dgx-h100:8,device=h200-sxm").getMessage().contains("device is said by"));
        assertTrue(refuse("price=2USD/h").getMessage().contains("no cluster is named"));
        assertTrue(refuse("nowhere/topo.txt").getMessage().contains("no file"));
        assertTrue(refuse("").getMessage().contains("no name"));
    }
}
