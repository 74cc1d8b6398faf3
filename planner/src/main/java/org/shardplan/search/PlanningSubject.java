package org.shardplan.search;

import java.util.List;

/**
 * What was planned, in words and figures for reports.
 *
 * @param model name
 * @param parameters elements of the unpadded model
 * @param cluster name
 * @param clusterText one line: devices, memory, links
 * @param devices of the cluster
 * @param globalBatch sequences a step
 * @param seqLen tokens a sequence
 * @param precision for example {@code bf16}
 * @param optimizer for example {@code adam}
 * @param framework name
 * @param frameworkTitle one line for people
 * @param memoryMargin share of the capacity that is left free, 0.05 = 5 %
 * @param objective {@code time}, {@code memory}, {@code devices} or {@code cost}; empty where nothing was searched
 * @param tool name and version
 * @param calibration hash of the constants that prices rest on
 * @param seed of the search
 * @param notes assumptions and substitutes, a line each
 */
public record PlanningSubject(
        String model,
        long parameters,
        String cluster,
        String clusterText,
        int devices,
        long globalBatch,
        long seqLen,
        String precision,
        String optimizer,
        String framework,
        String frameworkTitle,
        double memoryMargin,
        String objective,
        String tool,
        String calibration,
        long seed,
        List<String> notes) {
    public PlanningSubject {
        notes = List.copyOf(notes);
    }

    public long tokensPerStep() {
        return Math.multiplyExact(globalBatch, seqLen);
    }
}
