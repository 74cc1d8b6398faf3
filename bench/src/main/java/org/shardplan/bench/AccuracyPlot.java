package org.shardplan.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.shardplan.report.Ledger;

/**
 * Predicted against measured steps, both axes logarithmic, a mark a run: colours that colour-blind readers tell apart (Okabe and
 * Ito), and a shape of its own for each round of them. The text is the same for the same points.
 */
final class AccuracyPlot {
    private static final int LEFT = 60;
    private static final int TOP = 20;
    private static final int SIZE = 560;
    private static final int LEGEND = 230;
    private static final double BAND = 0.20;
    private static final String[] COLOURS = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"
    };

    private final double low;
    private final double high;
    private final StringBuilder svg = new StringBuilder();

    private AccuracyPlot(List<Ledger.Point> points) {
        double least = Double.MAX_VALUE;
        double most = Double.MIN_VALUE;
        for (Ledger.Point point : points) {
            least = Math.min(least, Math.min(point.measuredSeconds(), point.predictedSeconds()));
            most = Math.max(most, Math.max(point.measuredSeconds(), point.predictedSeconds()));
        }
        low = Math.floor(Math.log10(least / 1.1));
        high = Math.ceil(Math.log10(most * 1.1));
    }

    /** The whole picture; empty axes where there are no points. */
    static String svg(List<Ledger.Point> points) {
        return points.isEmpty()
                ? "<svg xmlns=\"http://www.w3.org/2000/svg\"/>\n"
                : new AccuracyPlot(points).draw(points);
    }

    private String draw(List<Ledger.Point> points) {
        int width = LEFT + SIZE + LEGEND;
        int height = TOP + SIZE + 50;
        add(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
                        + "font-family=\"sans-serif\" font-size=\"12\">",
                width, height, width, height);
        add("<title>Predicted against measured steps, factors fitted on the other sources</title>");
        add("<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>", width, height);
        axes();
        Map<String, List<Ledger.Point>> sources = new LinkedHashMap<>();
        points.forEach(point ->
                sources.computeIfAbsent(point.source(), _ -> new ArrayList<>()).add(point));
        int index = 0;
        for (Map.Entry<String, List<Ledger.Point>> source : sources.entrySet()) {
            add("<g fill=\"none\" stroke=\"%s\" stroke-width=\"1.2\">", COLOURS[index % COLOURS.length]);
            for (Ledger.Point point : source.getValue()) {
                mark(index, x(point.measuredSeconds()), y(point.predictedSeconds()));
            }
            double line = TOP + 10 + 20.0 * index;
            mark(index, LEFT + SIZE + 20, line);
            add("</g>");
            add(
                    "<text x=\"%d\" y=\"%.1f\">%s (%d)</text>",
                    LEFT + SIZE + 32,
                    line + 4,
                    escaped(source.getKey()),
                    source.getValue().size());
            index++;
        }
        add("</svg>");
        return svg.toString();
    }

    private void axes() {
        double bottom = TOP + SIZE;
        double right = LEFT + SIZE;
        double first = Math.pow(10, low);
        double last = Math.pow(10, high);
        double above = Math.log10(1 + BAND) / (high - low) * SIZE;
        double below = -Math.log10(1 - BAND) / (high - low) * SIZE;
        add(
                "<polygon fill=\"#eeeeee\" points=\"%.1f,%.1f %.1f,%.1f %.1f,%.1f %.1f,%.1f %.1f,%.1f %.1f,%.1f\"/>",
                x(first),
                bottom,
                x(first),
                bottom - above,
                right - above,
                y(last),
                right,
                y(last),
                right,
                y(last) + below,
                x(first) + below,
                bottom);
        add(
                "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#555555\"/>",
                x(first), bottom, right, y(last));
        for (int power = (int) low; power <= high; power++) {
            double at = Math.pow(10, power);
            String label = power < 0
                    ? String.format(Locale.ROOT, "%." + -power + "f", at)
                    : String.format(Locale.ROOT, "%.0f", at);
            add("<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#dddddd\"/>", x(at), TOP, x(at), bottom);
            add("<line x1=\"%d\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#dddddd\"/>", LEFT, y(at), right, y(at));
            add("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>", x(at), bottom + 18, label);
            add("<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>", LEFT - 6, y(at) + 4, label);
        }
        add(
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">measured step, s (band: 20 %% either way)</text>",
                LEFT + SIZE / 2.0, bottom + 38);
        add(
                "<text transform=\"translate(16 %.1f) rotate(-90)\" text-anchor=\"middle\">predicted step, s, factors"
                        + " fitted on the other sources</text>",
                TOP + SIZE / 2.0);
    }

    /** Circle, square, diamond, one shape for each round of the colours. */
    private void mark(int index, double x, double y) {
        switch (index / COLOURS.length) {
            case 0 -> add("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>", x, y);
            case 1 -> add("<rect x=\"%.1f\" y=\"%.1f\" width=\"6\" height=\"6\"/>", x - 3, y - 3);
            default -> add("<path d=\"M%.1f %.1fl4 4l-4 4l-4-4z\"/>", x, y - 4);
        }
    }

    private double x(double seconds) {
        return LEFT + (Math.log10(seconds) - low) / (high - low) * SIZE;
    }

    private double y(double seconds) {
        return TOP + SIZE - (Math.log10(seconds) - low) / (high - low) * SIZE;
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;");
    }

    private void add(String format, Object... values) {
        svg.append(String.format(Locale.ROOT, format, values)).append('\n');
    }
}
