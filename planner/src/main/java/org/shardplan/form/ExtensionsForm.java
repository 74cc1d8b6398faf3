package org.shardplan.form;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.shardplan.graph.Extensions;
import org.shardplan.graph.Extensions.Indexer;
import org.shardplan.graph.LayerKind;
import org.shardplan.graph.Tower;

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
        json.writeStringField("head", PlanFileWriter.lower(extensions.head()));
        if (!extensions.stem().isTokens()) {
            stem(json, extensions.stem());
        }
        if (!extensions.towers().isEmpty()) {
            json.writeArrayFieldStart("towers");
            for (Tower tower : extensions.towers()) {
                tower(json, tower);
            }
            json.writeEndArray();
        }
        json.writeEndObject();
    }

    private static void tower(JsonGenerator json, Tower tower) throws IOException {
        json.writeStartObject();
        json.writeStringField("role", PlanFileWriter.lower(tower.role()));
        json.writeNumberField("tokens", tower.tokens());
        stem(json, tower.stem());
        json.writeObjectFieldStart("projector");
        json.writeNumberField("tokens", tower.projector().tokens());
        json.writeArrayFieldStart("widths");
        for (long width : tower.projector().widths()) {
            json.writeNumber(width);
        }
        json.writeEndArray();
        json.writeNumberField("norm_width", tower.projector().normWidth());
        json.writeBooleanField("bias", tower.projector().bias());
        json.writeNumberField("copies", tower.projector().copies());
        json.writeEndObject();
        json.writeFieldName("sizes");
        new PlanFileWriter(json).sizes(tower.sizes());
        json.writeEndObject();
    }

    private static void stem(JsonGenerator json, Tower.Stem stem) throws IOException {
        json.writeObjectFieldStart("stem");
        json.writeNumberField("width", stem.width());
        json.writeNumberField("folded", stem.folded());
        json.writeBooleanField("bias", stem.bias());
        json.writeNumberField("rows", stem.rows());
        json.writeBooleanField("norm", stem.norm());
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
                of.has("indexer") ? indexer(of.needMapping("indexer")) : Indexer.NONE,
                PlanFileReader.constant(of, "head", Extensions.Head.values()),
                of.has("stem") ? stem(of.needMapping("stem")) : Tower.Stem.TOKENS,
                towers(of));
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

    private static List<Tower> towers(Fields of) {
        if (!of.has("towers")) {
            return List.of();
        }
        List<Tower> towers = new ArrayList<>();
        for (Fields tower : of.mappings("towers")) {
            towers.add(new Tower(
                    PlanFileReader.sizes(tower.needMapping("sizes")),
                    stem(tower.needMapping("stem")),
                    tower.count("tokens", 0, MOST),
                    projector(tower.needMapping("projector")),
                    PlanFileReader.constant(tower, "role", Tower.Role.values())));
            tower.done();
        }
        return towers;
    }

    private static Tower.Stem stem(Fields of) {
        Tower.Stem stem = new Tower.Stem(
                of.count("width", 0, MOST),
                of.count("folded", 0, MOST),
                of.flag("bias"),
                of.count("rows", 0, MOST),
                of.flag("norm"));
        of.done();
        return stem;
    }

    private static Tower.Projector projector(Fields of) {
        List<Long> widths = new ArrayList<>();
        if (of.has("widths")) {
            of.counts("widths", 1, MOST).forEach(width -> widths.add((long) width));
        }
        Tower.Projector projector = new Tower.Projector(
                of.count("tokens", 0, MOST),
                widths,
                of.count("norm_width", 0, MOST),
                of.flag("bias"),
                of.count("copies", 0, 64));
        of.done();
        return projector;
    }
}
