package org.shardplan.report;

import java.util.ArrayList;
import java.util.List;
import org.shardplan.plan.PlanText;
import org.shardplan.plan.Shorthand;
import org.shardplan.search.PlanOutcome;
import org.shardplan.search.PlanningResult;
import org.shardplan.sim.Prediction;

/** Why this plan: what the next best lose, and what each single change would do. */
public final class ExplainReport {
    private final Explanation explanation;
    private final Prediction plan;
    private final List<Prediction> others;
    private final Style style;

    private ExplainReport(Explanation explanation, PlanOutcome.Found found, Style style) {
        this.explanation = explanation;
        this.plan = found.best();
        this.others = found.plans().subList(1, found.plans().size());
        this.style = style;
    }

    public static String print(Explanation explanation, Style style) {
        PlanningResult result = explanation.result();
        if (!(result.outcome() instanceof PlanOutcome.Found found)) {
            return TextReport.print(result, style);
        }
        return new ExplainReport(explanation, found, style).print();
    }

    private String print() {
        PlanningResult result = explanation.result();
        StringBuilder text = new StringBuilder();
        text.append(Headline.subject(result.subject(), style))
                .append(Headline.plan("Plan", plan, style))
                .append('\n');
        text.append(TimeSection.print(plan, style)).append('\n');
        text.append(holdsBack()).append('\n');
        text.append(neighbours()).append('\n');
        text.append(against()).append('\n');
        text.append(TextReport.search(result, style));
        return text.append(Notes.print(result, plan, style)).toString();
    }

    private String holdsBack() {
        Share largest = Share.of(plan.time()).stream()
                .filter(share -> !share.key().equals("compute"))
                .max((a, b) -> Double.compare(a.seconds(), b.seconds()))
                .orElseThrow();
        return style.paint(Style.Ink.TITLE, "What holds this plan back")
                + "\n  %s, %s of %s; the slowest rank idles %s of the step%n"
                        .formatted(
                                largest.label(),
                                Figures.seconds(largest.seconds()),
                                Figures.seconds(plan.stepSeconds()),
                                Figures.percent(plan.bubbleFraction()));
    }

    private String neighbours() {
        String title = style.paint(Style.Ink.TITLE, "One change at a time") + " (the old value in parentheses)\n";
        if (explanation.neighbours().isEmpty()) {
            return title + "  no single change is legal\n";
        }
        TextTable table = new TextTable("change", ">step", ">GiB", "what it does").lastBelow();
        for (Explanation.Neighbour neighbour : explanation.neighbours()) {
            Prediction other = neighbour.prediction();
            if (other.stepSeconds() == plan.stepSeconds() && other.peakBytes() == plan.peakBytes()) {
                continue; // it changes nothing here
            }
            table.add(
                    neighbour.change(),
                    Figures.secondsOf(other.stepSeconds(), plan.stepSeconds()),
                    Figures.gib(other.peakBytes()),
                    effect(other));
        }
        return title + table.print("  ", style);
    }

    private String effect(Prediction other) {
        long over = other.peakBytes() - explanation.usableBytes();
        if (over > 0) {
            return "does not fit: " + Figures.gib(over) + " GiB over";
        }
        List<String> parts = Comparison.parts(plan, other);
        double difference = Math.abs(other.stepSeconds() - plan.stepSeconds());
        if (difference <= explanation.comparisonError() * plan.stepSeconds()) {
            return "about the same" + (parts.isEmpty() ? "" : ": " + String.join(", ", parts))
                    + Comparison.memory(plan, other);
        }
        return Comparison.sentence(plan, other);
    }

    private String against() {
        boolean given = explanation.result().search().method().equals("given");
        StringBuilder text = new StringBuilder(style.paint(
                Style.Ink.TITLE, given ? "Against the plans that were given" : "Against the best of a new search"));
        text.append('\n');
        if (others.isEmpty()) {
            text.append("  nothing to compare with: the search found no other plan\n");
        }
        for (Prediction other : others) {
            text.append("  ").append(other.planText()).append('\n');
            text.append(Notes.wrapped(changes(other), "    ", style.width()));
            text.append(Notes.wrapped(effect(other), "    ", style.width()));
        }
        double fastest = others.stream()
                .filter(other -> other.peakBytes() <= explanation.usableBytes())
                .mapToDouble(Prediction::stepSeconds)
                .min()
                .orElse(Double.POSITIVE_INFINITY);
        if (plan.stepSeconds() > fastest * (1 + explanation.comparisonError())) {
            text.append("  This plan is not the best: %s a step is possible.%n".formatted(Figures.seconds(fastest)));
        }
        return text.toString();
    }

    /** {@code pp=16 (8), dp=8 (16)}: the keys that differ. */
    private String changes(Prediction other) {
        List<String> theirs = keys(other.plan());
        List<String> ours = keys(plan.plan());
        List<String> changes = new ArrayList<>();
        for (int i = 0; i < theirs.size(); i++) {
            if (!theirs.get(i).equals(ours.get(i))) {
                String old = ours.get(i);
                changes.add(theirs.get(i) + " (" + old.substring(old.indexOf('=') + 1) + ")");
            }
        }
        return changes.isEmpty() ? "the same choices" : "has " + String.join(", ", changes);
    }

    private static List<String> keys(Shorthand plan) {
        List<String> keys = new ArrayList<>(List.of(
                "tp=" + plan.tp(),
                "pp=" + plan.pp(),
                "vpp=" + plan.vpp(),
                "dp=" + plan.dp(),
                "cp=" + plan.cp(),
                "cp-type=" + plan.context().type().text(),
                "replicas=" + plan.replicas(),
                "mb=" + plan.microBatch(),
                "sp=" + (plan.sequenceParallel() ? "on" : "off"),
                "zero=" + plan.zero(),
                "schedule=" + plan.schedule().text(),
                "order=" + plan.order().text()));
        String text = PlanText.print(plan);
        keys.add("recompute=" + value(text, "recompute=", "none"));
        keys.add("layout=" + (plan.layout().isEmpty() ? "even" : value(text, "layout=", "even")));
        return keys;
    }

    /** What stands behind a key in a short form; layouts hold no commas when printed. */
    private static String value(String text, String key, String otherwise) {
        int at = text.indexOf("," + key);
        if (at < 0) {
            return otherwise;
        }
        int from = at + 1 + key.length();
        int end = text.indexOf(',', from);
        return text.substring(from, end < 0 ? text.length() : end);
    }
}
