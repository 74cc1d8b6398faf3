package org.shardplan.sim;

import org.shardplan.cost.LinkUse;
import org.shardplan.cost.PricedProgram;

/**
 * Devices that do the same at the same time on every pipeline rank, with what slows them: one way from the first pipeline rank to the last
 * through the mesh. Devices whose collectives stand inside slots (tensor and expert parallelism, ZeRO from 2 on) are one lane, because
 * they wait for each other all the time; data ranks are lanes side by side that meet in their gradients' reductions.
 *
 * @param program prices of this lane: those of the program, and no less
 * @param use how long its tasks keep links busy, at the links' full rate
 * @param capacity by pipeline rank and link: share of the full rate that the slowest of the devices has
 * @param multiplicity lanes of the mesh that it stands for
 * @param number of the first of them
 */
public record Lane(PricedProgram program, LinkUse use, double[][] capacity, int multiplicity, int number) {}
