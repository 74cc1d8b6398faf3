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

    static Framework withoutHost(Framework of) {
        return new Framework(
                of.name(),
                of.title(),
                of.kernels(),
                of.overlap(),
                of.memory(),
                new Framework.Host(0, 0, 0, 0, 0),
                of.limits(),
                of.sources());
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
