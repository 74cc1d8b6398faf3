package org.shardplan.program;

import java.util.ArrayList;
import java.util.List;
import org.shardplan.graph.DataType;
import org.shardplan.graph.Scan;

/**
 * The kernels of a chunked scan on one rank: within a chunk of Q tokens products of the kind that attention has, between chunks the state.
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
    private final DataType precision;
    private final long heads;
    private final long groups;
    private final long chunks;

    /** @param degree ranks that share out the heads */
    ScanKernels(Scan scan, int degree, LoweringContext context) {
        this.scan = scan;
        this.context = context;
        precision = context.precision().beside();
        heads = Math.ceilDiv(scan.heads(), degree);
        groups = Math.ceilDiv(scan.groups(), degree);
        chunks = Math.multiplyExact(context.microBatch(), Math.ceilDiv(scan.tokens(), scan.chunk()));
    }

    List<Kernel> forward() {
        List<Kernel> kernels = new ArrayList<>();
        String name = scan.name();
        if (scan.form() != Scan.Form.ELEMENTS) {
            kernels.addAll(states(name, 1));
            kernels.addAll(outputs(name, 1));
        }
        kernels.add(memory(name + ".traffic", 1));
        return kernels;
    }

    List<Kernel> backward() {
        List<Kernel> kernels = new ArrayList<>();
        String name = scan.name() + ".grad";
        if (scan.form() != Scan.Form.ELEMENTS) {
            kernels.addAll(states(name + ".again", 1));
            kernels.addAll(states(name, 2));
            kernels.addAll(outputs(name, 2));
        }
        kernels.add(memory(name + ".traffic", 3));
        return kernels;
    }

    /** Scores within a chunk, and what a chunk adds to the state. */
    private List<Kernel> states(String name, int times) {
        long q = scan.chunk();
        long k = scan.keyDim();
        long v = scan.valueDim();
        List<Kernel> kernels = new ArrayList<>();
        kernels.add(product(name + ".scores", times * groups, q, q, k));
        if (scan.form() == Scan.Form.DELTA) {
            kernels.add(product(name + ".triangle", times * heads, q, q, q));
            kernels.add(product(name + ".keys", times * heads, q, k, q));
            kernels.add(product(name + ".values", times * heads, q, v, q));
            kernels.add(product(name + ".taken", times * heads, q, v, k));
        }
        kernels.add(product(name + ".states", times * heads, k, v, q));
        return kernels;
    }

    /** What a chunk gives, from its own tokens and from the state before it. */
    private List<Kernel> outputs(String name, int times) {
        long q = scan.chunk();
        List<Kernel> kernels = new ArrayList<>();
        if (scan.form() == Scan.Form.DELTA) {
            kernels.add(product(name + ".queries", times * groups, q, q, scan.keyDim()));
        }
        kernels.add(product(name + ".within", times * heads, q, scan.valueDim(), q));
        kernels.add(product(name + ".before", times * heads, q, scan.valueDim(), scan.keyDim()));
        return kernels;
    }

    private Kernel product(String name, long each, long m, long n, long k) {
        return new Kernel.MatrixProduct(name, Math.multiplyExact(each, chunks), m, n, k, precision);
    }

    /** Input read, output written, and each chunk's state written and read again. */
    private Kernel memory(String name, int times) {
        long tokens = Math.multiplyExact(context.microBatch(), scan.tokens());
        long inputs = scan.inputs().stream()
                .mapToLong(input -> input.extents().getLast().size())
                .sum();
        long perHead = Math.ceilDiv(inputs, scan.heads()) + scan.valueDim();
        long moved = Math.multiplyExact(tokens * heads, 2 * perHead);
        long states = scan.form() == Scan.Form.ELEMENTS ? 0 : chunks * heads * scan.keyDim() * scan.valueDim();
        return new Kernel.MemoryBound(name, times * (moved + 2 * STATE_BYTES * states), times);
    }
}
