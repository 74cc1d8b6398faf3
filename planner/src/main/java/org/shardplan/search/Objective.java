package org.shardplan.search;

/** What a search minimises. */
public enum Objective {
    TIME,
    MEMORY,
    DEVICES
}
