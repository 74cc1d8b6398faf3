/** Sweep and closed form over a priced program; timelines. */
@NullMarked
package org.shardplan.sim;

import org.jspecify.annotations.NullMarked;
