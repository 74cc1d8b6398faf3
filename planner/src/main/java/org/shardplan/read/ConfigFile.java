package org.shardplan.read;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.shardplan.units.UserError;

/** A JSON file that a user hands us, read strictly: size, encoding, nesting and duplicate fields are checked. */
final class ConfigFile {
    private static final long MOST_BYTES = 10L << 20;
    private static final int MOST_DEPTH = 64;
    private static final JsonFactory JSON = JsonFactory.builder()
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxNestingDepth(MOST_DEPTH).build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
            .build();

    private ConfigFile() {}

    /** @throws UserError when there is no such file, or it can't be a configuration */
    static byte[] bytes(Path file) {
        try {
            if (Files.isDirectory(file)) {
                throw new UserError(
                        file + " is a directory, a config.json is needed", "Maybe give " + file.resolve("config.json"));
            }
            long size = Files.size(file);
            if (size > MOST_BYTES) {
                throw new UserError(
                        "%s has %,d bytes, a config.json has at most %,d".formatted(file, size, MOST_BYTES),
                        "Maybe it holds the weights: give the config.json that lies beside them");
            }
            return Files.readAllBytes(file);
        } catch (NoSuchFileException e) {
            throw new UserError("there is no file " + file, "Maybe the path is misspelled");
        } catch (IOException e) {
            throw new UserError("can't read " + file + ": " + e.getMessage(), "Maybe it is not yours to read");
        }
    }

    /**
     * The fields of the JSON object that a file holds.
     *
     * @param file its path, for messages
     * @throws UserError when the content is no JSON object
     */
    static ConfigFields parse(String file, byte[] content) {
        String text = text(file, content);
        if (text.isBlank()) {
            throw new UserError(file + " is empty", "Maybe its download failed");
        }
        if (text.stripLeading().startsWith("<")) {
            throw new UserError(
                    file + " starts with \"<\": it is a web page or XML, not JSON",
                    "Maybe the page was saved instead of the raw file");
        }
        if (text.startsWith("version https://git-lfs")) {
            throw new UserError(file + " is a Git LFS pointer, not the file itself", "Maybe run git lfs pull");
        }
        try (JsonParser parser = JSON.createParser(text)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new UserError(
                        file + " does not hold a JSON object: it starts with \"" + parser.getText() + "\"",
                        "Maybe this is another file than config.json");
            }
            ConfigFields fields = object(parser, file, "");
            if (parser.nextToken() != null) {
                throw at(file, parser, "text follows the end of the JSON object", "Maybe two files were joined");
            }
            return fields;
        } catch (JsonProcessingException e) {
            throw broken(file, e);
        } catch (IOException e) {
            throw new IllegalStateException("reading from memory", e);
        }
    }

    private static String text(String file, byte[] content) {
        int mark = content.length >= 3
                        && content[0] == (byte) 0xEF
                        && content[1] == (byte) 0xBB
                        && content[2] == (byte) 0xBF
                ? 3
                : 0;
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(content, mark, content.length - mark))
                    .toString();
            if (text.indexOf('\0') < 0) {
                return text;
            }
        } catch (CharacterCodingException e) {
            // told below
        }
        throw new UserError(
                file + " is not a UTF-8 text file",
                "Maybe it holds weights, or was saved as UTF-16: give the config.json as it was published");
    }

    private static ConfigFields object(JsonParser parser, String file, String path) throws IOException {
        Map<String, ConfigFields.Field> fields = new LinkedHashMap<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            int line = parser.currentTokenLocation().getLineNr();
            parser.nextToken();
            fields.put(name, new ConfigFields.Field(value(parser, file, path + name + "."), line));
        }
        return new ConfigFields(file, path, fields);
    }

    /** A Long, Double, String, Boolean, List, ConfigFields, or {@link ConfigFields#NULL}. */
    private static Object value(JsonParser parser, String file, String path) throws IOException {
        return switch (parser.currentToken()) {
            case START_OBJECT -> object(parser, file, path);
            case START_ARRAY -> {
                List<Object> values = new ArrayList<>();
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    values.add(value(parser, file, path));
                }
                yield values;
            }
            case VALUE_NUMBER_INT ->
                parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER
                        ? parser.getBigIntegerValue()
                        : (Object) parser.getLongValue();
            case VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NULL -> ConfigFields.NULL;
            default -> parser.getText();
        };
    }

    private static UserError at(String file, JsonParser parser, String what, String maybe) {
        int line = parser.currentTokenLocation().getLineNr();
        return new UserError("%s, line %d: %s".formatted(file, line, what), maybe);
    }

    private static UserError broken(String file, JsonProcessingException e) {
        JsonLocation at = e.getLocation();
        String where =
                at == null ? file + ": " : "%s, line %d, column %d: ".formatted(file, at.getLineNr(), at.getColumnNr());
        String what = e.getOriginalMessage();
        if (e instanceof StreamConstraintsException) {
            return new UserError(
                    where + "a number is too long or brackets are nested too deeply: " + what,
                    "Maybe this is another file than config.json");
        }
        if (e instanceof JsonEOFException) {
            return new UserError(where + "the JSON ends too early", "Maybe the file was cut short: download it again");
        }
        if (what.startsWith("Duplicate")) {
            return new UserError(where + what, "Maybe one of the two is left over");
        }
        return new UserError(
                where + "this is not JSON: " + firstClause(what), "Maybe a comma or a quote is missing before it");
    }

    /** The parser's sentence without what it would have accepted and which of its features are off. */
    private static String firstClause(String what) {
        return what.replaceAll("(?s):? (was )?expecting .*|: maybe a .*|\\(.*feature.*", "")
                .strip();
    }
}
