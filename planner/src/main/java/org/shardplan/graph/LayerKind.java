package org.shardplan.graph;

/**
 * What one layer is made of: a mixer, in which tokens meet, and a feed, which each token passes alone. A layer may lack either
 * (Nemotron-H has one branch a layer).
 */
public record LayerKind(Mixer mixer, Feed feed) {

    /** How tokens meet. */
    public sealed interface Mixer permits Attend, Latent, Mamba, DeltaRule, Lightning, CrossAttend, NoMixer {
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
            long heads, long kvHeads, long headDim, long window, boolean chunked, boolean rotary, boolean oneProjection)
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

    /**
     * A selective state space (Gu and Dao 2023, arXiv:2312.00752; Dao and Gu 2024, arXiv:2405.21060).
     *
     * @param version 1: each channel decays by itself (Jamba); 2: each head (Nemotron-H, Granite 4)
     * @param heads heads; of version 1 one a channel
     * @param headDim channels of a head; of version 1 one
     * @param state elements of the state a channel
     * @param groups heads of a group share input and output matrices
     * @param convolution taps of the causal convolution before it
     * @param convolutionBias whether that has a bias
     * @param chunk tokens that the scan works on at once
     * @param stepRank version 1: width that step sizes come from
     * @param innerNorm version 1: steps, input and output matrices are normalised (Jamba)
     */
    public record Mamba(
            int version,
            long heads,
            long headDim,
            long state,
            long groups,
            long convolution,
            boolean convolutionBias,
            long chunk,
            long stepRank,
            boolean innerNorm)
            implements Mixer {
        /** Channels. */
        public long inner() {
            return Math.multiplyExact(heads, headDim);
        }

        @Override
        public String word() {
            return "mamba";
        }
    }

    /**
     * A gated delta rule (Yang et al. 2024, arXiv:2412.06464; Qwen3-Next).
     *
     * @param keyHeads heads of queries and of keys, each shared by {@code valueHeads / keyHeads} heads of values
     * @param keyDim elements of a key's head
     * @param valueDim elements of a value's head
     * @param convolution taps of the causal convolution before it
     * @param chunk tokens that the scan works on at once
     */
    public record DeltaRule(long keyHeads, long valueHeads, long keyDim, long valueDim, long convolution, long chunk)
            implements Mixer {
        @Override
        public String word() {
            return "delta";
        }
    }

    /** Linear attention with one fixed decay a head (MiniMax-01, arXiv:2501.08313, section 2.2). */
    public record Lightning(long heads, long headDim, long chunk) implements Mixer {
        @Override
        public String word() {
            return "linear";
        }
    }

    /**
     * Queries of the sequence meet the keys of what an encoder or a tower made.
     *
     * @param besideSelf whether the layer attends to its own sequence first (T5's and Whisper's decoders)
     * @param gated whether the layer's branches are scaled by a trained number each (Llama 3.2 Vision)
     * @param keys tokens that were made, 0 = as many as the encoder has
     */
    public record CrossAttend(long heads, long kvHeads, long headDim, boolean besideSelf, boolean gated, long keys)
            implements Mixer {
        public CrossAttend withKeys(long tokens) {
            return new CrossAttend(heads, kvHeads, headDim, besideSelf, gated, tokens);
        }

        @Override
        public String word() {
            return "cross";
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
