package org.shardplan.report;

/**
 * Error of a comparison of two plans of one job that are predicted at most 10 % apart: by how much the predicted ratio of their
 * steps is off. Jobs weigh the same.
 *
 * @param pairs compared
 * @param medianPercent median of it
 * @param p90Percent its 90th percentile
 */
public record ComparisonError(int pairs, double medianPercent, double p90Percent) {}
