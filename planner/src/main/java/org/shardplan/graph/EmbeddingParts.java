package org.shardplan.graph;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.shardplan.graph.TransformerSizes.Positions;

/** How input enters a network: tokens by a table, patches by a product; and the tower that encodes another input before. */
final class EmbeddingParts {
    private final Streams streams;
    private final TransformerSizes sizes;
    private final Extent vocab;
    private final List<Operator> operators = new ArrayList<>();

    EmbeddingParts(Streams streams, Extent vocab) {
        this.streams = streams;
        this.sizes = streams.sizes();
        this.vocab = vocab;
    }

    /** The block; what a tower makes takes its tokens' place. */
    Block block(Tower.Stem stem, List<Tower> towers) {
        List<Tensor> encoded = new ArrayList<>();
        for (Tower tower : towers) {
            encoded.add(tower(tower));
        }
        Tensor output = stem.isTokens() ? tokens("", true) : patches(stem);
        for (int i = 0; i < encoded.size(); i++) {
            if (towers.get(i).role() == Tower.Role.MERGED) {
                Tensor merged = streams.stream("embedding.merged");
                output = streams.pointwise(
                        operators,
                        "embedding.merge",
                        Pointwise.Function.SCALE,
                        List.of(output, encoded.get(i)),
                        merged);
            }
        }
        return new Block("embedding", Block.Kind.EMBEDDING, 1, operators);
    }

    /** A decoder's own tokens, behind its encoder's last layer: the table is the encoder's. */
    List<Operator> second(String prefix) {
        tokens(prefix, false);
        return operators;
    }

    private Tensor tokens(String prefix, boolean table) {
        Extent batch = streams.batch();
        Extent seq = streams.seq();
        Tensor ids = new Tensor(prefix + "ids", Tensor.Kind.INPUT, Tensor.Element.INDEX, List.of(batch, seq));
        List<Tensor> tables = new ArrayList<>();
        if (table) {
            tables.add(Tensor.parameter("shared.embedding", vocab, streams.hidden()));
        }
        if (sizes.positions() == Positions.LEARNED) {
            Extent rows = Extent.of("position", sizes.maxPositions() + sizes.extraPositionRows());
            tables.add(Tensor.parameter(prefix + "embedding.positions", rows, streams.hidden()));
        } else if (sizes.positions() == Positions.BUCKETS) {
            Extent heads = Extent.of("head", sizes.heads());
            tables.add(Tensor.parameter(prefix + "embedding.distances", Extent.of("bucket", BUCKETS), heads));
        }
        List<Axis> axes = new ArrayList<>(streams.streamAxes(true));
        axes.add(new Axis(vocab, AxisRole.REDUCTION));
        Tensor output = streams.stream(prefix + "embedded");
        operators.add(new Embedding(new LoopNest(prefix + "embedding", axes, List.of(ids), tables, output)));
        return finished(prefix, output, sizes.embeddingNorm());
    }

    /** Distances that T5 tells apart (Raffel et al. 2020, arXiv:1910.10683, section 2.1). */
    private static final int BUCKETS = 32;

    private Tensor finished(String prefix, Tensor input, boolean norm) {
        Tensor output = input;
        if (norm) {
            output = streams.stream(prefix + "embedding.normed");
            operators.add(streams.norm(prefix + "embedding.norm", input, output));
        }
        if (sizes.dropout()) {
            Tensor dropped = streams.stream(prefix + "embedding.dropped");
            LoopNest nest = new LoopNest(
                    prefix + "embedding.dropout", streams.streamAxes(true), List.of(output), List.of(), dropped);
            operators.add(new Pointwise(nest, Pointwise.Function.SCALE, true));
            output = dropped;
        }
        return output;
    }

    /** Patches of an image, or windows of a sound's frames. */
    private Tensor patches(Tower.Stem stem) {
        Extent batch = streams.batch();
        Extent width = Extent.of("pixel", stem.width());
        boolean folds = stem.folded() > 0;
        Extent positions = Extent.of("seq", streams.seq().size() * (folds ? 2 : 1));
        Tensor pixels =
                new Tensor("pixels", Tensor.Kind.INPUT, Tensor.Element.COMPUTE, List.of(batch, positions, width));
        Tensor output = Tensor.activation("patches", batch, positions, streams.hidden());
        Tensor weight = Tensor.parameter("patches.weight", width, streams.hidden());
        operators.add(Contraction.linear("patches", pixels, width, streams.hidden(), stem.bias(), weight, output));
        if (folds) {
            Extent folded = Extent.of("pixel", stem.folded());
            Tensor wide = Tensor.activation("patches.folded", batch, streams.seq(), folded);
            streams.pointwise(operators, "patches.fold", Pointwise.Function.ACTIVATION, List.of(output), wide);
            output = streams.linear(operators, "patches.second", wide, folded, streams.hidden(), stem.bias());
        }
        if (stem.rows() > 0) {
            Tensor table = Tensor.parameter("patches.positions", Extent.of("position", stem.rows()), streams.hidden());
            Tensor placed = streams.stream("patches.placed");
            operators.add(new Pointwise(
                    new LoopNest("patches.place", streams.streamAxes(true), List.of(output), List.of(table), placed),
                    Pointwise.Function.ADD,
                    false));
            output = placed;
        }
        return finished("patches.", output, stem.norm());
    }

    /** A tower's operators; gives what the model reads. */
    private Tensor tower(Tower tower) {
        Streams inner = new Streams(tower.sizes(), tower.tokens());
        String name = tower.sizes().name();
        List<Operator> stem = new EmbeddingParts(inner, Extent.of("vocab", 1))
                .block(tower.stem(), List.of())
                .operators();
        Map<LayerKind, List<Operator>> kinds = new HashMap<>();
        operators.addAll(new LayerCopy(name + ".stem", Map.of()).of(stem));
        Tensor output = operators.getLast().output();
        for (int i = 0; i < tower.sizes().layers(); i++) {
            LayerKind kind = tower.sizes().layer(i);
            List<Operator> layer = kinds.computeIfAbsent(kind, _ -> new LayerParts(inner, kind).operators());
            operators.addAll(new LayerCopy(name + "." + i, Map.of("in", output)).of(layer));
            output = operators.getLast().output();
        }
        if (tower.sizes().finalNorm()) {
            Tensor normed = inner.stream(name + ".normed");
            operators.add(inner.norm(name + ".norm", output, normed));
            output = normed;
        }
        Tensor first = projected(tower, inner, output, name + ".projector");
        for (int n = 1; n <= tower.projector().copies(); n++) {
            projected(tower, inner, output, name + ".projector." + n);
        }
        return first;
    }

    private Tensor projected(Tower tower, Streams inner, Tensor made, String name) {
        Tower.Projector projector = tower.projector();
        boolean crossed = tower.role() == Tower.Role.CROSSED;
        if (projector.widths().isEmpty()) {
            return made;
        }
        Extent batch = streams.batch();
        Extent seq = Extent.of("seq", projector.tokens() == 0 ? tower.tokens() : projector.tokens());
        Extent in = Extent.of("wide", projector.widths().getFirst());
        Tensor read = Tensor.activation(name + ".in", batch, seq, in);
        inner.pointwise(operators, name + ".merge", Pointwise.Function.SCALE, List.of(made), read);
        if (projector.normWidth() > 0) {
            Tensor normed = Tensor.activation(name + ".normed", batch, seq, in);
            boolean shifts = tower.sizes().norm() == TransformerSizes.Norm.LAYER_NORM;
            Extent width = Extent.of("wide", projector.normWidth());
            List<Tensor> scales = shifts
                    ? List.of(
                            Tensor.parameter(name + ".norm.scale", width),
                            Tensor.parameter(name + ".norm.shift", width))
                    : List.of(Tensor.parameter(name + ".norm.scale", width));
            List<Axis> axes = inner.axes(normed).stream()
                    .map(axis ->
                            new Axis(axis.extent(), axis.role(), !axis.name().equals("wide")))
                    .toList();
            operators.add(new Normalization(new LoopNest(name + ".norm", axes, List.of(read), scales, normed), shifts));
            read = normed;
        }
        int last = projector.widths().size() - 1;
        for (int n = 1; n <= last; n++) {
            Extent out = n == last
                    ? streams.hidden()
                    : Extent.of("wide." + n, projector.widths().get(n));
            Tensor.Kind kind = n == last && crossed ? Tensor.Kind.CARRIED : Tensor.Kind.ACTIVATION;
            String label = n == last && crossed ? AttentionParts.MEMORY : name + "." + n;
            Tensor output = new Tensor(label, kind, Tensor.Element.COMPUTE, List.of(batch, seq, out));
            Extent width = read.extents().getLast();
            Tensor weight = Tensor.parameter(name + "." + n + ".weight", width, out);
            operators.add(Contraction.linear(name + "." + n, read, width, out, projector.bias(), weight, output));
            read = output;
            if (n < last) {
                Tensor activated = Tensor.activation(name + "." + n + ".activated", batch, seq, out);
                read = inner.pointwise(
                        operators,
                        name + "." + n + ".activation",
                        Pointwise.Function.ACTIVATION,
                        List.of(output),
                        activated);
            }
        }
        return read;
    }
}
