package org.shardplan.search;

import java.util.List;

/**
 * What a method found.
 *
 * @param scores best first, distinct; empty where nothing fits
 * @param statistics what was done and proven
 */
public record SearchResult(List<Score> scores, SearchStatistics statistics) {
    public SearchResult {
        scores = List.copyOf(scores);
    }
}
