package org.shardplan.graph;

import java.util.ArrayList;
import java.util.List;

/**
 * Scaled dot-product attention with grouped key-value heads, one operator whether a framework fuses it or not.
 *
 * <p>Loops: batch, heads, seq (queries), key. Forward matmul FLOPs: 4 · batch · heads · headDim · queries · keys, where
 * keys is what {@link #averageKeys} says under the mask.
 *
 * @param nest input: the query-key-value tensor {@code [batch, seq, heads]}; output {@code [batch, seq, heads]}
 * @param headDim elements of one head: the mean of a key's and a value's where they differ
 * @param causal whether a query sees earlier keys only
 * @param window keys that a query sees at most, 0 = all (Mistral, Gemma 2; DeepSeek's sparse attention picks as many)
 * @param chunked the window is a chunk of the sequence that a query does not see beyond (Llama 4), instead of sliding along
 * @param dropout whether attention probabilities are dropped out, which keeps a mask
 */
public record Attention(LoopNest nest, long headDim, boolean causal, long window, boolean chunked, boolean dropout)
        implements Operator {

    @Override
    public Attention with(LoopNest other) {
        return new Attention(other, headDim, causal, window, chunked, dropout);
    }

    @Override
    public List<Tensor> saved() {
        List<Tensor> saved = new ArrayList<>(inputs());
        saved.add(output());
        return saved;
    }

    /** Queries of a sample. */
    public long queries() {
        return output().extents().get(1).size();
    }

    /** Keys of a sample. */
    public long keys() {
        return nest.findAxis("key").orElseThrow().extent().size();
    }

    /** Keys that a query meets at the most. */
    public long reach() {
        return window > 0 ? Math.min(window, keys()) : keys();
    }

    /** Keys that a query meets on average: exact for the causal, the window and the chunk mask. */
    public double averageKeys() {
        long seq = keys();
        long reach = reach();
        if (chunked && reach < seq) {
            long rest = seq % reach;
            double whole = (double) (seq - rest) * (causal ? (reach + 1) / 2.0 : reach);
            return (whole + rest * (causal ? (rest + 1) / 2.0 : rest)) / seq;
        }
        if (!causal) {
            return window > 0 ? Math.min(2.0 * reach - 1, seq) : seq;
        }
        // the first `reach` queries see 1, 2, .., reach keys; the others see `reach`
        return (reach * (reach + 1) / 2.0 + (double) (seq - reach) * reach) / seq;
    }
}
