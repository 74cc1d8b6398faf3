package org.shardplan.graph;

/**
 * What splitting a loop means (FlexFlow's S, A, P, and the contraction loops that it leaves implicit).
 *
 * <p>Source: Jia, Zaharia, Aiken, MLSys 2019, section 4.
 */
public enum AxisRole {
    /** Independent training samples: splitting it is data parallelism. */
    SAMPLE,
    /** A dimension of the data within a sample (sequence, height): splitting it does not split parameters. */
    ATTRIBUTE,
    /** A dimension of the output that indexes parameters (output features, heads): splitting it splits parameters. */
    PARAMETER,
    /** A loop that the output is summed over: splitting it leaves a partial output. */
    REDUCTION
}
