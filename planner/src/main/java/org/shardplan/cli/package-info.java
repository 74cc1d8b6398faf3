/** The command line: options in, text or JSON out. A front of {@code job}. */
@NullMarked
package org.shardplan.cli;

import org.jspecify.annotations.NullMarked;
