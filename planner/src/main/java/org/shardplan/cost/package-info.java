/** Prices of kernels and collectives, memory, calibration as data. */
@NullMarked
package org.shardplan.cost;

import org.jspecify.annotations.NullMarked;
