package org.shardplan.form;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.shardplan.units.UserError;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.events.AliasEvent;
import org.yaml.snakeyaml.events.DocumentStartEvent;
import org.yaml.snakeyaml.events.Event;
import org.yaml.snakeyaml.events.MappingStartEvent;
import org.yaml.snakeyaml.events.NodeEvent;
import org.yaml.snakeyaml.events.ScalarEvent;
import org.yaml.snakeyaml.events.SequenceStartEvent;
import org.yaml.snakeyaml.parser.Parser;
import org.yaml.snakeyaml.parser.ParserImpl;
import org.yaml.snakeyaml.reader.StreamReader;

/**
 * Reads the plain part of YAML: one document of mappings, lists and scalars. Anchors, aliases, tags, repeated keys, deep
 * nesting and files beyond 1 MB are refused, each with the line where it stands. Every scalar stays text.
 */
final class YamlTree {
    private static final int MAX_BYTES = 1_000_000;
    private static final int MAX_DEPTH = 16;

    private final String file;
    private final Parser events;

    private YamlTree(String text, String file) {
        LoaderOptions options = new LoaderOptions();
        options.setCodePointLimit(MAX_BYTES);
        this.file = file;
        this.events = new ParserImpl(new StreamReader(text), options);
    }

    /** The file's text. */
    static String text(Path path) {
        try {
            if (Files.isDirectory(path)) {
                throw new UserError(path + " is a folder", "Maybe name the file in it.");
            }
            long bytes = Files.size(path);
            if (bytes > MAX_BYTES) {
                throw tooLong(path.toString(), bytes);
            }
            return Files.readString(path);
        } catch (CharacterCodingException e) {
            throw new UserError(path + " is not text in UTF-8", "Maybe it is another kind of file.");
        } catch (IOException e) {
            throw new UserError(path + " cannot be read: " + reason(e), "Maybe the path is mistyped.");
        }
    }

    /** JSON is read as the YAML that it is. */
    private static String language(String file) {
        return file.endsWith(".json") ? "JSON" : "YAML";
    }

    /** The tree of a text; {@code file} names it in messages. */
    static YamlNode.Mapping parse(String text, String file) {
        if (text.length() > MAX_BYTES) {
            throw tooLong(file, text.length());
        }
        try {
            return new YamlTree(text.startsWith("\uFEFF") ? text.substring(1) : text, file).document();
        } catch (MarkedYAMLException e) {
            Mark mark = e.getProblemMark();
            String where = mark == null ? file : file + ":" + (mark.getLine() + 1);
            throw new UserError(
                    where + ": this is not " + language(file) + ": " + e.getProblem(),
                    "Maybe check indentation, colons and quotes there.");
        } catch (YAMLException e) {
            throw new UserError(
                    file + ": this is not " + language(file) + ": "
                            + String.valueOf(e.getMessage()).lines().findFirst().orElse(""),
                    "Maybe it is another kind of file.");
        }
    }

    private static UserError tooLong(String file, long bytes) {
        return new UserError(
                file + " has " + bytes + " bytes, at most " + MAX_BYTES + " are read",
                "Maybe it is another kind of file.");
    }

    private static String reason(IOException e) {
        return e instanceof NoSuchFileException ? "there is no such file" : String.valueOf(e.getMessage());
    }

    private YamlNode.Mapping document() {
        events.getEvent(); // stream start
        Event start = events.getEvent();
        if (!(start instanceof DocumentStartEvent document)) {
            throw new UserError(file + " is empty", "Maybe start from examples/clusters/two-racks.yaml.");
        }
        if (document.getTags() != null && !document.getTags().isEmpty()) {
            throw refused(start, "a %TAG directive", "Maybe delete it.");
        }
        YamlNode root = node(events.getEvent(), 0);
        events.getEvent(); // document end
        Event end = events.getEvent();
        if (end instanceof DocumentStartEvent) {
            throw refused(end, "a second document", "Maybe split the file.");
        }
        if (root instanceof YamlNode.Mapping mapping) {
            return mapping;
        }
        throw new UserError(
                file + ":" + root.line() + ": " + root.kind() + " where the file's keys belong",
                "Maybe start from examples/clusters/two-racks.yaml.");
    }

    private YamlNode node(Event event, int depth) {
        if (event instanceof AliasEvent alias) {
            throw refused(event, "the alias *" + alias.getAnchor(), "Maybe write the value out.");
        }
        if (event instanceof NodeEvent node && node.getAnchor() != null) {
            throw refused(event, "the anchor &" + node.getAnchor(), "Maybe write the value out where it is used.");
        }
        if (depth > MAX_DEPTH) {
            throw refused(event, "nesting deeper than " + MAX_DEPTH + " levels", "Maybe check the brackets.");
        }
        return switch (event) {
            case ScalarEvent scalar -> {
                refuseTag(event, scalar.getTag());
                yield new YamlNode.Scalar(scalar.getValue(), scalar.isPlain(), line(event));
            }
            case SequenceStartEvent sequence -> {
                refuseTag(event, sequence.getTag());
                yield sequence(line(event), depth);
            }
            case MappingStartEvent mapping -> {
                refuseTag(event, mapping.getTag());
                yield mapping(line(event), depth);
            }
            default -> throw refused(event, "a " + event.getEventId(), "Maybe check the brackets.");
        };
    }

    private YamlNode.Sequence sequence(int line, int depth) {
        List<YamlNode> items = new ArrayList<>();
        for (Event event = events.getEvent(); !event.is(Event.ID.SequenceEnd); event = events.getEvent()) {
            items.add(node(event, depth + 1));
        }
        return new YamlNode.Sequence(List.copyOf(items), line);
    }

    private YamlNode.Mapping mapping(int line, int depth) {
        LinkedHashMap<String, YamlNode> entries = new LinkedHashMap<>();
        for (Event event = events.getEvent(); !event.is(Event.ID.MappingEnd); event = events.getEvent()) {
            if (!(node(event, depth + 1) instanceof YamlNode.Scalar key)) {
                throw refused(event, "a key that is not plain text", "Maybe a quote or a bracket is missing.");
            }
            YamlNode value = node(events.getEvent(), depth + 1);
            YamlNode earlier = entries.putIfAbsent(key.text(), value);
            if (earlier != null) {
                throw refused(
                        event,
                        "the key \"" + key.text() + "\" a second time (first at line " + earlier.line() + ")",
                        "Maybe delete one of the two.");
            }
        }
        return new YamlNode.Mapping(entries, line);
    }

    private void refuseTag(Event event, @Nullable String tag) {
        if (tag != null) {
            throw refused(event, "the tag " + tag, "Maybe delete it: every value is plain text here.");
        }
    }

    private UserError refused(Event event, String what, String maybe) {
        return new UserError(file + ":" + line(event) + ": " + what + " is not allowed here", maybe);
    }

    private static int line(Event event) {
        return event.getStartMark().getLine() + 1;
    }
}
