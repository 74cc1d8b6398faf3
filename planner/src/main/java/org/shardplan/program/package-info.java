/** Lowering: a plan on a graph becomes rank classes with ordered tasks; sizes, never seconds. */
@NullMarked
package org.shardplan.program;

import org.jspecify.annotations.NullMarked;
