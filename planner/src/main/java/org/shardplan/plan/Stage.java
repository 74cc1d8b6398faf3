package org.shardplan.plan;

/**
 * One virtual stage: which repeats of the chain it holds.
 *
 * @param rank pipeline coordinate that runs it
 * @param firstLayer index of its first layer
 * @param layers how many
 * @param fullRecomputeLayers how many of these are recomputed in full
 * @param embedding whether it starts with the embedding
 * @param head whether it ends with the head
 */
public record Stage(int rank, int firstLayer, int layers, int fullRecomputeLayers, boolean embedding, boolean head) {}
