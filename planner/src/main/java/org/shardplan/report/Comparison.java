package org.shardplan.report;

import java.util.ArrayList;
import java.util.List;
import org.shardplan.sim.Prediction;

/** What another plan loses against the best, in words. */
final class Comparison {
    private Comparison() {}

    /** {@code loses 0.21 s: +0.13 s exposed tp, +0.08 s bubble}; memory follows where it differs by 0.1 GiB or more. */
    static String sentence(Prediction best, Prediction other) {
        double loss = other.stepSeconds() - best.stepSeconds();
        String verb = loss > 0 ? "loses " : loss < 0 ? "gains " : "takes the same time";
        StringBuilder text = new StringBuilder(verb);
        if (loss != 0) {
            text.append(Figures.secondsOf(Math.abs(loss), best.stepSeconds()));
        }
        List<String> parts = parts(best, other);
        if (!parts.isEmpty()) {
            text.append(": ").append(String.join(", ", parts));
        }
        return text.append(memory(best, other)).toString();
    }

    /** {@code ; 3.0 GiB more; 8 fewer devices}; empty where neither differs. */
    static String memory(Prediction best, Prediction other) {
        StringBuilder text = new StringBuilder();
        double bytes = other.peakBytes() - (double) best.peakBytes();
        if (Math.abs(bytes) >= 0.1 * (1L << 30)) {
            text.append("; ").append(Figures.gib(Math.abs(bytes))).append(bytes > 0 ? " GiB more" : " GiB less");
        }
        if (other.devices() != best.devices()) {
            int more = other.devices() - best.devices();
            text.append("; ").append(Math.abs(more)).append(more > 0 ? " more devices" : " fewer devices");
        }
        return text.toString();
    }

    /** {@code -2.25 s: -14.0 s compute, +11.4 s exposed tp}: the whole difference, and what accounts for most of it either way. */
    static String cell(Prediction best, Prediction other) {
        double whole = other.stepSeconds() - best.stepSeconds();
        List<Share> difference = Share.difference(other.time(), best.time());
        List<String> parts = new ArrayList<>();
        for (Share share : List.of(difference.getFirst(), difference.getLast())) {
            if (Math.abs(share.seconds()) > best.stepSeconds() * 1e-3) {
                parts.add(signed(share.seconds(), best) + " " + share.label());
            }
        }
        String sum = whole == 0 ? "the same" : signed(whole, best);
        return parts.isEmpty() ? sum : sum + ": " + String.join(", ", parts);
    }

    private static String signed(double seconds, Prediction best) {
        return (seconds > 0 ? "+" : "-") + Figures.secondsOf(Math.abs(seconds), best.stepSeconds());
    }

    /** Shares whose change is at least a tenth of the largest change, losses first. */
    static List<String> parts(Prediction best, Prediction other) {
        List<Share> difference = Share.difference(other.time(), best.time());
        double largest = difference.stream()
                .mapToDouble(share -> Math.abs(share.seconds()))
                .filter(seconds -> !Double.isNaN(seconds))
                .max()
                .orElse(0);
        List<String> parts = new ArrayList<>();
        for (Share share : difference) {
            double size = Math.abs(share.seconds());
            if (size > best.stepSeconds() * 1e-6 && size >= largest / 10) {
                parts.add((share.seconds() > 0 ? "+" : "-") + Figures.secondsOf(size, best.stepSeconds()) + " "
                        + share.label());
            }
        }
        return parts;
    }
}
