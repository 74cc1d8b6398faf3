/** What is trained (batch, sequence, precision, optimizer) and how a framework generation behaves, as data. */
@NullMarked
package org.shardplan.workload;

import org.jspecify.annotations.NullMarked;
