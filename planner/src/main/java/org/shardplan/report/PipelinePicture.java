package org.shardplan.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.shardplan.sim.Timeline;
import org.shardplan.sim.Timeline.Event;
import org.shardplan.sim.Timeline.Kind;
import org.shardplan.sim.Timeline.Stream;

/**
 * The field's common picture: a row a pipeline rank, cells to scale, numbered by micro-batch; idle time is dotted. What is
 * too long for the screen is cut in the middle, and so are rows past 16.
 *
 * <p>{@code F0--F1--B0------F2--...}: F forward, B backward, W weight gradients, letters of every other chunk of a rank in
 * lower case; R gradient reduction, O optimizer, H host.
 */
final class PipelinePicture {
    private static final int MOST_ROWS = 16;

    private final Timeline timeline;
    private final Style style;
    private final int width;

    private PipelinePicture(Timeline timeline, Style style) {
        this.timeline = timeline;
        this.style = style;
        this.width = Math.max(20, style.width() - 8);
    }

    static String print(Timeline timeline, Style style) {
        return new PipelinePicture(timeline, style).print();
    }

    private String print() {
        StringBuilder text = new StringBuilder(style.paint(Style.Ink.TITLE, "Pipeline"))
                .append(" (a row a rank; F0, B0: forward, backward of micro-batch 0; ")
                .append(weights() ? "W weight gradients, " : "")
                .append("R reduce, O optimizer, ")
                .append(hosted() ? "H host, " : "")
                .append(style.idle())
                .append(" idle)\n")
                .append(chunks() ? "  (lower case: every other chunk of a rank)\n" : "");
        double fits = timeline.makespanNanos() / (double) width;
        double legible = legibleNanosPerCell();
        boolean cut = legible < fits;
        double scale = cut ? Math.max(legible, Math.min(2 * legible, fillNanos() * 2.4 / width)) : fits;
        for (int rank = 0; rank < timeline.ranks(); rank++) {
            if (timeline.ranks() > MOST_ROWS && rank == MOST_ROWS / 2) {
                int left = timeline.ranks() - MOST_ROWS + 1;
                text.append("  %s %d more ranks%n".formatted(style.ellipsis(), left));
                rank += left;
            }
            text.append("  %3d  ".formatted(rank)).append(row(rank, scale, cut)).append('\n');
        }
        return text.append(axis(cut, scale)).toString();
    }

    /** Whether some rank runs more than one stage. */
    private boolean chunks() {
        return timeline.events().stream().anyMatch(event -> event.stage() >= timeline.ranks());
    }

    private boolean weights() {
        return timeline.events().stream().anyMatch(event -> event.kind() == Kind.WEIGHT);
    }

    private boolean hosted() {
        return timeline.events().stream().anyMatch(event -> event.kind() == Kind.HOST && drawn(event));
    }

    /** At this scale the shortest usual forward cell holds its label. */
    private double legibleNanosPerCell() {
        long[] forward = timeline.events().stream()
                .filter(event -> event.kind() == Kind.FORWARD && event.endNanos() > event.startNanos())
                .mapToLong(event -> event.endNanos() - event.startNanos())
                .sorted()
                .toArray();
        if (forward.length == 0) {
            return Double.POSITIVE_INFINITY;
        }
        int label = 1
                + String.valueOf(timeline.events().stream()
                                .mapToInt(Event::microBatch)
                                .max()
                                .orElse(0))
                        .length();
        return forward[forward.length / 4] / (double) label;
    }

    /** Until the last rank has started. */
    private long fillNanos() {
        return timeline.events().stream()
                .filter(event -> event.rank() == timeline.ranks() - 1 && event.kind() == Kind.FORWARD)
                .mapToLong(Event::startNanos)
                .min()
                .orElse(0);
    }

    private String row(int rank, double scale, boolean cut) {
        List<Event> events = new ArrayList<>();
        for (Event event : timeline.events()) {
            if (event.rank() == rank && drawn(event)) {
                events.add(event);
            }
        }
        if (!cut) {
            return window(events, 0, scale, width);
        }
        int left = (width - 3) / 2;
        int right = width - 3 - left;
        double tail = timeline.makespanNanos() - right * scale;
        return window(events, 0, scale, left) + " " + style.ellipsis() + " " + window(events, tail, scale, right);
    }

    private static boolean drawn(Event event) {
        return event.kind() != Kind.SEND && (event.stream() == Stream.COMPUTE || event.kind() == Kind.GRADIENT_REDUCE);
    }

    /** {@code cells} columns from {@code start} on; compute covers reductions that run beside it. */
    private String window(List<Event> events, double start, double scale, int cells) {
        char[] text = new char[cells];
        Style.Ink[] inks = new Style.Ink[cells];
        Arrays.fill(text, style.idle());
        Arrays.fill(inks, Style.Ink.FAINT);
        for (boolean compute : new boolean[] {false, true}) {
            for (Event event : events) {
                if ((event.stream() == Stream.COMPUTE) == compute) {
                    draw(event, start, scale, text, inks);
                }
            }
        }
        StringBuilder row = new StringBuilder();
        for (int i = 0, end; i < cells; i = end) {
            for (end = i + 1; end < cells && inks[end] == inks[i]; end++) {}
            row.append(style.paint(inks[i], new String(text, i, end - i)));
        }
        return row.toString();
    }

    private void draw(Event event, double start, double scale, char[] text, Style.Ink[] inks) {
        int from = Math.clamp(Math.round((event.startNanos() - start) / scale), -1, text.length);
        int to = Math.clamp(Math.round((event.endNanos() - start) / scale), -1, text.length);
        boolean begins = event.startNanos() >= start;
        String label = label(event);
        for (int i = Math.max(0, from); i < to; i++) {
            int at = i - from;
            boolean whole = begins && label.length() <= to - from;
            text[i] =
                    whole && at < label.length() ? label.charAt(at) : at == 0 && begins ? label.charAt(0) : style.run();
            inks[i] = ink(event.kind());
        }
    }

    private String label(Event event) {
        String number = event.microBatch() < 0 ? "" : String.valueOf(event.microBatch());
        String letter = switch (event.kind()) {
            case FORWARD -> "F";
            case BACKWARD -> "B";
            case WEIGHT -> "W";
            case SEND -> "S";
            case GRADIENT_REDUCE -> "R";
            case OPTIMIZER -> "O";
            case HOST -> "H";
        };
        boolean oddChunk = event.stage() >= 0 && timeline.ranks() > 0 && event.stage() / timeline.ranks() % 2 == 1;
        return (oddChunk ? letter.toLowerCase(java.util.Locale.ROOT) : letter) + number;
    }

    private static Style.Ink ink(Kind kind) {
        return switch (kind) {
            case FORWARD -> Style.Ink.FORWARD;
            case BACKWARD -> Style.Ink.BACKWARD;
            case WEIGHT, OPTIMIZER, HOST -> Style.Ink.WEIGHT;
            case SEND, GRADIENT_REDUCE -> Style.Ink.OTHER;
        };
    }

    private String axis(boolean cut, double scale) {
        String end = Figures.seconds(timeline.makespanNanos() * 1e-9);
        String middle =
                cut ? "%s at each end".formatted(Figures.seconds((width - 3) * 0.5 * scale * 1e-9)) : "to scale";
        int room = width - 3 - end.length() - middle.length();
        int left = Math.max(1, room / 2);
        return "       0 s" + " ".repeat(left) + middle + " ".repeat(Math.max(1, room - left)) + end + "\n";
    }
}
