/** Text, JSON and trace output. */
@NullMarked
package org.shardplan.report;

import org.jspecify.annotations.NullMarked;
