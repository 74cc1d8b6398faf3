package org.shardplan.search;

/**
 * A plan that no other beats in both time and memory.
 *
 * @param stepSeconds one optimizer step
 * @param peakBytes of its worst stage
 * @param planText its short form
 */
public record ParetoPoint(double stepSeconds, long peakBytes, String planText) {}
