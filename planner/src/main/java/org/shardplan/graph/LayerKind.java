package org.shardplan.graph;

/**
 * What one layer is made of: a mixer, in which tokens meet, and a feed, which each token passes alone. A layer may lack either
 * (Nemotron-H has one branch a layer).
 */
public record LayerKind(Mixer mixer, Feed feed) {

    /** How tokens meet. */
    public sealed interface Mixer permits Attend, Latent, NoMixer {
        /** For the names of blocks. */
        String word();
    }

    /** What a token passes alone. */
    public sealed interface Feed permits Dense, Routed, NoFeed {
        /** For the names of blocks. */
        default String suffix() {
            return this instanceof Routed ? ".experts" : "";
        }
    }

    /**
     * Softmax attention over the sequence itself.
     *
     * @param heads query heads
     * @param kvHeads key-value heads
     * @param headDim elements of a head
     * @param window keys that a query sees at most, 0 = all
     * @param chunked the window is a chunk of the sequence that its queries do not leave (Llama 4), instead of sliding along
     * @param rotary whether positions are rotated in where the model has rotary positions (Llama 4 leaves them out of full layers)
     * @param oneProjection values are the keys, so that one projection makes both (Gemma 4's full layers)
     */
    public record Attend(
            long heads,
            long kvHeads,
            long headDim,
            long window,
            boolean chunked,
            boolean rotary,
            boolean oneProjection)
            implements Mixer {
        /** The same attention over all keys. */
        public Attend withoutWindow() {
            return new Attend(heads, kvHeads, headDim, 0, false, rotary, oneProjection);
        }

        @Override
        public String word() {
            return window == 0 ? "full" : chunked ? "chunk" : "window";
        }
    }

    /** Multi-head latent attention of {@link TransformerSizes#latent}. */
    public record Latent() implements Mixer {
        @Override
        public String word() {
            return "latent";
        }
    }

    /** None. */
    public record NoMixer() implements Mixer {
        @Override
        public String word() {
            return "feed";
        }
    }

    /** An MLP of so wide an inside. */
    public record Dense(long ffn) implements Feed {}

    /** The experts of {@link TransformerSizes#experts}. */
    public record Routed() implements Feed {}

    /** None. */
    public record NoFeed() implements Feed {}
}
