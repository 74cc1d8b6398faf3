package org.shardplan.program;

import org.shardplan.graph.DataType;

/** What one device computes in one launch: local sizes, never seconds. */
public sealed interface Kernel {

    /** Operator it belongs to, for reports and traces. */
    String name();

    /** Floating-point operations of matrix products (what MFU and HFU count), 0 for memory-bound kernels. */
    double matmulFlops();

    /**
     * {@code batch} products of an m × k by a k × n matrix.
     *
     * @param castBytes moved to cast its operands to the precision; 0 where they have it
     */
    record MatrixProduct(String name, long batch, long m, long n, long k, DataType precision, long castBytes)
            implements Kernel {
        /** A product whose operands have its precision. */
        public MatrixProduct(String name, long batch, long m, long n, long k, DataType precision) {
            this(name, batch, m, n, k, precision, 0);
        }

        @Override
        public double matmulFlops() {
            return 2.0 * batch * m * n * k;
        }
    }

    /**
     * Attention of {@code batch · heads} local heads.
     *
     * @param keys keys that a query meets on average under the mask
     * @param span keys before the mask: those that queries and keys of one launch are about
     * @param fused whether one flash kernel does it; else two batched products and a softmax over all {@code seq²} scores
     * @param backward whether this is the backward pass
     * @param fusedSoftmax scale, mask, softmax in one pass where it is not fused
     */
    record AttentionCore(
            String name,
            long batch,
            long heads,
            long seq,
            double keys,
            long span,
            long headDim,
            boolean fused,
            boolean backward,
            boolean fusedSoftmax,
            boolean dropout,
            DataType precision)
            implements Kernel {
        /** Attention of whole sequences. */
        public AttentionCore(
                String name,
                long batch,
                long heads,
                long seq,
                double keys,
                long headDim,
                boolean fused,
                boolean backward,
                boolean fusedSoftmax,
                boolean dropout,
                DataType precision) {
            this(name, batch, heads, seq, keys, seq, headDim, fused, backward, fusedSoftmax, dropout, precision);
        }

        /** Forward 4 · b · heads · seq · keys · d, backward twice that; masked scores are not counted. */
        @Override
        public double matmulFlops() {
            return (backward ? 8.0 : 4.0) * batch * heads * seq * keys * headDim;
        }
    }

    /**
     * A scan in chunks.
     *
     * @param matmulFlops of the products within and between chunks, 0 where decays allow none
     * @param bytes read and written at the least
     */
    record ScanCore(String name, double matmulFlops, long bytes, boolean backward) implements Kernel {}

    /** A kernel bound by memory: bytes read and written at the least. */
    record MemoryBound(String name, long bytes, int launches) implements Kernel {
        @Override
        public double matmulFlops() {
            return 0;
        }
    }
}
