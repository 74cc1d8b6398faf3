package org.shardplan.form;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.shardplan.graph.Extensions;
import org.shardplan.graph.LayerKind;
import org.shardplan.graph.Tower;
import org.shardplan.graph.TransformerSizes;
import org.shardplan.graph.TransformerSizes.Bias;
import org.shardplan.graph.TransformerSizes.Experts;
import org.shardplan.graph.TransformerSizes.LatentAttention;
import org.shardplan.graph.TransformerSizes.Norm;
import org.shardplan.graph.TransformerSizes.NormPlacement;
import org.shardplan.graph.TransformerSizes.Positions;
import org.shardplan.graph.TransformerSizes.QkNorm;
import org.shardplan.units.ClosestNames;
import org.shardplan.units.UserError;

/**
 * The models that are known by name: resource {@code models.json} ({@code shardplan.model-catalog/1}). An entry names the family that
 * it is like and says what differs; kv_heads = heads, head_dim = hidden / heads, ffn = 4 · hidden and max_positions = seq_len
 * unless it says otherwise.
 */
public final class ModelCatalog {
    private static final String RESOURCE = "models.json";

    private ModelCatalog() {}

    /**
     * A known model.
     *
     * @param sizes named as the entry; seqLen is its training length
     * @param source where the sizes are published
     * @param note what a reader should know, may be empty
     */
    public record Entry(TransformerSizes sizes, String source, String note) {
        public String name() {
            return sizes.name();
        }
    }

    /** All entries, in the order of the resource. */
    public static List<Entry> list() {
        return Loaded.ENTRIES;
    }

    /** Whether the catalog has this name. */
    public static boolean contains(String name) {
        return list().stream().anyMatch(entry -> entry.name().equals(name));
    }

    /** @throws UserError when there is no such name; it offers the closest */
    public static Entry find(String name) {
        List<String> names = list().stream().map(Entry::name).toList();
        int index = names.indexOf(name);
        if (index >= 0) {
            return list().get(index);
        }
        List<String> close = ClosestNames.of(name, names);
        throw new UserError(
                "there is no model \"" + name + "\" in the catalog",
                close.isEmpty()
                        ? "Maybe give the path of a config.json; ./shardplan models lists the names"
                        : "Maybe " + String.join(" or ", close));
    }

    /** Loaded on first use. */
    private static final class Loaded {
        static final List<Entry> ENTRIES = load();
    }

    private static List<Entry> load() {
        try (InputStream resource = ModelCatalog.class.getResourceAsStream(RESOURCE)) {
            if (resource == null) {
                throw new IllegalStateException("resource " + RESOURCE + " is missing");
            }
            try (JsonParser parser = new JsonFactory().createParser(resource)) {
                return entries(parser);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Entry> entries(JsonParser parser) throws IOException {
        Map<String, Map<String, String>> families = new HashMap<>();
        List<Entry> entries = new ArrayList<>();
        parser.nextToken();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String part = parser.currentName();
            parser.nextToken();
            if (part.equals("families")) {
                while (parser.nextToken() != JsonToken.END_OBJECT) {
                    String family = parser.currentName();
                    parser.nextToken();
                    families.put(family, fields(parser));
                }
            } else if (part.equals("models")) {
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    entries.add(entry(fields(parser), families));
                }
            }
        }
        return List.copyOf(entries);
    }

    /** The scalars of a flat object, as text. */
    private static Map<String, String> fields(JsonParser parser) throws IOException {
        Map<String, String> fields = new HashMap<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            parser.nextToken();
            fields.put(name, parser.getText());
        }
        return fields;
    }

    private static Entry entry(Map<String, String> own, Map<String, Map<String, String>> families) {
        Map<String, String> all = new HashMap<>(families.getOrDefault(text(own, "like"), Map.of()));
        all.putAll(own);
        return new Entry(encoded(sizes(all), all), text(all, "source"), all.getOrDefault("note", ""));
    }

    /** With an encoder of the same widths before the layers, where the entry has {@code encoder_layers}. */
    private static TransformerSizes encoded(TransformerSizes decoder, Map<String, String> all) {
        int layers = (int) number(all, "encoder_layers", 0);
        if (layers == 0) {
            return decoder;
        }
        Extensions plain = decoder.extensions();
        TransformerSizes encoder = decoder.with(layers, decoder.seqLen(), decoder.experts())
                .with(new Extensions(
                        List.of(),
                        false,
                        false,
                        false,
                        false,
                        0,
                        plain.indexer(),
                        plain.head(),
                        plain.stem(),
                        List.of()));
        Tower tower = new Tower(encoder, plain.stem(), 0, Tower.Projector.NONE, Tower.Role.ENCODER);
        LayerKind kind = new LayerKind(
                new LayerKind.CrossAttend(decoder.heads(), decoder.kvHeads(), decoder.headDim(), true, false, 0),
                new LayerKind.Dense(decoder.ffn()));
        return decoder.with(layers + decoder.layers(), decoder.seqLen(), decoder.experts())
                .with(new Extensions(
                        List.of(kind),
                        true,
                        false,
                        false,
                        false,
                        0,
                        plain.indexer(),
                        plain.head(),
                        plain.stem(),
                        List.of(tower)));
    }

    private static TransformerSizes sizes(Map<String, String> all) {
        long hidden = number(all, "hidden", 0);
        long heads = number(all, "heads", 0);
        long seqLen = number(all, "seq_len", 0);
        return new TransformerSizes(
                text(all, "name"),
                (int) number(all, "layers", 0),
                hidden,
                number(all, "ffn", 4 * hidden),
                heads,
                number(all, "kv_heads", heads),
                number(all, "head_dim", hidden / heads),
                number(all, "vocab", 0),
                number(all, "max_positions", seqLen),
                seqLen,
                flag(all, "gated_mlp"),
                NormPlacement.valueOf(constant(all, "norm_placement")),
                Norm.valueOf(constant(all, "norm")),
                Positions.valueOf(constant(all, "positions")),
                Double.parseDouble(text(all, "rotary_fraction")),
                QkNorm.valueOf(constant(all, "qk_norm")),
                bias(List.of(text(all, "bias").split(" "))),
                flag(all, "tied_embeddings"),
                flag(all, "embedding_norm"),
                flag(all, "final_norm"),
                number(all, "window", 0),
                (int) number(all, "window_every", 1),
                flag(all, "logit_soft_cap"),
                flag(all, "dropout"),
                number(all, "extra_position_rows", 0),
                experts(all),
                latent(all),
                extensions(all));
    }

    private static Experts experts(Map<String, String> all) {
        if (!all.containsKey("experts")) {
            return Experts.NONE;
        }
        return new Experts(
                (int) number(all, "experts", 0),
                (int) number(all, "topk", 1),
                number(all, "moe_ffn", 0),
                number(all, "shared_ffn", 0),
                (int) number(all, "first_dense", 0),
                1,
                (int) number(all, "expert_groups", 1),
                (int) number(all, "group_topk", 1),
                all.getOrDefault("router_bias", "false").equals("true"),
                0);
    }

    private static LatentAttention latent(Map<String, String> all) {
        return new LatentAttention(
                number(all, "query_rank", 0),
                number(all, "key_value_rank", 0),
                number(all, "nope_dim", 0),
                number(all, "rope_dim", 0),
                number(all, "value_dim", 0));
    }

    private static Extensions extensions(Map<String, String> all) {
        return new Extensions(
                List.of(),
                all.getOrDefault("causal", "true").equals("true"),
                all.getOrDefault("sinks", "false").equals("true"),
                false,
                false,
                (int) number(all, "next_tokens", 0),
                Extensions.Indexer.NONE,
                Extensions.Head.valueOf(all.getOrDefault("head", "tokens").toUpperCase(Locale.ROOT)),
                Tower.Stem.TOKENS,
                List.of());
    }

    private static Bias bias(List<String> where) {
        return new Bias(
                where.contains("qkv"),
                where.contains("attention_out"),
                where.contains("mlp_in"),
                where.contains("mlp_out"),
                where.contains("head"));
    }

    private static long number(Map<String, String> all, String name, long fallback) {
        return Long.parseLong(all.getOrDefault(name, Long.toString(fallback)));
    }

    private static boolean flag(Map<String, String> all, String name) {
        return text(all, name).equals("true");
    }

    private static String constant(Map<String, String> all, String name) {
        return text(all, name).toUpperCase(Locale.ROOT);
    }

    private static String text(Map<String, String> all, String name) {
        String text = all.get(name);
        if (text == null) {
            throw new IllegalStateException(RESOURCE + ": " + all.get("name") + " has no " + name);
        }
        return text;
    }
}
