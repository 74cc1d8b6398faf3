package org.shardplan.report;

import java.util.ArrayList;
import java.util.List;

/** Columns side by side, two blanks between; numbers to the right. */
final class TextTable {
    private final List<String> headings;
    private final List<List<String>> rows = new ArrayList<>();
    private final boolean[] right;
    private boolean lastBelow;

    /** A heading that starts with {@code >} is of a column set to the right. */
    TextTable(String... headings) {
        this.headings = new ArrayList<>();
        this.right = new boolean[headings.length];
        for (int i = 0; i < headings.length; i++) {
            right[i] = headings[i].startsWith(">");
            this.headings.add(right[i] ? headings[i].substring(1) : headings[i]);
        }
    }

    /** Where the last column is too wide for the screen, its cells stand whole on lines of their own, to be read and copied. */
    TextTable lastBelow() {
        lastBelow = true;
        return this;
    }

    void add(String... cells) {
        if (cells.length != right.length) {
            throw new IllegalArgumentException(cells.length + " cells for " + right.length + " columns");
        }
        rows.add(List.of(cells));
    }

    /** Lines, each after {@code indent}, without trailing blanks. */
    String print(String indent, Style style) {
        int[] widths = new int[right.length];
        for (int i = 0; i < widths.length; i++) {
            widths[i] = headings.get(i).length();
            for (List<String> row : rows) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        int last = widths.length - 1;
        int total = indent.length() + 2 * last;
        for (int width : widths) {
            total += width;
        }
        boolean below = lastBelow && last > 0 && total > style.width();
        int columns = below ? last : widths.length;
        StringBuilder text = new StringBuilder(indent)
                .append(style.paint(Style.Ink.FAINT, line(headings, widths, columns)))
                .append('\n');
        for (List<String> row : rows) {
            text.append(indent).append(line(row, widths, columns)).append('\n');
            if (below) {
                text.append(indent)
                        .append(" ".repeat(widths[0] + 2))
                        .append(row.get(last))
                        .append('\n');
            }
        }
        return text.toString();
    }

    private String line(List<String> cells, int[] widths, int columns) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < columns; i++) {
            String blanks = " ".repeat(widths[i] - cells.get(i).length());
            line.append(i == 0 ? "" : "  ")
                    .append(right[i] ? blanks : "")
                    .append(cells.get(i))
                    .append(right[i] ? "" : blanks);
        }
        return line.toString().stripTrailing();
    }
}
