package org.shardplan.report;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

/** A catalog as a table or as JSON. */
public final class CatalogReport {
    private CatalogReport() {}

    /** A table under its headings, then the notes. */
    public static String print(Catalog catalog, Style style) {
        String[] headings = new String[catalog.columns().size()];
        for (int i = 0; i < headings.length; i++) {
            int column = i;
            boolean numbers = !catalog.rows().isEmpty()
                    && catalog.rows().stream().allMatch(row -> row.get(column) instanceof Number);
            headings[i] = (numbers ? ">" : "") + heading(catalog.columns().get(i));
        }
        TextTable table = new TextTable(headings);
        for (List<Object> row : catalog.rows()) {
            String[] cells = new String[headings.length];
            for (int i = 0; i < cells.length; i++) {
                cells[i] = cell(catalog.columns().get(i), row.get(i));
            }
            table.add(cells);
        }
        StringBuilder text = new StringBuilder(table.print("", style));
        catalog.notes().forEach(note -> text.append(note).append('\n'));
        return text.toString();
    }

    private static String heading(String column) {
        String text = column.replace("_bytes_per_second", " GB/s")
                .replace("_bytes", " GiB")
                .replace("_flops", " TFLOP/s");
        return text.replace('_', ' ');
    }

    private static String cell(String column, Object value) {
        return switch (value) {
            case Number number
            when column.endsWith("_bytes_per_second") -> Figures.significant(number.doubleValue() / 1e9);
            case Number number when column.endsWith("_bytes") -> Figures.gib(number.doubleValue());
            case Number number when column.endsWith("_flops") -> Figures.significant(number.doubleValue() / 1e12);
            case Number number when column.endsWith("parameters") -> Figures.parameters(number.longValue());
            case Double number -> Figures.significant(number);
            case Number number -> Figures.count(number.longValue());
            case Boolean flag -> flag ? "yes" : "no";
            default -> value.toString();
        };
    }

    /** {@code {"format": "shardplan.models/1", "models": [{…}, …]}}; leaves {@code out} open. */
    public static void write(Catalog catalog, OutputStream out) throws IOException {
        try (JsonGenerator json = JsonText.pretty(out)) {
            json.writeStartObject();
            json.writeStringField("format", "shardplan." + catalog.kind() + "/1");
            json.writeArrayFieldStart(catalog.kind());
            for (List<Object> row : catalog.rows()) {
                json.writeStartObject();
                for (int i = 0; i < row.size(); i++) {
                    json.writeFieldName(catalog.columns().get(i));
                    value(json, row.get(i));
                }
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeEndObject();
        }
    }

    private static void value(JsonGenerator json, Object value) throws IOException {
        switch (value) {
            case Double number -> JsonText.number(json, number);
            case Number number -> json.writeNumber(number.longValue());
            case Boolean flag -> json.writeBoolean(flag);
            default -> json.writeString(value.toString());
        }
    }
}
