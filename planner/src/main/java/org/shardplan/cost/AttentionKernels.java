package org.shardplan.cost;

import java.util.stream.Stream;
import org.shardplan.cluster.Device;
import org.shardplan.graph.DataType;
import org.shardplan.program.Kernel.AttentionCore;
import org.shardplan.workload.Framework;

/**
 * Time of attention on one device: fused kernels by a measured rate that falls when blocks of queries are few or short;
 * unfused as batched products over all seq² scores and a softmax that passes over them in memory.
 */
final class AttentionKernels {
    /** Rates are given for this many blocks of queries a multiprocessor and this sequence length. */
    private static final double REFERENCE_WAVES = 8;

    private static final double REFERENCE_SEQ = 4096;

    /** Queries of a block, and what head dimensions are rounded up to, in flash attention's kernels. */
    private static final int BLOCK = 128;

    private static final int HEAD_MULTIPLE = 32;

    /** The backward kernel makes five products (scores anew, and four gradients) where the forward one makes two. */
    private static final double BACKWARD_PRODUCTS = 2.5;

    private final DeviceKernels kernels;
    private final double forwardFlops;
    private final double backwardFlops;
    private final double forwardWaves;
    private final double backwardWaves;
    private final double shortSequence;
    private final double misaligned;
    private final double scanShare;
    private final double scoreTraffic;
    private final double unfusedTraffic;
    private final double softmaxForwardBytes;
    private final double softmaxBackwardBytes;
    private final double dropoutForwardBytes;
    private final double dropoutBackwardBytes;

    AttentionKernels(DeviceKernels kernels, Device device, Framework framework, Calibration calibration) {
        this.kernels = kernels;
        this.forwardFlops = rate(device, framework, calibration, "forward");
        this.backwardFlops = rate(device, framework, calibration, "backward");
        this.forwardWaves = calibration.constant("attention", device, "forward-waves");
        this.backwardWaves = calibration.constant("attention", device, "backward-waves");
        this.shortSequence = calibration.constant("attention", device, "short-sequence");
        this.scanShare = calibration.constant("scan/share");
        this.misaligned = calibration.constant("attention/misaligned");
        this.scoreTraffic = calibration.constant("scores/traffic");
        this.unfusedTraffic = calibration.constant("scores/unfused");
        this.softmaxForwardBytes = calibration.constant("scores/softmax-forward");
        this.softmaxBackwardBytes = calibration.constant("scores/softmax-backward");
        this.dropoutForwardBytes = calibration.constant("scores/dropout-forward");
        this.dropoutBackwardBytes = calibration.constant("scores/dropout-backward");
    }

    /** FLOP/s at the reference shape: of the framework on the device, of the device, else a share of the 16-bit peak, or of what it has. */
    private static double rate(Device device, Framework framework, Calibration calibration, String phase) {
        double own = calibration.constant("attention", device, framework.name() + '/' + phase);
        double any = Double.isNaN(own) ? calibration.constant("attention", device, phase) : own;
        double peak = Stream.of(DataType.BF16, DataType.FP16, DataType.TF32, DataType.FP32)
                .filter(device::supports)
                .mapToDouble(device::peakFlops)
                .findFirst()
                .orElse(Double.NaN);
        return Double.isNaN(any) ? peak * calibration.constant("attention/share/" + phase) : any;
    }

    /** FLOP/s of a scan's products, which run in tiles as attention's do. */
    double scanFlops(boolean backward) {
        return scanShare * (backward ? backwardFlops : forwardFlops);
    }

    double seconds(AttentionCore core) {
        return core.fused() ? fused(core) : unfused(core);
    }

    private double fused(AttentionCore core) {
        double blocks = Math.ceil((double) core.seq() / BLOCK);
        double waves = blocks * core.batch() * core.heads() / kernels.multiprocessors();
        double slack = core.backward() ? backwardWaves : forwardWaves;
        double filled = waves / (waves + slack) * (REFERENCE_WAVES + slack) / REFERENCE_WAVES;
        double length = core.span() / (core.span() + shortSequence) * (REFERENCE_SEQ + shortSequence) / REFERENCE_SEQ;
        double headDim = Math.ceil((double) core.headDim() / HEAD_MULTIPLE) * HEAD_MULTIPLE;
        double flops = 4.0 * core.batch() * core.heads() * blocks * BLOCK * core.keys() * headDim;
        double rate = (core.backward() ? backwardFlops : forwardFlops) * filled * length;
        double seconds = (core.backward() ? BACKWARD_PRODUCTS : 1) * flops / rate;
        return Math.max(seconds, (core.backward() ? 3 : 1) * kernels.launchSeconds());
    }

    private double unfused(AttentionCore core) {
        long count = core.batch() * core.heads();
        long seq = core.seq();
        long span = core.span();
        long dim = core.headDim();
        double scoreProduct = kernels.product(count, seq, span, dim, core.precision());
        double contextProduct = kernels.product(count, seq, dim, span, core.precision());
        // forward: scores, context. Backward: gradients of scores (like scores), values, queries and keys (like
        // context)
        double products = core.backward() ? scoreProduct + 3 * contextProduct : scoreProduct + contextProduct;
        if ((dim & 7) != 0) {
            products *= misaligned;
        }
        double softmax = core.backward() ? softmaxBackwardBytes : softmaxForwardBytes;
        double dropout = !core.dropout() ? 0 : core.backward() ? dropoutBackwardBytes : dropoutForwardBytes;
        double bytes = (double) count * seq * span * (softmax * (core.fusedSoftmax() ? 1 : unfusedTraffic) + dropout);
        int passes = (core.fusedSoftmax() ? 1 : 3) + (core.dropout() ? 1 : 0);
        double launches = (core.backward() ? 4 : 2) * kernels.launchSeconds();
        return Math.max(products, launches) + kernels.memory(bytes * scoreTraffic, passes);
    }
}
