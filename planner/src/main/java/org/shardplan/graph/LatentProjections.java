package org.shardplan.graph;

import java.util.ArrayList;
import java.util.List;

/**
 * Queries, keys and values of multi-head latent attention, up to what its core reads: one tensor of queries, keys and values by
 * head, as fused kernels get it in training (the shared part of the keys is copied to every head).
 *
 * <p>Source: DeepSeek-AI 2024, arXiv:2405.04434, section 2.1 and appendix C. Axes {@code query.latent} and {@code latent} are
 * normalised whole and never split.
 */
final class LatentProjections {
    private final TransformerSizes sizes;
    private final Extent batch;
    private final Extent seq;
    private final Extent hidden;
    private final List<Operator> operators = new ArrayList<>();

    LatentProjections(Streams streams) {
        this.sizes = streams.sizes();
        this.batch = streams.batch();
        this.seq = streams.seq();
        this.hidden = streams.hidden();
    }

    /** Adds the operators; gives the tensor that the core reads. */
    Tensor add(List<Operator> all, Tensor input) {
        TransformerSizes.LatentAttention latent = sizes.latent();
        long heads = sizes.heads();
        Extent queryHeads = new Extent("heads", List.of(new Extent.Part(heads, latent.keyDim())), 1);
        Extent upHeads = new Extent("heads", List.of(new Extent.Part(heads, latent.nopeDim() + latent.valueDim())), 1);
        Extent core = new Extent(
                "heads",
                List.of(
                        new Extent.Part(heads, latent.keyDim()),
                        new Extent.Part(heads, latent.keyDim() + latent.valueDim())),
                1);
        Tensor queries = latent.queryRank() == 0
                ? linear("q", input, hidden, queryHeads)
                : linear(
                        "q.up", normed("q", input, latent.queryRank()), rank(latent.queryRank(), "query."), queryHeads);
        Tensor positions = linear("k.position", input, hidden, Extent.of("position", latent.ropeDim()));
        Extent keyRank = rank(latent.keyValueRank(), "");
        Tensor up = linear("kv.up", normed("kv", input, latent.keyValueRank()), keyRank, upHeads);
        Tensor rotated = Tensor.activation("qkv.rotated", batch, seq, core);
        LoopNest nest = new LoopNest("rotary", axes(core), List.of(queries, up, positions), List.of(), rotated);
        operators.add(new Rotary(nest, (double) latent.ropeDim() / latent.keyDim()));
        all.addAll(operators);
        return rotated;
    }

    private static Extent rank(long width, String prefix) {
        return Extent.of(prefix + "latent", width);
    }

    private Tensor normed(String name, Tensor input, long width) {
        Extent latent = rank(width, name.equals("q") ? "query." : "");
        Tensor down = linear(name + ".down", input, hidden, latent);
        Tensor normed = Tensor.activation(name + ".normed", batch, seq, latent);
        List<Axis> axes = List.of(
                new Axis(batch, AxisRole.SAMPLE),
                new Axis(seq, AxisRole.ATTRIBUTE),
                new Axis(latent, AxisRole.ATTRIBUTE, false));
        Tensor scale = Tensor.parameter(name + ".norm.scale", latent);
        operators.add(
                new Normalization(new LoopNest(name + ".norm", axes, List.of(down), List.of(scale), normed), false));
        return normed;
    }

    private Tensor linear(String name, Tensor input, Extent in, Extent out) {
        Tensor output = Tensor.activation(name, batch, seq, out);
        Tensor weight = Tensor.parameter(name + ".weight", in, out);
        // DeepSeek's configs name one flag for all projections but the latents' way up
        boolean bias = sizes.bias().qkv() && name.endsWith(".down");
        operators.add(Contraction.linear(name, input, in, out, bias, weight, output));
        return output;
    }

    private List<Axis> axes(Extent heads) {
        return List.of(
                new Axis(batch, AxisRole.SAMPLE),
                new Axis(seq, AxisRole.ATTRIBUTE),
                new Axis(heads, AxisRole.ATTRIBUTE));
    }
}
