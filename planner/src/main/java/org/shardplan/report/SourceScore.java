package org.shardplan.report;

/**
 * How near predictions come to the runs of one source.
 *
 * @param source who published them
 * @param composed whether its steps were put together by their authors from measured layers: a line of its own, in no mean
 * @param rows that count: dense pretraining in 16 bits on GPUs without context parallelism, not doubtful
 * @param evaluated of these, predicted
 * @param sharesDevice whether most of its runs are on devices that another source has measured too
 * @param leftOut step, residual factors fitted on the other sources alone
 * @param inSample step, the factors that ship
 * @param scaled step, one scale for each framework generation on a device, from its first three rows, which are not scored
 * @param formulaLeftOut step of the formula, its efficiencies fitted on the other sources alone
 * @param formulaInSample step of the formula, its efficiencies fitted on all sources
 * @param insideShare of its timed rows in the 90 % intervals that the other sources give
 * @param halfWidthPercent median half-width of these
 * @param memoryKind what its memory figures count; empty where it has none
 * @param memory errors of it
 * @param fitsJudged evaluated rows, all of which ran or ran out of memory
 * @param fitsRight of these, judged rightly
 */
public record SourceScore(
        String source,
        boolean composed,
        int rows,
        int evaluated,
        boolean sharesDevice,
        Errors leftOut,
        Errors inSample,
        Errors scaled,
        Errors formulaLeftOut,
        Errors formulaInSample,
        double insideShare,
        double halfWidthPercent,
        String memoryKind,
        Errors memory,
        int fitsJudged,
        int fitsRight) {}
