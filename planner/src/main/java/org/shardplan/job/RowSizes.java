package org.shardplan.job;

import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.shardplan.form.ModelCatalog;
import org.shardplan.form.Row;
import org.shardplan.graph.TransformerSizes;

/**
 * The network of a row. Rows give widths; the rest follows from the family: two MLP matrices mean GPT (LayerNorm, biases,
 * learned positions, tied embeddings, dropout before megatron-core), three mean Llama (RMSNorm, rotary, no bias), and a model
 * called BLOOM has ALiBi and a norm after the embedding (its scripts leave Megatron's default dropout on).
 */
final class RowSizes {
    private static final long LARGEST = 1L << 24;

    /** Megatron's GPT has dropout until Megatron-Core's recipes switched it off; MPT, Nemotron and MaxText train without. */
    private static final Set<String> WITH_DROPOUT =
            Set.of("megatron-lm-2021", "megatron-lm-2022", "megatron-deepspeed", "deepspeed-zero3-2021");

    private static final Pattern BILLIONS = Pattern.compile("\\b(\\d+(?:\\.\\d+)?)B\\b");

    /** Three printed digits round by 0.5 % at most. */
    private static final double SIZE_TOLERANCE = 0.005;

    private RowSizes() {}

    static TransformerSizes of(Row row, String framework, List<String> assumed) throws RowSkip {
        Row.Shape shape = row.shape();
        if (shape.layers().isEmpty()
                || shape.hidden().isEmpty()
                || shape.heads().isEmpty()
                || shape.vocab().isEmpty()) {
            return catalog(row.model().toLowerCase(Locale.ROOT));
        }
        if (!shape.attentionWindow().isEmpty() && isInCatalog(row)) {
            assumed.add("windows as " + row.model().toLowerCase(Locale.ROOT));
            return windowed(row);
        }
        long hidden = positive("hidden", shape.hidden(), LARGEST);
        long heads = positive("heads", shape.heads(), LARGEST);
        long layers = positive("layers", shape.layers(), 100_000);
        long kvHeads = positive("kv_heads", fallback(shape.kvHeads(), heads), LARGEST);
        if (hidden % heads != 0) {
            throw new RowSkip("hidden " + hidden + " is not a multiple of heads " + heads);
        }
        if (heads % kvHeads != 0) {
            throw new RowSkip("heads " + heads + " are not a multiple of kv_heads " + kvHeads);
        }
        boolean gated = yes("gated_mlp", shape.gatedMlp());
        if (shape.gatedMlp().isEmpty()) {
            assumed.add("gated_mlp no");
        }
        long seqLen = positive("seq_len", shape.seqLen(), LARGEST);
        boolean bloom = row.model().toLowerCase(Locale.ROOT).contains("bloom");
        return new TransformerSizes(
                row.model().isEmpty() ? row.id() : row.model(),
                (int) layers,
                hidden,
                positive("ffn_hidden", fallback(shape.ffnHidden(), 4 * hidden), LARGEST),
                heads,
                kvHeads,
                hidden / heads,
                positive("vocab", shape.vocab(), LARGEST),
                seqLen,
                seqLen,
                gated,
                TransformerSizes.NormPlacement.PRE,
                gated ? TransformerSizes.Norm.RMS_NORM : TransformerSizes.Norm.LAYER_NORM,
                gated
                        ? TransformerSizes.Positions.ROTARY
                        : bloom ? TransformerSizes.Positions.ALIBI : TransformerSizes.Positions.LEARNED,
                1,
                TransformerSizes.QkNorm.NONE,
                gated ? TransformerSizes.Bias.NONE : TransformerSizes.Bias.ALL,
                !gated || tiedByName(row),
                bloom,
                true,
                0,
                1,
                false,
                !gated && WITH_DROPOUT.contains(framework),
                0);
    }

    static boolean isInCatalog(Row row) {
        return ModelCatalog.contains(row.model().toLowerCase(Locale.ROOT));
    }

    /** The column says that there is a window; how long it is, and in which layers, the catalog does. */
    private static TransformerSizes windowed(Row row) throws RowSkip {
        TransformerSizes known = catalog(row.model().toLowerCase(Locale.ROOT));
        long hidden = positive("hidden", row.shape().hidden(), LARGEST);
        if (known.hidden() != hidden) {
            throw new RowSkip(
                    "contradiction: " + row.model() + " has hidden " + known.hidden() + ", and the row says " + hidden);
        }
        int layers = (int) positive("layers", row.shape().layers(), 100_000);
        return known.with(layers, positive("seq_len", row.shape().seqLen(), LARGEST), known.experts());
    }

    /** Whether the size in a Llama's name is met only when embedding and head are one tensor: "nanotron-llama 1.34B". */
    private static boolean tiedByName(Row row) throws RowSkip {
        Matcher name = BILLIONS.matcher(row.model());
        if (!name.find()) {
            return false;
        }
        double named = 1e9 * Double.parseDouble(name.group(1));
        Row.Shape shape = row.shape();
        double hidden = positive("hidden", shape.hidden(), LARGEST);
        double heads = positive("heads", shape.heads(), LARGEST);
        double keyHeads = positive("kv_heads", fallback(shape.kvHeads(), (long) heads), LARGEST);
        double ffn = positive("ffn_hidden", fallback(shape.ffnHidden(), (long) (4 * hidden)), LARGEST);
        double layer = 2 * hidden * hidden * (1 + keyHeads / heads) + 3 * hidden * ffn;
        double tied = positive("layers", shape.layers(), LARGEST) * layer
                + positive("vocab", shape.vocab(), LARGEST) * hidden;
        return Math.abs(tied / named - 1) < SIZE_TOLERANCE;
    }

    private static TransformerSizes catalog(String model) throws RowSkip {
        if (!ModelCatalog.contains(model)) {
            throw new RowSkip(
                    "layers, hidden, heads or vocab is blank, and the catalog has no model \"" + model + "\"");
        }
        return ModelCatalog.find(model).sizes();
    }

    /** The value, within bounds that no network exceeds. */
    static long positive(String column, OptionalLong value, long most) throws RowSkip {
        if (value.isEmpty()) {
            throw new RowSkip(column + " is blank");
        }
        long number = value.getAsLong();
        if (number < 1 || number > most) {
            throw new RowSkip(column + " is " + number + ", which no run has");
        }
        return number;
    }

    static OptionalLong fallback(OptionalLong value, long other) {
        return value.isPresent() ? value : OptionalLong.of(other);
    }

    /** A yes-or-no cell; blank is no. */
    static boolean yes(String column, String cell) throws RowSkip {
        return switch (cell) {
            case "yes", "true", "1" -> true;
            case "no", "false", "0", "" -> false;
            default -> throw new RowSkip(column + " is \"" + cell + "\", neither yes nor no");
        };
    }
}
