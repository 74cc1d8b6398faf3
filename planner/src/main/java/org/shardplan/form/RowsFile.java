package org.shardplan.form;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.dataformat.csv.CsvMapper;
import com.fasterxml.jackson.dataformat.csv.CsvParser;
import com.fasterxml.jackson.dataformat.csv.CsvSchema;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.shardplan.units.UserError;

/**
 * Reads measured runs, ROWS.csv: comma-separated (or by semicolons or tabs, where the header has no comma) with a header, UTF-8
 * with or without a byte-order mark, quotes as in RFC 4180, any line ends. Unknown columns are ignored, and all columns that are not required may be absent: they count as blank.
 */
public final class RowsFile {
    private static final List<String> REQUIRED = List.of("id", "gpu", "gpus", "precision", "global_batch", "seq_len");
    private static final List<String> SHAPE = List.of("layers", "hidden", "heads", "vocab");

    /** Bytes that are looked at to tell a text from something else. */
    private static final int HEAD = 4096;

    private RowsFile() {}

    /**
     * All rows, in order. A cell that can't be read is a problem of its row, not of the file.
     *
     * @param catalogModel whether a model's name stands for layers, hidden, heads and vocab
     * @throws UserError when the file can't be read or a required column is missing
     */
    public static List<Row> read(Path file, Predicate<String> catalogModel) {
        try {
            String text = text(file);
            CsvSchema schema = CsvSchema.emptySchema().withColumnSeparator(separator(text));
            try (MappingIterator<String[]> lines = new CsvMapper()
                    .readerFor(String[].class)
                    .with(CsvParser.Feature.WRAP_AS_ARRAY)
                    .with(schema)
                    .readValues(text)) {
                return rows(file, lines, catalogModel);
            }
        } catch (JacksonException e) {
            String where =
                    e.getLocation() == null ? "" : " line " + e.getLocation().getLineNr();
            throw new UserError(
                    file + where + ": not a table of comma-separated values: " + e.getOriginalMessage(),
                    "Maybe a quote is not closed.");
        } catch (IOException e) {
            throw new UserError(
                    file + ": can't be read (" + reason(e) + ")", "Maybe the path of a ROWS.csv that exists.");
        }
    }

    private static String text(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        int head = Math.min(bytes.length, HEAD);
        for (int i = 0; i < head; i++) {
            if (bytes[i] >= 0 && bytes[i] < ' ' && "\t\r\n\f".indexOf(bytes[i]) < 0) {
                throw new UserError(
                        file + ": not a text in UTF-8 (byte " + (i + 1) + " is " + bytes[i] + ")",
                        "Maybe save the table as CSV, in UTF-8 and not compressed.");
            }
        }
        String text = new String(bytes, StandardCharsets.UTF_8);
        return text.startsWith("\uFEFF") ? text.substring(1) : text;
    }

    /** A comma, unless the header has none: spreadsheets of some languages write semicolons, and many tools tabs. */
    private static char separator(String text) {
        String header = text.lines().findFirst().orElse("");
        return header.indexOf(',') >= 0 ? ',' : header.indexOf(';') >= 0 ? ';' : header.indexOf('\t') >= 0 ? '\t' : ',';
    }

    private static String reason(IOException e) {
        return switch (e) {
            case java.nio.file.NoSuchFileException none -> "no such file";
            case java.nio.file.AccessDeniedException denied -> "no permission";
            default ->
                Files.isDirectory(Path.of(String.valueOf(e.getMessage())))
                        ? "a directory"
                        : String.valueOf(e.getMessage());
        };
    }

    private static List<Row> rows(Path file, MappingIterator<String[]> lines, Predicate<String> catalogModel)
            throws IOException {
        if (!lines.hasNextValue()) {
            throw new UserError(file + ": the file is empty", "Maybe a ROWS.csv whose first line names the columns.");
        }
        String[] header = lines.nextValue();
        Map<String, Integer> columns = columns(file, header);
        List<String> missing =
                REQUIRED.stream().filter(column -> !columns.containsKey(column)).toList();
        List<String> shape =
                SHAPE.stream().filter(column -> !columns.containsKey(column)).toList();
        require(file, missing, shape, columns.containsKey("model"));
        Map<String, String> pool = new HashMap<>();
        List<Row> rows = new ArrayList<>();
        while (lines.hasNextValue()) {
            int line = lines.getCurrentLocation().getLineNr();
            String[] cells = lines.nextValue();
            if (cells.length > 1 || !cells[0].isBlank()) {
                rows.add(new RowCells(columns, header.length, cells, pool).row(file.toString(), line));
            }
        }
        if (!shape.isEmpty() && rows.stream().noneMatch(row -> catalogModel.test(row.model()))) {
            require(file, missing, shape, false);
        }
        return rows;
    }

    private static Map<String, Integer> columns(Path file, String[] header) {
        Map<String, Integer> columns = new HashMap<>();
        for (int i = 0; i < header.length; i++) {
            String name = header[i].strip().toLowerCase(Locale.ROOT);
            if (!name.isEmpty() && columns.put(name, i) != null) {
                throw new UserError(
                        file + " line 1: the column " + name + " stands twice", "Maybe rename one of them.");
            }
        }
        return columns;
    }

    private static void require(Path file, List<String> missing, List<String> shape, boolean models) {
        List<String> all = Stream.concat(missing.stream(), models ? Stream.empty() : shape.stream())
                .toList();
        if (all.isEmpty()) {
            return;
        }
        throw new UserError(
                file + " line 1: required columns are missing: " + String.join(", ", all),
                shape.isEmpty() || models
                        ? "Maybe add them; the columns that must be there are " + String.join(", ", REQUIRED) + "."
                        : "Maybe add them, or name catalog models in a column model instead of layers, hidden, heads, vocab.");
    }
}
