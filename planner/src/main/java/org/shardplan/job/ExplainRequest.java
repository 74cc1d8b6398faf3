package org.shardplan.job;

import java.util.List;

/**
 * What a user asks of {@link ExplainJob}.
 *
 * @param planFile a {@code plan.json}
 * @param against short forms to compare with; empty = the next best ones of a new search
 */
public record ExplainRequest(String planFile, List<String> against) {
    public ExplainRequest {
        against = List.copyOf(against);
    }
}
