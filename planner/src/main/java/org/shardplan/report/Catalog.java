package org.shardplan.report;

import java.util.List;

/**
 * A list of things with names: models, clusters, methods, frameworks.
 *
 * @param kind plural, also the JSON key: {@code models}
 * @param columns keys of the cells, snake_case with the unit last where there is one: {@code parameters}, {@code memory_bytes}
 * @param rows a cell a column: a String, Long, Integer, Double or Boolean
 * @param notes lines under the table
 */
public record Catalog(String kind, List<String> columns, List<List<Object>> rows, List<String> notes) {
    public Catalog {
        columns = List.copyOf(columns);
        rows = List.copyOf(rows);
        notes = List.copyOf(notes);
        for (List<Object> row : rows) {
            if (row.size() != columns.size()) {
                throw new IllegalArgumentException(kind + ": " + row + " does not match the columns " + columns);
            }
        }
    }
}
