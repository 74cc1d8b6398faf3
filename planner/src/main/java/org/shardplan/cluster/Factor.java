package org.shardplan.cluster;

/** An atomic factor of a mesh: {@code size} coordinates, of which consecutive ones are {@code stride} ranks apart. */
public record Factor(String name, int size, int stride) {}
