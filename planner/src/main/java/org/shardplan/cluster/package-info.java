/** Devices, link levels, clusters, and the device mesh that a plan lays over them. */
@NullMarked
package org.shardplan.cluster;

import org.jspecify.annotations.NullMarked;
