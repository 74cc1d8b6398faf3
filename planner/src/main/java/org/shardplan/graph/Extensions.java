package org.shardplan.graph;

import java.util.List;
import java.util.Optional;

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
 * @param head what is made of the last layer's output
 * @param stem how the model's own input enters
 * @param towers networks that encode other input for it
 */
public record Extensions(
        List<LayerKind> layers,
        boolean causal,
        boolean sinks,
        boolean outputGate,
        boolean sharedGate,
        int nextTokens,
        Indexer indexer,
        Head head,
        Tower.Stem stem,
        List<Tower> towers) {
    public static final Extensions NONE = new Extensions(
            List.of(), true, false, false, false, 0, Indexer.NONE, Head.TOKENS, Tower.Stem.TOKENS, List.of());

    public Extensions {
        layers = List.copyOf(layers);
        towers = List.copyOf(towers);
    }

    /** What is made of the last layer's output. */
    public enum Head {
        /** Logits of the vocabulary, and their loss. */
        TOKENS,
        /** Likewise, behind one more linear layer (BERT). */
        MASKED,
        /** A vector a sample (ViT, CLIP). */
        POOLED
    }

    /** So many modules that predict further tokens. */
    public Extensions withNextTokens(int modules) {
        return new Extensions(layers, causal, sinks, outputGate, sharedGate, modules, indexer, head, stem, towers);
    }

    /** Other layers. */
    public Extensions withLayers(List<LayerKind> kinds) {
        return new Extensions(kinds, causal, sinks, outputGate, sharedGate, nextTokens, indexer, head, stem, towers);
    }

    /** The tower whose layers are the model's first ones. */
    public Optional<Tower> encoder() {
        return towers.stream().filter(Tower::isEncoder).findFirst();
    }

    /** Of the model's layers, the first so many are its encoder's. */
    public int encoderLayers() {
        return encoder().map(tower -> tower.sizes().layers()).orElse(0);
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
