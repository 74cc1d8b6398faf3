package org.shardplan.job;

import org.shardplan.graph.TransformerSizes;

/**
 * A model as it was found.
 *
 * @param source the user's words: catalog name or path
 * @param hash SHA-256 of the file or catalog entry, hexadecimal
 * @param sizes what was read
 */
public record ModelInput(String source, String hash, TransformerSizes sizes) {}
