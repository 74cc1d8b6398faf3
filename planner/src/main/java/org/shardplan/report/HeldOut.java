package org.shardplan.report;

/**
 * Runs of one source and framework generation, predicted with factors that were fitted without that source.
 *
 * @param source left out
 * @param framework generation that ran them
 * @param rows scored
 * @param shipped factor of the calibration that ships, {@code shippedMedianPercent} the median |error| under it
 * @param factor that stands without the source
 * @param factorFrom what that factor was fitted on
 * @param medianPercent median |error| of the step under it
 * @param worstPercent largest |error|
 * @param biasPercent median signed error
 */
public record HeldOut(
        String source,
        String framework,
        int rows,
        double shipped,
        double shippedMedianPercent,
        double factor,
        String factorFrom,
        double medianPercent,
        double worstPercent,
        double biasPercent) {}
