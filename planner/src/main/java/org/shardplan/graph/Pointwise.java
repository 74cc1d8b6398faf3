package org.shardplan.graph;

import java.util.List;

/**
 * An element-wise function.
 *
 * @param nest inputs of the output's shape (a gated activation reads a tensor twice as wide)
 * @param function which
 * @param dropout whether its result is dropped out (bias-dropout-add), which keeps a mask of one byte an element
 */
public record Pointwise(LoopNest nest, Function function, boolean dropout) implements Operator {

    public enum Function {
        /** GELU, ReLU, squared ReLU. */
        ACTIVATION(true, 8),
        /** SwiGLU, GeGLU: act(gate) · up. */
        GATED_ACTIVATION(true, 10),
        /** A causal convolution of few taps along the sequence, each channel by itself, and an activation. */
        CONVOLUTION(true, 16),
        /** Residual connection. */
        ADD(false, 1),
        /** Multiplication of the first input by the sigmoid of the second. */
        GATE(true, 5),
        /** Multiplication by a constant. */
        SCALE(false, 1),
        /** tanh(x / c) · c on logits (Gemma 2). */
        SOFT_CAP(true, 12),
        /** A router's choice: softmax or sigmoid over all experts, the best of them, their weights. */
        TOP_K(true, 8),
        /** Copies each token to the slots of its experts; backward adds the copies' gradients. */
        DISPATCH(false, 0),
        /** Adds what a token's experts made of it, weighted; backward copies the gradient to them. */
        COMBINE(false, 2);

        /** Whether the backward pass reads the inputs. */
        public final boolean needsInput;

        public final int flopsPerElement;

        Function(boolean needsInput, int flopsPerElement) {
            this.needsInput = needsInput;
            this.flopsPerElement = flopsPerElement;
        }
    }

    /** The dropout mask: the output's shape, one byte an element. */
    public Tensor mask() {
        return new Tensor(name() + ".mask", Tensor.Kind.ACTIVATION, Tensor.Element.MASK, output().extents());
    }

    @Override
    public Pointwise with(LoopNest other) {
        return new Pointwise(other, function, dropout);
    }

    @Override
    public List<Tensor> saved() {
        if (dropout) {
            return List.of(mask());
        }
        return function.needsInput ? inputs() : List.of();
    }
}
