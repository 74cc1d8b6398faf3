/** The space of plans, methods that explore it, Pareto front. */
@NullMarked
package org.shardplan.search;

import org.jspecify.annotations.NullMarked;
