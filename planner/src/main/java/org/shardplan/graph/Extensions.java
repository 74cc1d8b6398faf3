package org.shardplan.graph;

import java.util.List;

/**
 * What some networks have beside a plain stack of like decoder layers.
 *
 * @param layers each layer by itself, in order; empty = all as the sizes say
 * @param causal whether a token sees earlier ones only: encoders see all
 * @param sinks a trained number a query head takes part in the softmax (gpt-oss)
 * @param outputGate what attention gives is gated by a projection of its input (Qwen3-Next)
 * @param sharedGate the shared expert's result is gated by one number a token (Qwen 2 and 3.5)
 * @param nextTokens modules behind the layers that each predict one further token (DeepSeek-V3, section 2.2)
 * @param indexer picks the keys that latent attention meets
 */
public record Extensions(
        List<LayerKind> layers,
        boolean causal,
        boolean sinks,
        boolean outputGate,
        boolean sharedGate,
        int nextTokens,
        Indexer indexer) {
    public static final Extensions NONE =
            new Extensions(List.of(), true, false, false, false, 0, Indexer.NONE);

    public Extensions {
        layers = List.copyOf(layers);
    }

    /** So many modules that predict further tokens. */
    public Extensions withNextTokens(int modules) {
        return new Extensions(layers, causal, sinks, outputGate, sharedGate, modules, indexer);
    }

    /** Other layers. */
    public Extensions withLayers(List<LayerKind> kinds) {
        return new Extensions(kinds, causal, sinks, outputGate, sharedGate, nextTokens, indexer);
    }

    /**
     * DeepSeek's sparse attention (DeepSeek-V3.2, section 2): a small attention of few heads scores all keys, a query then meets the
     * best.
     *
     * @param heads of the indexer, 0 = none
     * @param headDim of its queries and its one key
     * @param topk keys that a query meets
     */
    public record Indexer(long heads, long headDim, long topk) {
        public static final Indexer NONE = new Indexer(0, 0, 0);

        public boolean exists() {
            return heads > 0;
        }
    }
}
