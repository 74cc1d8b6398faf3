package org.shardplan.job;

import org.shardplan.report.Catalog;

/** Lists what has a name: the catalogs. */
public final class CatalogJob {
    private CatalogJob() {}

    /** Columns: name, parameters, layers, hidden, heads, seq_len, source. */
    public static Catalog models() {
        throw new IllegalStateException("lead fills: models");
    }

    /** Columns: name, device, memory_bytes, node, links, source. */
    public static Catalog clusters() {
        throw new IllegalStateException("lead fills: clusters");
    }

    /** Columns: name, title. */
    public static Catalog methods() {
        throw new IllegalStateException("lead fills: methods");
    }

    /** Columns: name, default, title. */
    public static Catalog frameworks() {
        throw new IllegalStateException("lead fills: frameworks");
    }
}
