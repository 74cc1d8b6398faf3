package org.shardplan.graph;

/** Number formats of matrix products; what is kept in memory follows from {@link #bytes}. */
public enum DataType {
    FP32(4),
    TF32(4),
    BF16(2),
    FP16(2),
    FP8(1),
    MXFP8(1),
    NVFP4(1),
    INT8(1);

    /** Bytes of an activation or a weight that a product reads in this format. */
    public final int bytes;

    DataType(int bytes) {
        this.bytes = bytes;
    }

    /** The name that the command line and files use, for example {@code bf16}. */
    public String text() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }
}
