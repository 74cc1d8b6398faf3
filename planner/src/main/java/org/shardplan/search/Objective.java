package org.shardplan.search;

/** What a search minimises. */
public enum Objective {
    TIME,
    MEMORY,
    DEVICES,
    /** Dollars of a whole run; the searcher of parts of a cluster asks for the fastest plan of each. */
    COST
}
