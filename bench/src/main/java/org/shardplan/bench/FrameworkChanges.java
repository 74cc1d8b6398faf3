package org.shardplan.bench;

import org.shardplan.workload.Framework;

/** Frameworks as if they fused, hid or cost other than they do. */
final class FrameworkChanges {
    private FrameworkChanges() {}

    static Framework withTraffic(Framework of, double traffic) {
        return of.with(of.kernels().withMemoryTraffic(traffic));
    }

    static Framework withoutTraffic(Framework of) {
        return withTraffic(of, 0);
    }

    static Framework withoutTensorOverlap(Framework of) {
        return of.with(of.overlap().withTensor(false, false));
    }

    static Framework withoutDataOverlap(Framework of) {
        Framework.Overlap overlap = of.overlap();
        return of.with(overlap.withData(false, false, overlap.messages()));
    }

    static Framework withoutInterference(Framework of) {
        return of.with(of.overlap().withInterference(0, 0, 0));
    }

    static Framework withTensorInterference(Framework of, double interference) {
        Framework.Overlap overlap = of.overlap();
        return of.with(overlap.withInterference(overlap.interference(), interference, overlap.sendInterference()));
    }

    /** As FSDP's: what is gathered and reduced runs beside compute and slows it by a quarter of the hidden time. */
    static Framework withDataOverlap(Framework of) {
        Framework.Overlap overlap = of.overlap();
        return of.with(overlap.withData(true, true, 1)
                .withInterference(0.25, overlap.tensorInterference(), overlap.sendInterference()));
    }

    /** Megatron's generations until 2022 with the host times that are assumed for other eager frameworks. */
    static Framework withUsualHost(Framework of) {
        boolean early = of.name().equals("megatron-deepspeed") || of.name().startsWith("megatron-lm-");
        return early ? of.with(new Framework.Host(of.host().launchSeconds(), 800e-6, 20e-6, 1e-3, 15e-3)) : of;
    }

    static Framework withoutHost(Framework of) {
        return of.with(new Framework.Host(0, 0, 0, 0, 0));
    }
}
