package org.shardplan.report;

import java.util.List;
import org.shardplan.search.PlanOutcome;
import org.shardplan.search.PlanningResult;
import org.shardplan.sim.Prediction;

/** Why this plan: what the next best lose. The first plan of the result is explained, the rest are what it is held against. */
public final class ExplainReport {
    private ExplainReport() {}

    public static String print(PlanningResult result, Style style) {
        if (!(result.outcome() instanceof PlanOutcome.Found found)) {
            return TextReport.print(result, style);
        }
        Prediction best = found.best();
        List<Prediction> others = found.plans().subList(1, found.plans().size());
        StringBuilder text = new StringBuilder();
        text.append(Headline.print(result, best, style)).append('\n');
        text.append(TimeSection.print(best, style)).append('\n');
        text.append(style.paint(Style.Ink.TITLE, "Against others")).append('\n');
        if (others.isEmpty()) {
            text.append("  nothing to compare with: the search found one plan\n");
        }
        for (int i = 0; i < others.size(); i++) {
            text.append("  ").append(others.get(i).planText()).append('\n');
            text.append("    ").append(Comparison.sentence(best, others.get(i)));
            // the best is the first of those that can't be told apart
            text.append(i + 1 < result.search().withinComparisonError() ? " (within the error of a comparison)" : "")
                    .append('\n');
        }
        double idle = best.bubbleFraction();
        text.append('\n')
                .append(style.paint(Style.Ink.TITLE, "What holds this plan back"))
                .append('\n');
        Share largest = Share.of(best.time()).stream()
                .filter(share -> !share.key().equals("compute"))
                .max((a, b) -> Double.compare(a.seconds(), b.seconds()))
                .orElseThrow();
        text.append("  ")
                .append(largest.label())
                .append(", ")
                .append(Figures.seconds(largest.seconds()))
                .append(" of ")
                .append(Figures.seconds(best.stepSeconds()))
                .append("; ")
                .append(Figures.percent(idle))
                .append(" of the slowest rank's step is idle\n\n");
        return text.append(Notes.print(result, best, style)).toString();
    }
}
