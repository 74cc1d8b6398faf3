/** The operator graph: operators as loop nests over axes, tensors indexed by axes, blocks that repeat. */
@NullMarked
package org.shardplan.graph;

import org.jspecify.annotations.NullMarked;
