package org.shardplan.graph;

/**
 * What tells one dense decoder from another: filled by readers and catalogs, turned into a graph by
 * {@link TransformerGraph}.
 *
 * @param name model name for reports
 * @param layers decoder layers
 * @param hidden model width
 * @param ffn inner width of the MLP (of one branch where it is gated)
 * @param heads query heads
 * @param kvHeads key-value heads (1 = multi-query)
 * @param headDim elements of one head, not always hidden / heads
 * @param vocab tokens, unpadded
 * @param maxPositions longest sequence; rows of the position table where positions are learned
 * @param seqLen default training length
 * @param gatedMlp three MLP matrices instead of two
 * @param normPlacement where norms stand
 * @param norm which norm
 * @param positions how positions enter
 * @param rotaryFraction rotated share of each head
 * @param qkNorm whether queries and keys are normalised
 * @param bias which linear layers have biases
 * @param tiedEmbeddings head and embedding share one table
 * @param embeddingNorm a norm follows the embedding (BLOOM)
 * @param finalNorm a norm precedes the head
 * @param window sliding window in tokens, 0 = none
 * @param windowEvery of this many layers in a row, all but the last use the window: 1 = every layer does, 2 = alternating (Gemma 2)
 * @param logitSoftCap whether logits are soft-capped (Gemma 2)
 * @param dropout whether pretraining drops out (GPT-2, GPT-3, BLOOM era)
 * @param extraPositionRows rows of the position table beyond maxPositions (OPT: 2)
 */
public record TransformerSizes(
        String name,
        int layers,
        long hidden,
        long ffn,
        long heads,
        long kvHeads,
        long headDim,
        long vocab,
        long maxPositions,
        long seqLen,
        boolean gatedMlp,
        NormPlacement normPlacement,
        Norm norm,
        Positions positions,
        double rotaryFraction,
        QkNorm qkNorm,
        Bias bias,
        boolean tiedEmbeddings,
        boolean embeddingNorm,
        boolean finalNorm,
        long window,
        int windowEvery,
        boolean logitSoftCap,
        boolean dropout,
        long extraPositionRows) {

    /** Where norms stand in a layer. */
    public enum NormPlacement {
        /** Before attention and before the MLP (GPT-2, Llama). */
        PRE,
        /** After attention and after the MLP, before the residual is added (OLMo 2). */
        POST,
        /** Both (Gemma 2). */
        PRE_AND_POST,
        /** Attention and MLP side by side behind one norm (GPT-J, Falcon 7B, Phi-2). */
        PARALLEL_ONE_NORM,
        /** Attention and MLP side by side, a norm each (GPT-NeoX, Falcon 40B). */
        PARALLEL_TWO_NORMS
    }

    /** The norm's parameters. */
    public enum Norm {
        LAYER_NORM,
        /** LayerNorm with a scale alone (MPT). */
        LAYER_NORM_NO_SHIFT,
        /** LayerNorm without parameters (OLMo 1). */
        LAYER_NORM_BARE,
        RMS_NORM
    }

    /** How positions enter. */
    public enum Positions {
        LEARNED,
        ROTARY,
        ALIBI,
        NONE
    }

    /** Normalisation of queries and keys. */
    public enum QkNorm {
        NONE,
        /** Over each head's elements, one scale for all heads (Qwen 3). */
        PER_HEAD,
        /** Over the whole width of queries, and of keys (OLMo 2). */
        FULL
    }

    /** Which linear layers have a bias. */
    public record Bias(boolean qkv, boolean attentionOut, boolean mlpIn, boolean mlpOut, boolean head) {
        public static final Bias NONE = new Bias(false, false, false, false, false);
        public static final Bias ALL = new Bias(true, true, true, true, false);
    }
}
