package org.shardplan.report;

import java.util.List;
import java.util.TreeSet;
import org.shardplan.sim.Prediction;
import org.shardplan.sim.Prediction.StageUse;

/** Memory of one device of each pipeline rank against its capacity. */
final class MemorySection {
    private static final int MOST_ROWS = 10;

    private MemorySection() {}

    /** @param margin share of the capacity that is to stay free */
    static String print(Prediction plan, double margin, Style style) {
        StringBuilder text = new StringBuilder();
        text.append(style.paint(Style.Ink.TITLE, "Memory by stage"))
                .append(" (GiB; P parameters, G gradients, O optimizer, A activations, X other, ")
                .append(style.idle())
                .append(" reserved but unused)\n");
        List<StageUse> stages = plan.stages();
        int layoutWidth =
                stages.stream().mapToInt(s -> s.layout().length()).max().orElse(0);
        int barWidth = Math.max(10, style.width() - 40 - layoutWidth);
        int previous = -1;
        for (int stage : shown(stages)) {
            if (stage > previous + 1) {
                text.append("  %s %d more%n".formatted(style.ellipsis(), stage - previous - 1));
            }
            previous = stage;
            StageUse use = stages.get(stage);
            text.append(("  %3d  %-" + Math.max(1, layoutWidth) + "s |").formatted(stage, use.layout()))
                    .append(bar(use, plan.capacityBytes(), barWidth, style))
                    .append("| %5s allocated %5s reserved%n"
                            .formatted(Figures.gib(use.allocatedBytes()), Figures.gib(use.reservedBytes())));
        }
        double free = plan.capacityBytes() - (double) plan.peakBytes();
        double over = plan.peakBytes() - plan.capacityBytes() * (1 - margin);
        boolean fits = over <= 0;
        text.append("  worst stage %s with context and communication buffers, of %s: %s "
                .formatted(
                        Figures.gib(plan.peakBytes()),
                        Figures.gib(plan.capacityBytes()),
                        fits ? Figures.gib(free) + " free" : Figures.gib(over) + " over with the margin"));
        String verdict = fits ? "fits" : free >= 0 ? "too near the limit" : "does not fit";
        text.append("(")
                .append(style.paint(fits ? Style.Ink.GOOD : Style.Ink.BAD, verdict))
                .append(", margin ")
                .append(Figures.percent(margin))
                .append(")\n");
        return text.toString();
    }

    /** All stages, or the first, the last and the worst ones. */
    private static Iterable<Integer> shown(List<StageUse> stages) {
        TreeSet<Integer> shown = new TreeSet<>();
        int worst = worst(stages);
        for (int i = 0; i < stages.size(); i++) {
            if (stages.size() <= MOST_ROWS || i < 3 || i >= stages.size() - 3 || i == worst) {
                shown.add(i);
            }
        }
        return shown;
    }

    /** The stage that reserves most, the first of equal ones; -1 = no stages. */
    static int worst(List<StageUse> stages) {
        int worst = -1;
        for (int i = 0; i < stages.size(); i++) {
            if (worst < 0 || stages.get(i).reservedBytes() > stages.get(worst).reservedBytes()) {
                worst = i;
            }
        }
        return worst;
    }

    private static String bar(StageUse use, long capacityBytes, int width, Style style) {
        String letters = "PGOAX" + style.idle();
        Style.Ink[] inks = {
            Style.Ink.FORWARD, Style.Ink.BACKWARD, Style.Ink.WEIGHT, Style.Ink.OTHER, Style.Ink.FAINT, Style.Ink.FAINT
        };
        long[] parts = {
            use.parametersBytes(),
            use.gradientsBytes(),
            use.optimizerBytes(),
            use.activationsBytes(),
            use.otherBytes(),
            Math.max(0, use.reservedBytes() - use.allocatedBytes())
        };
        StringBuilder bar = new StringBuilder();
        double bytes = 0;
        int drawn = 0;
        for (int i = 0; i < parts.length; i++) {
            bytes += parts[i];
            int end = capacityBytes <= 0 ? 0 : Math.clamp(Math.round(width * bytes / capacityBytes), 0, width);
            bar.append(style.paint(inks[i], String.valueOf(letters.charAt(i)).repeat(Math.max(0, end - drawn))));
            drawn = Math.max(drawn, end);
        }
        return bar.append(" ".repeat(width - drawn)).toString();
    }
}
