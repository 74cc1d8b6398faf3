/** Foreign models and clusters: Hugging Face config.json. */
@NullMarked
package org.shardplan.read;

import org.jspecify.annotations.NullMarked;
