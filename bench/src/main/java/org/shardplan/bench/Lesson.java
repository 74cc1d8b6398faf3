package org.shardplan.bench;

import org.shardplan.job.Variation;

/**
 * What constants, frameworks or clusters owe to the rows of one source.
 *
 * @param source whose rows they are
 * @param what was learnt from them, and what stands in its place
 * @param without the data without it
 */
record Lesson(String source, String what, Variation without) {}
