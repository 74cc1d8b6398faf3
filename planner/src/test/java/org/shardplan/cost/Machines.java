package org.shardplan.cost;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.shardplan.cluster.Cluster;
import org.shardplan.cluster.Device;
import org.shardplan.cluster.LinkLevel;
import org.shardplan.cluster.Torus;
import org.shardplan.graph.DataType;
import org.shardplan.workload.Framework;
import org.shardplan.workload.PipelineSchedules;

/** Devices, clusters and a framework for the tests of this room; sizes as the catalog has them. */
final class Machines {
    static final Device A100 = device("a100-sxm-80gb", "ampere", 2.039e12, 312e12, 108, "a100-sxm-80gb");
    static final Device A100_40 = device("a100-sxm-40gb", "ampere", 1.555e12, 312e12, 108, "a100-sxm-80gb");
    static final Device H100 = device("h100-sxm-80gb", "hopper", 3.35e12, 989e12, 132, "h100-sxm-80gb");
    static final Device GB200 = device("gb200", "blackwell", 8e12, 2500e12, 148, "gb200");
    static final Device V100 = new Device(
            "v100-sxm-32gb",
            "volta",
            32L << 30,
            31L << 30,
            0.9e12,
            Map.of(DataType.FP16, 125e12, DataType.FP32, 15.7e12),
            80,
            false,
            "",
            "test");

    private Machines() {}

    private static Device device(
            String name, String family, double hbm, double peak, int multiprocessors, String kernelTable) {
        Map<DataType, Double> peaks = Map.of(DataType.BF16, peak, DataType.FP16, peak);
        return new Device(name, family, 80L << 30, 79L << 30, hbm, peaks, multiprocessors, true, kernelTable, "test");
    }

    /** Fuses all; launches take 5 us. */
    static Framework framework(String name) {
        return new Framework(
                name,
                "test",
                new Framework.Kernels(true, true, true, true, true, 1.0),
                new Framework.Overlap(true, false, true, true, 1, true, true, 0, 0, 0),
                new Framework.Memory(4, 4, 0, 4, 4, 0, 0, 0, Set.of()),
                new Framework.Host(5e-6, 0, 0, 0, 0),
                new Framework.Limits(3, 1, true, PipelineSchedules.classic(true), true, true, true, true, 128),
                List.of());
    }

    /** Nodes of 8 A100 with NVSwitch; one network card of 200 Gb/s for each device, or fewer. */
    static Cluster dgxA100(int devices, int cards) {
        LinkLevel nvlink = level("nvlink", 8, 300e9, 3e-6, 0.77, false, "a100-sxm-80gb");
        LinkLevel network = level("infiniband", devices, 25e9 * cards / 8, 5e-6, 0.9, false, "");
        return new Cluster(
                "dgx-a100", List.of(new Cluster.Pool(A100, devices)), List.of(nvlink, network), Optional.empty(), "");
    }

    /** Racks of 72 GB200 in one NVLink domain. */
    static Cluster nvl72(int devices) {
        LinkLevel nvlink = level("nvlink", 72, 900e9, 2e-6, 0.7, true, "gb200");
        LinkLevel network = level("infiniband", devices, 50e9, 5e-6, 0.83, false, "");
        return new Cluster(
                "nvl72", List.of(new Cluster.Pool(GB200, devices)), List.of(nvlink, network), Optional.empty(), "");
    }

    /** A TPU v4 pod: 45 GB/s a link, one way. */
    static Cluster tpuV4() {
        LinkLevel ici = level("ici", 4096, 270e9, 1e-6, 0.85, false, "");
        Device tpu = device("tpu-v4", "tpu", 1.2e12, 275e12, 2, "");
        Torus torus = new Torus(List.of(16, 16, 16), 45e9, 1e-6);
        return new Cluster("tpu-v4", List.of(new Cluster.Pool(tpu, 4096)), List.of(ici), Optional.of(torus), "");
    }

    private static LinkLevel level(
            String name, int degree, double rate, double latency, double efficiency, boolean inSwitch, String curve) {
        return new LinkLevel(name, degree, rate, latency, 8, efficiency, 1, inSwitch, curve, "test");
    }
}
