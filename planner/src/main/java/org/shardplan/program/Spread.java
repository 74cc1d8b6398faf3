package org.shardplan.program;

/** How a tensor lies on one mesh dimension (DTensor's words). */
public sealed interface Spread {
    Replicated REPLICATED = new Replicated();
    Partial PARTIAL = new Partial();

    /** Each rank holds all of it. */
    record Replicated() implements Spread {}

    /** Each rank holds a term of a sum. */
    record Partial() implements Spread {}

    /** Each rank holds a slice of the dimension that the axis indexes. */
    record Sharded(String axis) implements Spread {}
}
