package org.shardplan.graph;

/**
 * What tells one decoder from another: filled by readers and catalogs, turned into a graph by
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
 * @param experts the mixture of experts that stands for the MLP in some or all layers
 * @param latent multi-head latent attention; headDim is then the mean width of a key and a value
 * @param extensions what it has beside a plain stack of like decoder layers
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
        long extraPositionRows,
        Experts experts,
        LatentAttention latent,
        Extensions extensions) {

    /** A decoder without experts, latent attention and extensions. */
    public TransformerSizes(
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
        this(
                name,
                layers,
                hidden,
                ffn,
                heads,
                kvHeads,
                headDim,
                vocab,
                maxPositions,
                seqLen,
                gatedMlp,
                normPlacement,
                norm,
                positions,
                rotaryFraction,
                qkNorm,
                bias,
                tiedEmbeddings,
                embeddingNorm,
                finalNorm,
                window,
                windowEvery,
                logitSoftCap,
                dropout,
                extraPositionRows,
                Experts.NONE,
                LatentAttention.NONE,
                Extensions.NONE);
    }

    /** Keys that a query sees at the most in any layer whose attention has a window, 0 = none has. */
    public long longestWindow() {
        long longest = 0;
        for (int i = 0; i < layers - extensions.encoderLayers(); i++) {
            if (layer(i).mixer() instanceof LayerKind.Attend attend) {
                longest = Math.max(longest, attend.window());
            }
        }
        return longest;
    }

    /** What layer {@code index}, from 0, is made of. */
    public LayerKind layer(int index) {
        if (!extensions.layers().isEmpty()) {
            return extensions.layers().get(index % extensions.layers().size());
        }
        LayerKind.Feed feed = hasExperts(index) ? new LayerKind.Routed() : new LayerKind.Dense(ffn);
        if (latent.exists()) {
            return new LayerKind(new LayerKind.Latent(), feed);
        }
        boolean windowed = window > 0 && (windowEvery <= 1 || (index + 1) % windowEvery != 0);
        return new LayerKind(
                new LayerKind.Attend(heads, kvHeads, headDim, windowed ? window : 0, false, true, false), feed);
    }

    /** Whether the MLP of layer {@code index}, from 0, is a mixture of experts. */
    public boolean hasExperts(int index) {
        return experts.count > 0 && index >= experts.firstDense && (index + 1) % experts.every == 0;
    }

    /** The same network with other layers, another training length and other experts. */
    public TransformerSizes with(int otherLayers, long otherSeqLen, Experts otherExperts) {
        return with(otherLayers, otherSeqLen, otherExperts, extensions);
    }

    /** The same network with other extensions. */
    public TransformerSizes with(Extensions others) {
        return with(layers, seqLen, experts, others);
    }

    private TransformerSizes with(int otherLayers, long otherSeqLen, Experts otherExperts, Extensions others) {
        return new TransformerSizes(
                name,
                otherLayers,
                hidden,
                ffn,
                heads,
                kvHeads,
                headDim,
                vocab,
                maxPositions,
                otherSeqLen,
                gatedMlp,
                normPlacement,
                norm,
                positions,
                rotaryFraction,
                qkNorm,
                bias,
                tiedEmbeddings,
                embeddingNorm,
                finalNorm,
                window,
                windowEvery,
                logitSoftCap,
                dropout,
                extraPositionRows,
                otherExperts,
                latent,
                others);
    }

    /** Where norms stand in a layer. */
    public enum NormPlacement {
        /** Before attention and before the MLP (GPT-2, Llama). */
        PRE,
        /** After attention and after the MLP, before the residual is added (OLMo 2). */
        POST,
        /** After the residual is added (BERT). */
        AFTER_SUM,
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
        /** A trained number for each distance and head (T5). */
        BUCKETS,
        /** A projection of the distances, and scores of queries with it (Transformer-XL, Gopher). */
        RELATIVE,
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

    /**
     * A mixture of experts in place of the MLP: a router sends each token to {@code topk} of {@code count} equal MLPs, and every
     * token also to the shared ones.
     *
     * @param count routed experts, 0 = none
     * @param topk experts of a token
     * @param ffn inner width of one routed expert
     * @param sharedFfn inner width of all shared experts together, 0 = none
     * @param firstDense layers at the start whose MLP is dense, of width {@link TransformerSizes#ffn}
     * @param every of this many layers in a row the last has experts: 1 = all of them, 2 = alternating (Llama 4 Maverick)
     * @param groups experts stand in this many groups, of which a token may meet {@code groupTopk} (DeepSeek), 1 = no groups
     * @param groupTopk groups of a token
     * @param routerBias whether the router has a bias of one number an expert (gpt-oss; DeepSeek's correction bias)
     * @param capacityFactor slots of an expert over its even share of tokens, 0 = dropless: as many as are sent
     */
    public record Experts(
            int count,
            int topk,
            long ffn,
            long sharedFfn,
            int firstDense,
            int every,
            int groups,
            int groupTopk,
            boolean routerBias,
            double capacityFactor) {
        public static final Experts NONE = new Experts(0, 0, 0, 0, 0, 1, 1, 1, false, 0);

        public Experts {
            if (count < 0 || topk < 0 || topk > count || every < 1 || groups < 1 || groupTopk > groups) {
                throw new IllegalArgumentException("top " + topk + " of " + count + " experts, every " + every
                        + ", top " + groupTopk + " of " + groups + " groups");
            }
        }

        /** The same experts in all layers but so many at the start. */
        public Experts withFirstDense(int layers) {
            return new Experts(
                    count, topk, ffn, sharedFfn, layers, every, groups, groupTopk, routerBias, capacityFactor);
        }

        /** Rows of an expert when a sequence's tokens are shared out evenly, those of its capacity where it has one. */
        public long slots(long seqLen) {
            long even = Math.ceilDiv(Math.multiplyExact(seqLen, topk), count);
            return capacityFactor > 0 ? (long) Math.ceil(capacityFactor * even) : even;
        }
    }

    /**
     * Multi-head latent attention (DeepSeek-V2, arXiv:2405.04434, section 2.1): queries, and keys with values, come from a narrow
     * latent each; a part of each key that carries the position is shared by all heads.
     *
     * @param queryRank width of the queries' latent, 0 = queries come straight from the stream
     * @param keyValueRank width of the latent of keys and values, 0 = ordinary attention
     * @param nopeDim elements of a head's query and key without position
     * @param ropeDim elements with position
     * @param valueDim elements of a head's value
     */
    public record LatentAttention(long queryRank, long keyValueRank, long nopeDim, long ropeDim, long valueDim) {
        public static final LatentAttention NONE = new LatentAttention(0, 0, 0, 0, 0);

        public boolean exists() {
            return keyValueRank > 0;
        }

        /** Elements of a head's query, and of its key. */
        public long keyDim() {
            return nopeDim + ropeDim;
        }
    }
}
