/** One file a use case: the public Java API. */
@NullMarked
package org.shardplan.job;

import org.jspecify.annotations.NullMarked;
