package org.shardplan.report;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

/** Ways of writing JSON that all documents share. */
final class JsonText {
    private JsonText() {}

    /** Indented by two blanks, {@code "key": value}; UTF-8; closing it ends the text with a line break and leaves {@code out} open. */
    static JsonGenerator pretty(OutputStream out) throws IOException {
        JsonGenerator json = compact(out);
        DefaultPrettyPrinter printer = new DefaultPrettyPrinter(Separators.createDefaultInstance()
                        .withObjectFieldValueSpacing(Separators.Spacing.AFTER)
                        .withRootSeparator("\n"))
                .withObjectIndenter(new DefaultIndenter("  ", "\n"))
                .withArrayIndenter(new DefaultIndenter("  ", "\n"));
        return json.setPrettyPrinter(printer);
    }

    static JsonGenerator compact(OutputStream out) throws IOException {
        JsonGenerator json = new JsonFactory().createGenerator(new EndingInLineBreak(out));
        json.disable(JsonGenerator.Feature.FLUSH_PASSED_TO_STREAM);
        return json;
    }

    /** Null where it is not a number. */
    static void number(JsonGenerator json, String key, double value) throws IOException {
        json.writeFieldName(key);
        number(json, value);
    }

    static void number(JsonGenerator json, double value) throws IOException {
        if (Double.isFinite(value)) {
            json.writeNumber(value);
        } else {
            json.writeNull();
        }
    }

    static void numbers(JsonGenerator json, String key, double... values) throws IOException {
        json.writeArrayFieldStart(key);
        for (double value : values) {
            number(json, value);
        }
        json.writeEndArray();
    }

    static void strings(JsonGenerator json, String key, List<String> values) throws IOException {
        json.writeArrayFieldStart(key);
        for (String value : values) {
            json.writeString(value);
        }
        json.writeEndArray();
    }

    private static final class EndingInLineBreak extends java.io.FilterOutputStream {
        EndingInLineBreak(OutputStream out) {
            super(out);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            out.write(bytes, offset, length);
        }

        @Override
        public void close() throws IOException {
            out.write('\n');
            out.flush();
        }
    }
}
