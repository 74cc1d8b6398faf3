package org.shardplan.report;

import org.shardplan.sim.Prediction;

/** Where the step goes: a line and a bar a share. */
final class TimeSection {
    private TimeSection() {}

    static String print(Prediction plan, Style style) {
        StringBuilder text = new StringBuilder();
        text.append(style.paint(Style.Ink.TITLE, "Where the step goes")).append(" (slowest rank)\n");
        int barWidth = Math.max(10, style.width() - 42);
        for (Share share : Share.of(plan.time())) {
            if (share.seconds() == 0) {
                continue;
            }
            double fraction = share.seconds() / plan.stepSeconds();
            String line = "  %-16s %10s %8s  "
                    .formatted(
                            share.label(),
                            Figures.secondsOf(share.seconds(), plan.stepSeconds()),
                            Figures.percent(fraction));
            int cells = Double.isNaN(fraction) ? 0 : (int) Math.round(barWidth * Math.clamp(fraction, 0, 1));
            text.append((line + style.paint(ink(share), style.bar().repeat(cells))).stripTrailing())
                    .append('\n');
        }
        return text.toString();
    }

    private static Style.Ink ink(Share share) {
        return switch (share.key()) {
            case "compute" -> Style.Ink.FORWARD;
            case "bubble" -> Style.Ink.FAINT;
            case "optimizer", "host" -> Style.Ink.WEIGHT;
            default -> Style.Ink.OTHER;
        };
    }
}
