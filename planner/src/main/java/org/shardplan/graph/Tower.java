package org.shardplan.graph;

import java.util.List;

/**
 * A network that encodes another input for a model: images for a text model, or the sequence that a decoder answers.
 *
 * @param sizes its layers, whose attention is not causal
 * @param stem what its input is and how it enters
 * @param tokens that it works on, 0 = as many as the workload's sequence has
 * @param projector what it hands on
 * @param role how the model reads that
 */
public record Tower(TransformerSizes sizes, Stem stem, long tokens, Projector projector, Role role) {

    /** How the model reads what a tower made. */
    public enum Role {
        /** It takes the place of tokens in the model's sequence (LLaVA); the tower runs on the first stage. */
        MERGED,
        /** Layers of the model meet it in cross-attention (Llama 3.2 Vision); the tower runs on the first stage. */
        CROSSED,
        /** Likewise, and the tower's layers are the model's first ones (T5, Whisper). */
        ENCODER,
        /** Its last state is compared with the model's (CLIP). */
        COMPARED
    }

    /**
     * How an input enters.
     *
     * @param width elements of a patch or of a frame's window, 0 = tokens of the vocabulary
     * @param folded elements that a second product reads where the stem has two, of half as many positions (Whisper), else 0
     * @param bias whether its products have biases
     * @param rows of a table of positions (class tokens count), trained and added; 0 = none
     * @param norm whether a norm follows (CLIP, BERT)
     */
    public record Stem(long width, long folded, boolean bias, long rows, boolean norm) {
        public static final Stem TOKENS = new Stem(0, 0, false, 0, false);

        public boolean isTokens() {
            return width == 0;
        }
    }

    /**
     * The way from a tower's width to the model's.
     *
     * @param tokens that leave it, 0 = as many as enter
     * @param widths of its linear layers' inputs, in order, and of the last one's output; neighbours are merged where the first is
     *     wider than the tower; empty = none
     * @param normWidth of a norm before them, 0 = none
     * @param bias whether they have biases
     * @param copies further projectors that hand states of inner layers on (Qwen3-VL)
     */
    public record Projector(long tokens, List<Long> widths, long normWidth, boolean bias, int copies) {
        public static final Projector NONE = new Projector(0, List.of(), 0, false, 0);

        public Projector {
            widths = List.copyOf(widths);
        }
    }

    /** Whether its layers are the model's first ones. */
    public boolean isEncoder() {
        return role == Role.ENCODER;
    }
}
