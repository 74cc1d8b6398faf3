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

    /** Whether products cast their operands to it on the fly, as formats of 8 bits and less do; all else stays in 16 bits. */
    public boolean isCast() {
        return bytes < 2;
    }

    /** What runs beside products of this format: 16 bits where they cast to fewer, else the format itself. */
    public DataType beside() {
        return isCast() ? BF16 : this;
    }

    /** The name that the command line and files use, for example {@code bf16}. */
    public String text() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }
}
