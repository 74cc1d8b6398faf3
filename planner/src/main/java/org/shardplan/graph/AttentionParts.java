package org.shardplan.graph;

import java.util.ArrayList;
import java.util.List;
import org.shardplan.graph.LayerKind.Attend;
import org.shardplan.graph.TransformerSizes.Positions;
import org.shardplan.graph.TransformerSizes.QkNorm;

/** Softmax attention: projections, what is done to queries and keys, the core, and the way back to the stream. */
final class AttentionParts {
    /** What an encoder or a tower made. */
    static final String MEMORY = "memory";

    private final TransformerSizes sizes;
    private final Streams streams;
    private final List<Operator> operators;

    AttentionParts(Streams streams, List<Operator> operators) {
        this.sizes = streams.sizes();
        this.streams = streams;
        this.operators = operators;
    }

    /** Attention of a sequence to itself. */
    Tensor self(Attend kind, Tensor input) {
        Extent context = heads(kind.heads(), kind.headDim());
        Extent fused = new Extent(
                "heads",
                List.of(
                        new Extent.Part(kind.heads(), kind.headDim()),
                        new Extent.Part(kind.kvHeads(), 2 * kind.headDim())),
                1);
        Tensor projected = kind.oneProjection() ? keysAreValues(kind, input, fused) : fused(input, fused);
        if (sizes.qkNorm() != QkNorm.NONE) {
            Tensor normed = Tensor.activation("qkv.normed", streams.batch(), streams.seq(), fused);
            operators.add(qkNorm(kind, context, projected, normed));
            projected = normed;
        }
        if (sizes.positions() == Positions.ROTARY && kind.rotary()) {
            Tensor rotated = Tensor.activation("qkv.rotated", streams.batch(), streams.seq(), fused);
            LoopNest nest = new LoopNest("rotary", streams.axes(projected), List.of(projected), List.of(), rotated);
            operators.add(new Rotary(nest, sizes.rotaryFraction()));
            projected = rotated;
        }
        if (sizes.positions() == Positions.RELATIVE) {
            projected = relative(projected, kind);
        }
        Tensor attended = core(projected, context, kind.headDim(), kind.window(), kind.chunked());
        if (sizes.extensions().outputGate()) {
            attended = gated(input, attended, context);
        }
        return out(attended, context);
    }

    /** Multi-head latent attention. */
    Tensor latent(Tensor input) {
        TransformerSizes.LatentAttention latent = sizes.latent();
        LatentProjections projections = new LatentProjections(streams);
        Tensor projected = projections.add(operators, input);
        Extent context = heads(sizes.heads(), latent.valueDim());
        if (sizes.extensions().indexer().exists()) {
            indexed(input);
        }
        return out(
                core(
                        projected,
                        context,
                        sizes.headDim(),
                        sizes.extensions().indexer().topk(),
                        false),
                context);
    }

    /**
     * Relative positions (Dai et al. 2019, arXiv:1901.02860, section 3.3): a projection of all distances' sines, one for all samples, and
     * two vectors a head that stand for the query in scores of content and of distance.
     */
    private Tensor relative(Tensor projected, Attend kind) {
        Extent width = heads(kind.heads(), kind.headDim());
        Tensor sines = new Tensor(
                "distances", Tensor.Kind.INPUT, Tensor.Element.COMPUTE, List.of(streams.seq(), streams.hidden()));
        Tensor made = Tensor.activation("distances.projected", streams.seq(), width);
        Tensor weight = Tensor.parameter("distances.weight", streams.hidden(), width);
        operators.add(Contraction.linear("distances", sines, streams.hidden(), width, false, weight, made));
        Tensor placed = Tensor.activation("qkv.placed", projected.extents().toArray(Extent[]::new));
        List<Tensor> vectors =
                List.of(Tensor.parameter("content.bias", width), Tensor.parameter("distance.bias", width));
        LoopNest nest =
                new LoopNest("distances.place", streams.axes(projected), List.of(projected, made), vectors, placed);
        operators.add(new Pointwise(nest, Pointwise.Function.SCALE, false));
        return placed;
    }

    /** Attention of a sequence to what an encoder or a tower made. */
    Tensor cross(LayerKind.CrossAttend kind, Tensor input) {
        Extent queryHeads = heads(kind.heads(), kind.headDim());
        Extent keyHeads = heads(kind.kvHeads(), 2 * kind.headDim());
        Extent keys = Extent.of("seq", kind.keys());
        boolean bias = sizes.bias().qkv();
        Tensor memory = new Tensor(
                MEMORY, Tensor.Kind.CARRIED, Tensor.Element.COMPUTE, List.of(streams.batch(), keys, streams.hidden()));
        Tensor queries = streams.linear(operators, "cross.q", input, streams.hidden(), queryHeads, bias);
        Tensor made = Tensor.activation("cross.kv", streams.batch(), keys, keyHeads);
        Tensor weight = Tensor.parameter("cross.kv.weight", streams.hidden(), keyHeads);
        operators.add(Contraction.linear("cross.kv", memory, streams.hidden(), keyHeads, bias, weight, made));
        Tensor attended = Tensor.activation("cross.context", streams.batch(), streams.seq(), queryHeads);
        List<Axis> axes = List.of(
                new Axis(streams.batch(), AxisRole.SAMPLE),
                new Axis(queryHeads, AxisRole.ATTRIBUTE),
                new Axis(streams.seq(), AxisRole.ATTRIBUTE, false),
                new Axis(Extent.of("key", kind.keys()), AxisRole.REDUCTION, false));
        List<Tensor> parameters = new ArrayList<>();
        if (sizes.qkNorm() == QkNorm.PER_HEAD || kind.gated()) {
            Extent element = Extent.of("head.element", kind.headDim());
            parameters.add(Tensor.parameter("cross.q.norm.scale", element));
            parameters.add(Tensor.parameter("cross.k.norm.scale", element));
        }
        if (kind.gated()) {
            parameters.add(Tensor.parameter("cross.gates", Extent.of("gate", 2)));
        }
        operators.add(new Attention(
                new LoopNest("cross.attention", axes, List.of(queries, made), parameters, attended),
                kind.headDim(),
                false,
                0,
                false,
                sizes.dropout()));
        return streams.linear(
                operators,
                "cross.out",
                attended,
                queryHeads,
                streams.hidden(),
                sizes.bias().attentionOut());
    }

    /** The indexer's queries come from the queries' latent, its one key and the weights of its heads from the stream. */
    private void indexed(Tensor input) {
        Extensions.Indexer indexer = sizes.extensions().indexer();
        Extent rank = Extent.of("query.latent", sizes.latent().queryRank());
        Tensor latent = Tensor.activation("q.normed", streams.batch(), streams.seq(), rank);
        Extent each = new Extent("heads", List.of(new Extent.Part(indexer.heads(), indexer.headDim())), 1);
        Tensor queries = streams.linear(operators, "index.q", latent, rank, each, false);
        Extent one = Extent.of("index.key", indexer.headDim());
        Tensor key = streams.linear(operators, "index.k", input, streams.hidden(), one, false);
        Tensor normed = Tensor.activation("index.k.normed", streams.batch(), streams.seq(), one);
        List<Tensor> scales =
                List.of(Tensor.parameter("index.k.norm.scale", one), Tensor.parameter("index.k.norm.shift", one));
        List<Axis> axes = List.of(
                new Axis(streams.batch(), AxisRole.SAMPLE),
                new Axis(streams.seq(), AxisRole.ATTRIBUTE),
                new Axis(one, AxisRole.ATTRIBUTE, false));
        operators.add(new Normalization(new LoopNest("index.k.norm", axes, List.of(key), scales, normed), true));
        Extent weights = new Extent("heads", List.of(new Extent.Part(indexer.heads(), 1)), 1);
        Tensor weighed = streams.linear(operators, "index.weights", input, streams.hidden(), weights, false);
        List<Axis> loops = List.of(
                new Axis(streams.batch(), AxisRole.SAMPLE),
                new Axis(each, AxisRole.ATTRIBUTE),
                new Axis(streams.seq(), AxisRole.ATTRIBUTE, false),
                new Axis(Extent.of("key", streams.seq().size()), AxisRole.REDUCTION, false));
        Tensor scores = Tensor.activation("index.scores", streams.batch(), streams.seq(), weights);
        // scores alone, no values: half of attention's products
        operators.add(new Attention(
                new LoopNest("index.attention", loops, List.of(queries, normed, weighed), List.of(), scores),
                Math.max(1, indexer.headDim() / 2),
                true,
                0,
                false,
                false));
    }

    private Tensor fused(Tensor input, Extent fused) {
        return streams.linear(
                operators, "qkv", input, streams.hidden(), fused, sizes.bias().qkv());
    }

    /** Queries by one projection, keys by another whose result is copied to the values. */
    private Tensor keysAreValues(Attend kind, Tensor input, Extent fused) {
        Extent narrow = new Extent(
                "heads",
                List.of(new Extent.Part(kind.heads(), kind.headDim()), new Extent.Part(kind.kvHeads(), kind.headDim())),
                1);
        Tensor made = streams.linear(
                operators, "qk", input, streams.hidden(), narrow, sizes.bias().qkv());
        Tensor copied = Tensor.activation("qkv", streams.batch(), streams.seq(), fused);
        return streams.pointwise(operators, "values", Pointwise.Function.SCALE, List.of(made), copied);
    }

    private static Extent heads(long heads, long headDim) {
        return new Extent("heads", List.of(new Extent.Part(heads, headDim)), 1);
    }

    private Tensor core(Tensor projected, Extent context, long headDim, long window, boolean chunked) {
        Tensor attended = Tensor.activation("context", streams.batch(), streams.seq(), context);
        List<Axis> axes = List.of(
                new Axis(streams.batch(), AxisRole.SAMPLE),
                new Axis(context, AxisRole.ATTRIBUTE),
                new Axis(streams.seq(), AxisRole.ATTRIBUTE, false),
                new Axis(Extent.of("key", streams.seq().size()), AxisRole.REDUCTION, false));
        long heads = context.parts().getFirst().count();
        List<Tensor> sinks =
                sizes.extensions().sinks() ? List.of(Tensor.parameter("attention.sinks", heads(heads, 1))) : List.of();
        operators.add(new Attention(
                new LoopNest("attention", axes, List.of(projected), sinks, attended),
                headDim,
                sizes.extensions().causal(),
                window,
                chunked,
                sizes.dropout()));
        return attended;
    }

    private Tensor gated(Tensor input, Tensor attended, Extent context) {
        Tensor gate = streams.linear(
                operators,
                "attention.gate",
                input,
                streams.hidden(),
                context,
                sizes.bias().qkv());
        Tensor output = Tensor.activation("context.gated", streams.batch(), streams.seq(), context);
        return streams.pointwise(
                operators, "attention.gating", Pointwise.Function.GATE, List.of(attended, gate), output);
    }

    private Tensor out(Tensor attended, Extent context) {
        return streams.linear(
                operators,
                "attention.out",
                attended,
                context,
                streams.hidden(),
                sizes.bias().attentionOut());
    }

    private Normalization qkNorm(Attend kind, Extent context, Tensor input, Tensor output) {
        List<Tensor> scales = new ArrayList<>();
        if (sizes.qkNorm() == QkNorm.PER_HEAD) {
            Extent element = Extent.of("head.element", kind.headDim());
            scales.add(Tensor.parameter("q.norm.scale", element));
            scales.add(Tensor.parameter("k.norm.scale", element));
        } else if (sizes.qkNorm() == QkNorm.FULL) {
            scales.add(Tensor.parameter("q.norm.scale", context));
            scales.add(Tensor.parameter("k.norm.scale", heads(kind.kvHeads(), kind.headDim())));
        }
        return new Normalization(new LoopNest("qk.norm", streams.axes(input), List.of(input), scales, output), false);
    }
}
