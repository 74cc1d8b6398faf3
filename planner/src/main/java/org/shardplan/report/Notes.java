package org.shardplan.report;

import java.util.ArrayList;
import java.util.List;
import org.shardplan.search.PlanningResult;
import org.shardplan.search.PlanningSubject;
import org.shardplan.sim.Prediction;

/** Assumptions and conventions under a report. */
final class Notes {
    private Notes() {}

    static String print(PlanningResult result, Prediction plan, Style style) {
        PlanningSubject subject = result.subject();
        List<String> lines = new ArrayList<>(subject.notes());
        lines.add("cluster " + subject.cluster() + ": " + subject.clusterText());
        lines.add("framework " + subject.framework() + ": " + subject.frameworkTitle());
        lines.add("mesh " + plan.mesh() + ", outermost first; " + Figures.count(plan.microBatches())
                + (plan.microBatches() == 1 ? " micro-batch" : " micro-batches") + " a step; scored by "
                + plan.evaluator());
        lines.add("interval: 90 %, " + plan.intervalNote());
        lines.add(
                "MFU %s counts model FLOPs with attention in full; %s with causal attention at what the mask leaves; HFU %s counts recomputation"
                        .formatted(
                                Figures.percent(plan.mfu()),
                                Figures.percent(plan.mfuCausal()),
                                Figures.percent(plan.hfu())));
        lines.add("%s; calibration %s; seed %d".formatted(subject.tool(), subject.calibration(), subject.seed()));
        StringBuilder text = new StringBuilder(style.paint(Style.Ink.TITLE, "Notes")).append('\n');
        for (String line : lines) {
            text.append(wrapped(line, style.width()));
        }
        return text.toString();
    }

    /** Two blanks and a dash before the first line, blanks before the others. */
    static String wrapped(String line, int width) {
        return wrapped(line, "  - ", width);
    }

    /** {@code lead} before the first line, as many blanks before the others; a long word is never cut. */
    static String wrapped(String line, String lead, int width) {
        StringBuilder text = new StringBuilder();
        StringBuilder row = new StringBuilder(lead);
        for (String word : line.strip().split("\\s+", -1)) {
            if (row.length() > lead.length()) {
                if (row.length() + 1 + word.length() > width) {
                    text.append(row).append('\n');
                    row = new StringBuilder(" ".repeat(lead.length()));
                } else {
                    row.append(' ');
                }
            }
            row.append(word);
        }
        return text.append(row).append('\n').toString();
    }
}
