package org.shardplan.graph;

import java.util.ArrayList;
import java.util.List;
import org.shardplan.graph.TransformerSizes.NormPlacement;

/** One layer, operator by operator: norms and residuals around a mixer and a feed. */
final class LayerParts {
    private final Streams streams;
    private final LayerKind kind;
    private final List<Operator> operators = new ArrayList<>();

    LayerParts(Streams streams, LayerKind kind) {
        this.streams = streams;
        this.kind = kind;
    }

    /** In order; the first reads {@code in}, the last writes {@code out}. */
    List<Operator> operators() {
        Tensor input = streams.stream("in");
        boolean mixes = !(kind.mixer() instanceof LayerKind.NoMixer);
        boolean feeds = !(kind.feed() instanceof LayerKind.NoFeed);
        NormPlacement placement = streams.sizes().normPlacement();
        boolean parallel =
                placement == NormPlacement.PARALLEL_ONE_NORM || placement == NormPlacement.PARALLEL_TWO_NORMS;
        if (parallel && mixes && feeds) {
            side(input, placement == NormPlacement.PARALLEL_TWO_NORMS);
            return operators;
        }
        Tensor middle = input;
        if (kind.mixer() instanceof LayerKind.CrossAttend cross && cross.besideSelf()) {
            middle = branch(input, "attention", placement, "attended");
            middle = branch(middle, "cross", placement, "middle");
        } else if (mixes) {
            middle = branch(input, "attention", placement, feeds ? "middle" : "out");
        }
        if (feeds) {
            branch(middle, "mlp", placement, "out");
        }
        if (!mixes && !feeds) {
            // a layer that pruning emptied (Nemotron's search) only hands its input on
            LoopNest nest =
                    new LoopNest("pass", streams.streamAxes(true), List.of(input), List.of(), streams.stream("out"));
            operators.add(new Reshape(nest));
        }
        return operators;
    }

    private Tensor branch(Tensor input, String branch, NormPlacement placement, String result) {
        Tensor read = input;
        if (placement != NormPlacement.POST && placement != NormPlacement.AFTER_SUM) {
            read = streams.stream(branch + ".normed");
            operators.add(streams.norm(branch + ".norm", input, read));
        }
        Tensor written = switch (branch) {
            case "attention" -> mixed(read);
            case "cross" -> crossed(read);
            default -> fed(read);
        };
        if (placement == NormPlacement.AFTER_SUM) {
            Tensor sum = streams.stream(branch + ".sum");
            streams.add(operators, branch + ".residual", List.of(written, input), sum);
            Tensor normed = streams.stream(result);
            operators.add(streams.norm(branch + ".norm", sum, normed));
            return normed;
        }
        if (placement != NormPlacement.PRE) {
            Tensor normed = streams.stream(branch + ".post.normed");
            operators.add(streams.norm(branch + ".post.norm", written, normed));
            written = normed;
        }
        return streams.add(operators, branch + ".residual", List.of(written, input), streams.stream(result));
    }

    /** Attention and MLP side by side. */
    private void side(Tensor input, boolean twoNorms) {
        Tensor attentionInput = streams.stream("attention.normed");
        operators.add(streams.norm("attention.norm", input, attentionInput));
        Tensor mlpInput = attentionInput;
        if (twoNorms) {
            mlpInput = streams.stream("mlp.normed");
            operators.add(streams.norm("mlp.norm", input, mlpInput));
        }
        Tensor attended = mixed(attentionInput);
        Tensor fed = fed(mlpInput);
        streams.add(operators, "residual", List.of(attended, fed, input), streams.stream("out"));
    }

    private Tensor mixed(Tensor input) {
        AttentionParts attention = new AttentionParts(streams, operators);
        ScanParts scans = new ScanParts(streams, operators);
        return switch (kind.mixer()) {
            case LayerKind.Attend attend -> attention.self(attend, input);
            case LayerKind.Latent _ -> attention.latent(input);
            case LayerKind.Mamba mamba -> mamba.version() == 1 ? scans.first(mamba, input) : scans.second(mamba, input);
            case LayerKind.DeltaRule rule -> scans.delta(rule, input);
            case LayerKind.Lightning linear -> scans.lightning(linear, input);
            case LayerKind.CrossAttend cross -> cross.besideSelf() ? attention.self(own(), input) : crossed(input);
            case LayerKind.NoMixer _ -> input;
        };
    }

    private LayerKind.Attend own() {
        TransformerSizes sizes = streams.sizes();
        return new LayerKind.Attend(sizes.heads(), sizes.kvHeads(), sizes.headDim(), 0, false, true, false);
    }

    private Tensor crossed(Tensor input) {
        return kind.mixer() instanceof LayerKind.CrossAttend cross
                ? new AttentionParts(streams, operators).cross(cross, input)
                : input;
    }

    private Tensor fed(Tensor input) {
        FeedForward parts = new FeedForward(streams, operators);
        return switch (kind.feed()) {
            case LayerKind.Dense dense -> parts.mlp("mlp", input, dense.ffn());
            case LayerKind.Routed _ -> parts.experts(input);
            case LayerKind.NoFeed _ -> input;
        };
    }
}
