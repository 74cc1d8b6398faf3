package org.shardplan.form;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/** The cells of one line by their columns; keeps the first that can't be read. */
final class RowCells {
    private static final Pattern WHOLE = Pattern.compile("\\d{1,15}(\\.0+)?");
    private static final Pattern THOUSANDS = Pattern.compile("\\d{1,3}(,\\d{3}){1,4}(\\.\\d+)?");

    private final Map<String, Integer> columns;
    private final int width;
    private final String[] cells;
    private final Map<String, String> pool;
    private Optional<String> problem = Optional.empty();

    /**
     * @param columns index by name
     * @param width cells of the header
     * @param pool texts that rows share, so that a long file does not hold each of them many times
     */
    RowCells(Map<String, Integer> columns, int width, String[] cells, Map<String, String> pool) {
        this.columns = columns;
        this.width = width;
        this.cells = cells;
        this.pool = pool;
    }

    Row row(String file, int line) {
        if (cells.length > width) {
            report("the line has " + cells.length + " cells, and the header " + width);
        }
        Row.Shape shape = shape();
        Row.Machine machine = machine();
        Row.Degrees degrees = degrees();
        Row.Software software = software();
        Row.Measured measured = new Row.Measured(
                word("outcome"), number("step_seconds"), word("step_from"), number("memory_gib"), word("provenance"));
        return new Row(
                file,
                line,
                text("id"),
                text("source"),
                whole("year"),
                word("task"),
                text("model"),
                shape,
                machine,
                degrees,
                software,
                measured,
                text("notes"),
                problem);
    }

    private Row.Shape shape() {
        return new Row.Shape(
                word("arch"),
                whole("layers"),
                whole("hidden"),
                whole("ffn_hidden"),
                word("gated_mlp"),
                whole("heads"),
                whole("kv_heads"),
                whole("vocab"),
                whole("seq_len"),
                whole("experts"),
                whole("topk"),
                whole("moe_ffn_hidden"),
                whole("mtp_layers"),
                text("attention_window"));
    }

    private Row.Machine machine() {
        return new Row.Machine(
                word("gpu"),
                whole("gpus"),
                whole("gpus_per_node"),
                text("interconnect"),
                word("cluster"),
                word("precision"));
    }

    private Row.Degrees degrees() {
        return new Row.Degrees(
                whole("tp"),
                whole("pp"),
                whole("vpp"),
                whole("dp"),
                whole("cp"),
                whole("ep"),
                whole("etp"),
                word("sequence_parallel"),
                whole("zero_stage"),
                whole("micro_batch"),
                whole("global_batch"),
                whole("first_stage_layers"),
                whole("last_stage_layers"),
                text("vocab_in_pipeline"));
    }

    private Row.Software software() {
        return new Row.Software(
                text("framework"),
                word("framework_family"),
                text("framework_release"),
                word("recompute"),
                text("recompute_layers"),
                text("recompute_modules"),
                text("recompute_note"),
                word("compile"),
                word("attention"),
                word("schedule"),
                word("grad_dtype"),
                text("offload"),
                new Row.Switches(word("cuda_graph"), word("moe_dispatcher"), word("ep_overlap"), word("tp_overlap")));
    }

    /** The cell as it stands, blank where there is none. */
    private String text(String column) {
        Integer index = columns.get(column);
        if (index == null || index >= cells.length) {
            return "";
        }
        String text = cells[index].strip();
        String known = pool.putIfAbsent(text, text);
        return known == null ? text : known;
    }

    private String word(String column) {
        String text = text(column);
        String lower = text.toLowerCase(Locale.ROOT);
        return lower.equals(text) ? text : lower;
    }

    private OptionalLong whole(String column) {
        String text = text(column);
        if (text.isEmpty()) {
            return OptionalLong.empty();
        }
        String plain = THOUSANDS.matcher(text).matches() ? text.replace(",", "") : text;
        if (!WHOLE.matcher(plain).matches()) {
            report(column + " is \"" + shortened(text) + "\", not a whole number");
            return OptionalLong.empty();
        }
        int point = plain.indexOf('.');
        return OptionalLong.of(Long.parseLong(point < 0 ? plain : plain.substring(0, point)));
    }

    private double number(String column) {
        String text = text(column);
        if (text.isEmpty()) {
            return Double.NaN;
        }
        try {
            double value = Double.parseDouble(THOUSANDS.matcher(text).matches() ? text.replace(",", "") : text);
            if (value > 0 && value < 1e12) {
                return value;
            }
        } catch (NumberFormatException e) {
            // reported below, like NaN, 0 and infinity
        }
        report(column + " is \"" + shortened(text) + "\", not a positive number");
        return Double.NaN;
    }

    private static String shortened(String text) {
        return text.length() <= 40 ? text : text.substring(0, 40) + "...";
    }

    private void report(String what) {
        if (problem.isEmpty()) {
            problem = Optional.of(what);
        }
    }
}
