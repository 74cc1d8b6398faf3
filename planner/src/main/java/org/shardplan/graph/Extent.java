package org.shardplan.graph;

import java.util.List;

/**
 * The size of an axis, as parts that are split separately.
 *
 * <p>A plain axis is one part of width 1. The fused query-key-value axis has two parts (query heads, key-value heads),
 * so that fewer key-value heads than shards are replicated, as Megatron and vLLM do. A part is split as evenly as its
 * count allows; the largest share is what counts.
 *
 * @param name unique in a block, for example {@code seq}
 * @param parts what it is made of, in elements of {@code count · width}
 * @param padMultiple each shard is padded to a multiple of this (vocabulary: 128 in Megatron), 1 = none
 */
public record Extent(String name, List<Part> parts, long padMultiple) {

    /** A run of {@code count} units that can't be cut within their {@code width}. */
    public record Part(long count, long width) {
        public Part {
            if (count < 1 || width < 1) {
                throw new IllegalArgumentException("a part of " + count + " x " + width + " is empty");
            }
        }
    }

    public Extent {
        parts = List.copyOf(parts);
        if (parts.isEmpty() || padMultiple < 1) {
            throw new IllegalArgumentException("axis " + name + " has no parts or pads to " + padMultiple);
        }
    }

    public static Extent of(String name, long size) {
        return new Extent(name, List.of(new Part(size, 1)), 1);
    }

    /** Elements when not split, padding included. */
    public long size() {
        return local(1);
    }

    /** Elements of the largest of {@code degree} shards, padding and replication included. */
    public long local(long degree) {
        long elements = 0;
        for (Part part : parts) {
            elements += Math.multiplyExact(Math.ceilDiv(part.count, degree), part.width);
        }
        return Math.ceilDiv(elements, padMultiple) * padMultiple;
    }

    /** Whether {@code degree} equal shards exist, each part either divided or wholly replicated. */
    public boolean splitsInto(long degree) {
        if (padMultiple > 1) {
            return true;
        }
        for (Part part : parts) {
            if (part.count % degree != 0 && degree % part.count != 0) {
                return false;
            }
        }
        return parts.getFirst().count % degree == 0;
    }
}
