package org.shardplan.form;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.shardplan.plan.ScheduleKind;
import org.shardplan.plan.ScheduleTable;
import org.shardplan.plan.ScheduleTable.Entry;
import org.shardplan.units.UserError;

/**
 * A pipeline schedule slot by slot ({@code shardplan.schedule/1}): the rank of each chunk, and for each rank its slots in order, as words:
 * {@code F3} is the forward slot of micro-batch 3, {@code B3@1} the backward slot of chunk 1, {@code W3@1} its weight gradients,
 * {@code F4@0+B2@1} two that run beside each other.
 */
public final class ScheduleFile {
    public static final String FORMAT = "shardplan.schedule";

    private static final int MOST = 1 << 20;
    private static final Pattern SLOT = Pattern.compile("([FBW])(\\d{1,7})(?:@(\\d{1,6}))?");

    private ScheduleFile() {}

    /**
     * Reads a file as the schedule of a plan that names it.
     *
     * @throws UserError with file, line, field and value; where a micro-batch is lost or doubled, an order is not legal, or ranks wait for
     *     each other in a circle
     */
    public static ScheduleKind read(String name) {
        Fields fields = Fields.file(YamlTree.text(Path.of(name)), name, FORMAT);
        ScheduleTable table = table(fields);
        fields.done();
        return table.kind(name);
    }

    /** Of a mapping in this or another file. */
    static ScheduleTable table(Fields of) {
        int batches = of.count("micro-batches", 1, MOST);
        List<Integer> chunks = of.counts("chunks", 0, MOST);
        int copies = of.countOr("copies", 1, 2, 1);
        List<String> rows = of.texts("ranks");
        if (chunks.isEmpty() || chunks.size() % (rows.size() * copies) != 0) {
            throw of.error(
                    "chunks",
                    chunks.size() + " chunks for " + rows.size() + " ranks and copies: " + copies,
                    "Maybe as many chunks of each copy as there are ranks, or a multiple.");
        }
        for (int chunk : chunks) {
            if (chunk >= rows.size()) {
                throw of.error("chunks", "rank " + chunk + ", and there are " + rows.size(), "Maybe count from 0.");
            }
        }
        List<List<Entry>> orders = new ArrayList<>();
        for (int rank = 0; rank < rows.size(); rank++) {
            orders.add(order(of, rank, rows.get(rank), chunks));
        }
        int[] ranks = chunks.stream().mapToInt(Integer::intValue).toArray();
        ScheduleTable table = new ScheduleTable(ranks, copies, batches, orders);
        table.mistake().ifPresent(mistake -> {
            throw of.error(
                    "ranks",
                    mistake,
                    mistake.startsWith("the schedule waits")
                            ? "Maybe one of these slots should come later in its rank's order."
                            : "Maybe a slot is missing, or one too many.");
        });
        return table;
    }

    private static List<Entry> order(Fields of, int rank, String row, List<Integer> chunks) {
        List<Entry> order = new ArrayList<>();
        for (String word : row.strip().split("\\s+")) {
            String[] slots = word.split("\\+", -1);
            for (int i = 0; i < slots.length; i++) {
                order.add(entry(of, rank, slots[i], i + 1 < slots.length, chunks));
            }
        }
        return order;
    }

    private static Entry entry(Fields of, int rank, String word, boolean beside, List<Integer> chunks) {
        Matcher slot = SLOT.matcher(word);
        if (!slot.matches()) {
            throw of.error(
                    "ranks",
                    "rank " + rank + ": \"" + word + "\" is no slot",
                    "Maybe F0, B0 or W0 with a micro-batch's number, and F0@1 for chunk 1.");
        }
        int chunk = chunks.indexOf(rank);
        if (slot.group(3) != null) {
            chunk = Integer.parseInt(slot.group(3));
        } else if (chunk < 0 || chunk != chunks.lastIndexOf(rank)) {
            throw of.error(
                    "ranks",
                    "rank " + rank + ": \"" + word + "\" names no chunk, and the rank has "
                            + chunks.stream().filter(other -> other == rank).count(),
                    "Maybe " + word + "@" + Math.max(0, chunk) + ".");
        }
        return new Entry(slot.group(1).charAt(0), chunk, Integer.parseInt(slot.group(2)), beside);
    }

    /** The words of a rank's order. */
    static String words(List<Entry> order) {
        StringBuilder words = new StringBuilder();
        boolean beside = true;
        for (Entry entry : order) {
            words.append(words.isEmpty() ? "" : beside ? "+" : " ").append(entry);
            beside = entry.beside();
        }
        return words.toString();
    }
}
