package org.shardplan.graph;

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
 * @param window keys that a query sees at most, 0 = all (Mistral, Gemma 2)
 * @param dropout whether attention probabilities are dropped out, which keeps a mask
 */
public record Attention(LoopNest nest, long headDim, boolean causal, long window, boolean dropout) implements Operator {

    @Override
    public List<Tensor> saved() {
        return List.of(inputs().getFirst(), output());
    }

    /** Keys that a query meets on average, in a sequence of {@code seq}: exact for the causal and the window mask. */
    public double averageKeys(long seq) {
        long reach = window > 0 ? Math.min(window, seq) : seq;
        if (!causal) {
            return window > 0 ? Math.min(2.0 * reach - 1, seq) : seq;
        }
        // the first `reach` queries see 1, 2, .., reach keys; the others see `reach`
        return (reach * (reach + 1) / 2.0 + (double) (seq - reach) * reach) / seq;
    }
}
