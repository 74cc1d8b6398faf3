package org.shardplan.form;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.shardplan.graph.LayerKind;
import org.shardplan.graph.LayerKind.Attend;
import org.shardplan.graph.LayerKind.CrossAttend;
import org.shardplan.graph.LayerKind.DeltaRule;
import org.shardplan.graph.LayerKind.Dense;
import org.shardplan.graph.LayerKind.Feed;
import org.shardplan.graph.LayerKind.Latent;
import org.shardplan.graph.LayerKind.Lightning;
import org.shardplan.graph.LayerKind.Mamba;
import org.shardplan.graph.LayerKind.Mixer;
import org.shardplan.graph.LayerKind.NoFeed;
import org.shardplan.graph.LayerKind.NoMixer;
import org.shardplan.graph.LayerKind.Routed;

/**
 * Layers as words, a run of like layers a text: {@code 3 x attend heads=64 kv_heads=8 head_dim=128 window=512 chunked=0 rotary=1
 * one_projection=0 + mlp ffn=11264}.
 */
final class LayerText {
    private static final int MOST_LAYERS = 100_000;

    private LayerText() {}

    static List<String> write(List<LayerKind> layers) {
        List<String> runs = new ArrayList<>();
        int start = 0;
        for (int i = 1; i <= layers.size(); i++) {
            if (i == layers.size() || !layers.get(i).equals(layers.get(start))) {
                LayerKind kind = layers.get(start);
                runs.add(i - start + " x " + mixer(kind.mixer()) + " + " + feed(kind.feed()));
                start = i;
            }
        }
        return runs;
    }

    private static String mixer(Mixer mixer) {
        return switch (mixer) {
            case Attend a ->
                "attend heads=%d kv_heads=%d head_dim=%d window=%d chunked=%d rotary=%d one_projection=%d"
                        .formatted(
                                a.heads(),
                                a.kvHeads(),
                                a.headDim(),
                                a.window(),
                                bit(a.chunked()),
                                bit(a.rotary()),
                                bit(a.oneProjection()));
            case Latent _ -> "latent";
            case Mamba m ->
                "mamba version=%d heads=%d head_dim=%d state=%d groups=%d taps=%d tap_bias=%d chunk=%d step_rank=%d inner_norm=%d"
                        .formatted(
                                m.version(),
                                m.heads(),
                                m.headDim(),
                                m.state(),
                                m.groups(),
                                m.convolution(),
                                bit(m.convolutionBias()),
                                m.chunk(),
                                m.stepRank(),
                                bit(m.innerNorm()));
            case DeltaRule d ->
                "delta key_heads=%d value_heads=%d key_dim=%d value_dim=%d taps=%d chunk=%d"
                        .formatted(d.keyHeads(), d.valueHeads(), d.keyDim(), d.valueDim(), d.convolution(), d.chunk());
            case CrossAttend c ->
                "cross heads=%d kv_heads=%d head_dim=%d beside_self=%d gated=%d keys=%d"
                        .formatted(c.heads(), c.kvHeads(), c.headDim(), bit(c.besideSelf()), bit(c.gated()), c.keys());
            case Lightning l -> "lightning heads=%d head_dim=%d chunk=%d".formatted(l.heads(), l.headDim(), l.chunk());
            case NoMixer _ -> "none";
        };
    }

    private static String feed(Feed feed) {
        return switch (feed) {
            case Dense dense -> "mlp ffn=" + dense.ffn();
            case Routed _ -> "experts";
            case NoFeed _ -> "none";
        };
    }

    private static int bit(boolean flag) {
        return flag ? 1 : 0;
    }

    /** @throws IllegalArgumentException with what is wrong, where a text is not a run of layers */
    static List<LayerKind> read(List<String> runs) {
        List<LayerKind> layers = new ArrayList<>();
        for (String run : runs) {
            String[] parts = run.split(" x | \\+ ", -1);
            if (parts.length != 3) {
                throw new IllegalArgumentException("is not \"COUNT x MIXER + FEED\"");
            }
            long count = number(parts[0]);
            if (count < 1 || count + layers.size() > MOST_LAYERS) {
                throw new IllegalArgumentException("has " + parts[0] + " layers, which no model has");
            }
            LayerKind kind = new LayerKind(mixer(parts[1]), feed(parts[2]));
            for (long i = 0; i < count; i++) {
                layers.add(kind);
            }
        }
        return layers;
    }

    private static Mixer mixer(String text) {
        Function<String, Long> of = values(text);
        return switch (text.split(" ", -1)[0]) {
            case "attend" ->
                new Attend(
                        size(of, "heads"),
                        size(of, "kv_heads"),
                        size(of, "head_dim"),
                        of.apply("window"),
                        of.apply("chunked") != 0,
                        of.apply("rotary") != 0,
                        of.apply("one_projection") != 0);
            case "latent" -> new Latent();
            case "mamba" -> mamba(of);
            case "delta" ->
                new DeltaRule(
                        size(of, "key_heads"),
                        size(of, "value_heads"),
                        size(of, "key_dim"),
                        size(of, "value_dim"),
                        size(of, "taps"),
                        size(of, "chunk"));
            case "cross" ->
                new CrossAttend(
                        size(of, "heads"),
                        size(of, "kv_heads"),
                        size(of, "head_dim"),
                        of.apply("beside_self") != 0,
                        of.apply("gated") != 0,
                        of.apply("keys"));
            case "lightning" -> new Lightning(size(of, "heads"), size(of, "head_dim"), size(of, "chunk"));
            case "none" -> new NoMixer();
            default -> throw new IllegalArgumentException("has no mixer \"" + text + "\"");
        };
    }

    private static Mamba mamba(Function<String, Long> of) {
        return new Mamba(
                size(of, "version") == 1 ? 1 : 2,
                size(of, "heads"),
                size(of, "head_dim"),
                size(of, "state"),
                size(of, "groups"),
                size(of, "taps"),
                of.apply("tap_bias") != 0,
                size(of, "chunk"),
                of.apply("step_rank"),
                of.apply("inner_norm") != 0);
    }

    private static Feed feed(String text) {
        return switch (text.split(" ", -1)[0]) {
            case "mlp" -> new Dense(size(values(text), "ffn"));
            case "experts" -> new Routed();
            case "none" -> new NoFeed();
            default -> throw new IllegalArgumentException("has no feed \"" + text + "\"");
        };
    }

    private static long size(Function<String, Long> values, String key) {
        long size = values.apply(key);
        if (size < 1) {
            throw new IllegalArgumentException("has " + key + "=" + size + ", and at least 1 is needed");
        }
        return size;
    }

    /** The value of each key; asking for an absent one is an error. */
    private static Function<String, Long> values(String text) {
        Map<String, Long> values = new HashMap<>();
        for (String word : text.split(" ", -1)) {
            int equals = word.indexOf('=');
            if (equals > 0) {
                values.put(word.substring(0, equals), number(word.substring(equals + 1)));
            }
        }
        return key -> {
            Long value = values.get(key);
            if (value == null) {
                throw new IllegalArgumentException("has no " + key);
            }
            return value;
        };
    }

    private static long number(String digits) {
        if (!digits.matches("\\d{1,12}")) {
            throw new IllegalArgumentException("has \"" + digits + "\" where a number is needed");
        }
        return Long.parseLong(digits);
    }
}
