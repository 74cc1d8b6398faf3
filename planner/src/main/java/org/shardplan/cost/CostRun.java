package org.shardplan.cost;

import org.shardplan.program.StageProgram.Level;

/** {@code repeats} times one priced block, all recomputed alike. */
public record CostRun(BlockCost cost, int repeats, Level level) {}
