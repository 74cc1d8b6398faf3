package org.shardplan.bench;

import org.shardplan.workload.Framework;

/** Frameworks as if they fused, hid or cost other than they do. */
final class FrameworkChanges {
    private FrameworkChanges() {}

    static Framework withoutTraffic(Framework of) {
        Framework.Kernels k = of.kernels();
        return with(
                of,
                new Framework.Kernels(
                        k.flashAttention(),
                        k.fusedSoftmax(),
                        k.fusedPointwise(),
                        k.fusedCrossEntropy(),
                        k.fusedWeightGradient(),
                        0));
    }

    static Framework withoutTensorOverlap(Framework of) {
        Framework.Overlap o = of.overlap();
        return with(
                of,
                new Framework.Overlap(
                        false,
                        false,
                        o.gradientReduce(),
                        o.parameterGather(),
                        o.messages(),
                        o.pipelineSends(),
                        o.scatterGatherSends(),
                        o.interference(),
                        o.tensorInterference(),
                        o.sendInterference()));
    }

    static Framework withoutDataOverlap(Framework of) {
        Framework.Overlap o = of.overlap();
        return with(
                of,
                new Framework.Overlap(
                        o.weightGradientOverlap(),
                        o.tensorChunks(),
                        false,
                        false,
                        o.messages(),
                        o.pipelineSends(),
                        o.scatterGatherSends(),
                        o.interference(),
                        o.tensorInterference(),
                        o.sendInterference()));
    }

    static Framework withoutInterference(Framework of) {
        Framework.Overlap o = of.overlap();
        return with(
                of,
                new Framework.Overlap(
                        o.weightGradientOverlap(),
                        o.tensorChunks(),
                        o.gradientReduce(),
                        o.parameterGather(),
                        o.messages(),
                        o.pipelineSends(),
                        o.scatterGatherSends(),
                        0,
                        0,
                        0));
    }

    static Framework withTraffic(Framework of, double traffic) {
        Framework.Kernels k = of.kernels();
        return with(
                of,
                new Framework.Kernels(
                        k.flashAttention(),
                        k.fusedSoftmax(),
                        k.fusedPointwise(),
                        k.fusedCrossEntropy(),
                        k.fusedWeightGradient(),
                        traffic));
    }

    static Framework withTensorInterference(Framework of, double interference) {
        Framework.Overlap o = of.overlap();
        return with(
                of,
                new Framework.Overlap(
                        o.weightGradientOverlap(),
                        o.tensorChunks(),
                        o.gradientReduce(),
                        o.parameterGather(),
                        o.messages(),
                        o.pipelineSends(),
                        o.scatterGatherSends(),
                        o.interference(),
                        interference,
                        o.sendInterference()));
    }

    /** As FSDP's: what is gathered and reduced runs beside compute and slows it by a quarter of the hidden time. */
    static Framework withDataOverlap(Framework of) {
        Framework.Overlap o = of.overlap();
        return with(
                of,
                new Framework.Overlap(
                        o.weightGradientOverlap(),
                        o.tensorChunks(),
                        true,
                        true,
                        1,
                        o.pipelineSends(),
                        o.scatterGatherSends(),
                        0.25,
                        o.tensorInterference(),
                        o.sendInterference()));
    }

    /** Megatron's generations until 2022 with the host times that are assumed for other eager frameworks. */
    static Framework withUsualHost(Framework of) {
        boolean early = of.name().equals("megatron-deepspeed") || of.name().startsWith("megatron-lm-");
        return early ? with(of, new Framework.Host(of.host().launchSeconds(), 800e-6, 20e-6, 1e-3, 15e-3)) : of;
    }

    static Framework withoutHost(Framework of) {
        return with(of, new Framework.Host(0, 0, 0, 0, 0));
    }

    private static Framework with(Framework of, Framework.Host host) {
        return new Framework(
                of.name(), of.title(), of.kernels(), of.overlap(), of.memory(), host, of.limits(), of.sources());
    }

    private static Framework with(Framework of, Framework.Kernels kernels) {
        return new Framework(
                of.name(), of.title(), kernels, of.overlap(), of.memory(), of.host(), of.limits(), of.sources());
    }

    private static Framework with(Framework of, Framework.Overlap overlap) {
        return new Framework(
                of.name(), of.title(), of.kernels(), overlap, of.memory(), of.host(), of.limits(), of.sources());
    }
}
