package org.shardplan.graph;

import java.util.ArrayList;
import java.util.List;

/**
 * A recurrence along the sequence with a matrix of state a head: state space, gated delta rule, linear attention with decay.
 *
 * <p>Loops: batch, heads, seq, state. The state runs through the sequence, so that no rank can work on a part of it alone. Fused kernels cut
 * the sequence in chunks: within a chunk products as in attention, between chunks the state (Dao and Gu 2024, arXiv:2405.21060, section 6;
 * Yang et al. 2024, arXiv:2412.06464, section 3.3). Version 1 of Mamba decays each element by itself, which no product can do.
 *
 * @param nest first input: what is scanned, {@code [batch, seq, heads]}; output {@code [batch, seq, heads]}
 * @param form which recurrence
 * @param keyDim rows of a head's state: elements of its key, of a state-space head its state size
 * @param valueDim columns: elements of a head's value
 * @param groups heads of keys, each shared by some heads of values
 * @param chunk tokens that products work on at once
 */
public record Scan(LoopNest nest, Form form, long keyDim, long valueDim, long groups, long chunk) implements Operator {

    /** Recurrences, by the multiply-adds a token and element of the state. */
    public enum Form {
        /** Each element decays by itself: the new token joins the state, and the state is read. */
        ELEMENTS(2),
        /** One decay a head, likewise. */
        DECAY(2),
        /** What the state says of the key is read and taken off first. */
        DELTA(3);

        /** Products of the state with a vector: one multiply-add for each element of the state each. */
        public final int products;

        Form(int products) {
            this.products = products;
        }
    }

    @Override
    public Scan with(LoopNest other) {
        return new Scan(other, form, keyDim, valueDim, groups, chunk);
    }

    @Override
    public List<Tensor> saved() {
        List<Tensor> saved = new ArrayList<>(inputs());
        saved.add(output());
        return saved;
    }

    /** Tokens of a sample. */
    public long tokens() {
        return output().extents().get(1).size();
    }

    /** Heads of values. */
    public long heads() {
        return output().extents().getLast().parts().getFirst().count();
    }
}
