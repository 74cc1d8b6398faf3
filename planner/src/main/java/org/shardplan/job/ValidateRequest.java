package org.shardplan.job;

import java.util.List;

/** Files of measured runs to predict, in the columns of {@code docs/formats.md}. */
public record ValidateRequest(List<String> files) {
    public ValidateRequest {
        files = List.copyOf(files);
    }
}
