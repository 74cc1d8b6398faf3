package org.shardplan.form;

import java.util.LinkedHashMap;
import java.util.List;

/** A piece of a YAML file as {@link YamlTree} reads it; {@code line} counts from 1. */
sealed interface YamlNode {
    int line();

    /** A scalar as text; {@code plain} when it stands without quotes. */
    record Scalar(String text, boolean plain, int line) implements YamlNode {}

    /** A list. */
    record Sequence(List<YamlNode> items, int line) implements YamlNode {}

    /** Keys in the order of the file, each once. */
    record Mapping(LinkedHashMap<String, YamlNode> entries, int line) implements YamlNode {}

    /** For messages: what this is. */
    default String kind() {
        return switch (this) {
            case Scalar scalar -> "\"" + scalar.text() + "\"";
            case Sequence sequence -> "a list";
            case Mapping mapping -> "a mapping";
        };
    }
}
