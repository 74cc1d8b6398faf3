/** Versioned files, both directions: plan.json, cluster.yaml, catalogs, rows. */
@NullMarked
package org.shardplan.form;

import org.jspecify.annotations.NullMarked;
