package org.shardplan.program;

import org.shardplan.graph.DataType;
import org.shardplan.graph.Tensor;

/** Bytes of one element of a tensor under a workload's precision. */
public final class ElementBytes {
    private ElementBytes() {}

    /** Activations and working weights: 2 bytes below 16-bit products too, since these cast on the fly. */
    public static int of(Tensor.Element element, DataType precision) {
        return switch (element) {
            case COMPUTE -> Math.max(2, precision.bytes);
            case FLOAT32 -> 4;
            case INDEX -> 8;
            case MASK -> 1;
        };
    }
}
