/** Plans: mesh, placements, stages, schedule, memory policy; their text form; legality as a verdict. */
@NullMarked
package org.shardplan.plan;

import org.jspecify.annotations.NullMarked;
