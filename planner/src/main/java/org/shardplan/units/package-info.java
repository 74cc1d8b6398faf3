/** Quantities at the border: parses "80GiB", prints "1.37 s". */
@NullMarked
package org.shardplan.units;

import org.jspecify.annotations.NullMarked;
