package org.shardplan.program;

import java.util.List;
import org.shardplan.graph.Scan;

/**
 * The kernel of a chunked scan on one rank: within a chunk of Q tokens products of the kind that attention has, between chunks the state.
 *
 * <p>A decaying state (Dao and Gu 2024, arXiv:2405.21060, section 6): Q² scores by group, scores times values, the chunk's state, and
 * what the state before it gives. The delta rule (Yang et al. 2024, arXiv:2412.06464, section 3.3) also solves a triangle of Q × Q, makes
 * keys and values anew with it, and takes off what the state says of them. The backward pass makes states and scores again and two
 * products for each of the forward pass. Decays of single elements have no products: their kernel is bound by what it reads.
 */
final class ScanKernels {
    /** Kernels write states in 32 bits. */
    private static final int STATE_BYTES = 4;

    private final Scan scan;
    private final LoweringContext context;
    private final long heads;
    private final long groups;
    private final long chunks;

    /** @param degree ranks that share out the heads */
    ScanKernels(Scan scan, long degree, LoweringContext context) {
        this.scan = scan;
        this.context = context;
        heads = Math.ceilDiv(scan.heads(), degree);
        groups = Math.ceilDiv(scan.groups(), degree);
        chunks = Math.multiplyExact(context.microBatch(), Math.ceilDiv(scan.tokens(), scan.chunk()));
    }

    List<Kernel> forward() {
        return List.of(kernel(scan.name(), states() + outputs(), 1));
    }

    List<Kernel> backward() {
        return List.of(kernel(scan.name() + ".grad", 3 * states() + 2 * outputs(), 3));
    }

    /** Multiply-adds of scores within chunks, and of what chunks add to the state. */
    private double states() {
        double q = scan.chunk();
        double k = scan.keyDim();
        double v = scan.valueDim();
        double anew = scan.form() == Scan.Form.DELTA ? q * q * (q + k + v) + q * v * k : 0;
        return chunks * (groups * q * q * k + heads * (q * k * v + anew));
    }

    /** Multiply-adds of what chunks give, from their own tokens and from the state before them. */
    private double outputs() {
        double q = scan.chunk();
        double k = scan.keyDim();
        double v = scan.valueDim();
        double queries = scan.form() == Scan.Form.DELTA ? groups * q * q * k : 0;
        return chunks * (queries + heads * (q * q * v + q * k * v));
    }

    private Kernel kernel(String name, double multiplyAdds, int passes) {
        boolean products = scan.form() != Scan.Form.ELEMENTS;
        return new Kernel.ScanCore(
                name, products ? 2 * multiplyAdds : 0, Math.multiplyExact(passes, bytes()), passes > 1);
    }

    /** Input read, output written, and each chunk's state written and read again. */
    private long bytes() {
        long tokens = Math.multiplyExact(context.microBatch(), scan.tokens());
        long inputs = scan.inputs().stream()
                .mapToLong(input -> input.extents().getLast().size())
                .sum();
        long perHead = Math.ceilDiv(inputs, scan.heads()) + scan.valueDim();
        long moved = Math.multiplyExact(tokens * heads, 2 * perHead);
        long states = scan.form() == Scan.Form.ELEMENTS ? 0 : chunks * heads * scan.keyDim() * scan.valueDim();
        return moved + 2 * STATE_BYTES * states;
    }
}
