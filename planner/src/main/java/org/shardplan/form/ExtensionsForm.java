package org.shardplan.form;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.List;
import org.shardplan.graph.Extensions;
import org.shardplan.graph.Extensions.Indexer;
import org.shardplan.graph.LayerKind;

/** What a network has beside like decoder layers, in a plan file: written only where there is any. */
final class ExtensionsForm {
    private static final int MOST = 1 << 24;

    private ExtensionsForm() {}

    static void write(JsonGenerator json, Extensions extensions) throws IOException {
        if (extensions.equals(Extensions.NONE)) {
            return;
        }
        json.writeObjectFieldStart("extensions");
        if (!extensions.layers().isEmpty()) {
            json.writeArrayFieldStart("layers");
            for (String run : LayerText.write(extensions.layers())) {
                json.writeString(run);
            }
            json.writeEndArray();
        }
        json.writeBooleanField("causal", extensions.causal());
        json.writeBooleanField("sinks", extensions.sinks());
        json.writeBooleanField("output_gate", extensions.outputGate());
        json.writeBooleanField("shared_gate", extensions.sharedGate());
        json.writeNumberField("next_tokens", extensions.nextTokens());
        if (extensions.indexer().exists()) {
            json.writeObjectFieldStart("indexer");
            json.writeNumberField("heads", extensions.indexer().heads());
            json.writeNumberField("head_dim", extensions.indexer().headDim());
            json.writeNumberField("topk", extensions.indexer().topk());
            json.writeEndObject();
        }
        json.writeEndObject();
    }

    static Extensions read(Fields sizes) {
        if (!sizes.has("extensions")) {
            return Extensions.NONE;
        }
        Fields of = sizes.needMapping("extensions");
        Extensions extensions = new Extensions(
                layers(of),
                of.flag("causal"),
                of.flag("sinks"),
                of.flag("output_gate"),
                of.flag("shared_gate"),
                of.count("next_tokens", 0, 64),
                of.has("indexer") ? indexer(of.needMapping("indexer")) : Indexer.NONE);
        of.done();
        return extensions;
    }

    private static List<LayerKind> layers(Fields of) {
        if (!of.has("layers")) {
            return List.of();
        }
        try {
            return LayerText.read(of.texts("layers"));
        } catch (IllegalArgumentException e) {
            throw of.error("layers", String.valueOf(e.getMessage()), "Maybe write the file again with plan -o");
        }
    }

    private static Indexer indexer(Fields of) {
        Indexer indexer =
                new Indexer(of.count("heads", 1, MOST), of.count("head_dim", 1, MOST), of.count("topk", 1, MOST));
        of.done();
        return indexer;
    }
}
