package org.shardplan.report;

import java.util.List;
import org.shardplan.search.ParetoPoint;
import org.shardplan.search.PlanOutcome;
import org.shardplan.search.PlanningResult;
import org.shardplan.search.SearchStatistics;
import org.shardplan.sim.Prediction;

/** The report of plan and simulate for people. */
public final class TextReport {
    private static final int MOST_POINTS = 8;

    private TextReport() {}

    /** The whole report, ends with a line break. */
    public static String print(PlanningResult result, Style style) {
        return switch (result.outcome()) {
            case PlanOutcome.Found found -> found(result, found, style);
            case PlanOutcome.NothingFits no -> nothingFits(result, no, style);
            case PlanOutcome.NoneWithin no -> noneWithin(result, no, style);
        };
    }

    private static String found(PlanningResult result, PlanOutcome.Found found, Style style) {
        Prediction best = found.best();
        StringBuilder text = new StringBuilder(Headline.print(result, best, style));
        text.append(preferred(result, found.plans(), style)).append('\n');
        text.append(TimeSection.print(best, style)).append('\n');
        text.append(MemorySection.print(best, result.subject().memoryMargin(), style))
                .append('\n');
        result.campaign()
                .ifPresent(campaign -> text.append(TrainingSection.print(campaign, best, style))
                        .append('\n'));
        result.timeline()
                .filter(timeline -> !timeline.events().isEmpty())
                .ifPresent(timeline ->
                        text.append(PipelinePicture.print(timeline, style)).append('\n'));
        if (found.plans().size() > 1) {
            text.append(plans(result, found.plans(), style)).append('\n');
        }
        if (found.front().size() > 1) {
            text.append(front(found.front(), style)).append('\n');
        }
        text.append(search(result, style));
        return text.append(Notes.print(result, best, style)).toString();
    }

    private static String nothingFits(PlanningResult result, PlanOutcome.NothingFits no, Style style) {
        boolean given = result.search().method().equals("given");
        StringBuilder text = new StringBuilder(Headline.subject(result.subject(), style)).append('\n');
        text.append(style.paint(Style.Ink.BAD, given ? "The plan does not fit" : "Nothing fits"))
                .append(given ? "" : "; the nearest miss is")
                .append(":\n  ")
                .append(no.nearest().planText())
                .append("%n  stage %d needs %s GiB, and a plan may take %s GiB: %s GiB over%n"
                        .formatted(
                                no.stage(),
                                Figures.gib(no.needBytes()),
                                Figures.gib(no.haveBytes()),
                                Figures.gib(no.needBytes() - (double) no.haveBytes())));
        return nearMiss(result, no.nearest(), no.nearestChange(), text, style);
    }

    private static String noneWithin(PlanningResult result, PlanOutcome.NoneWithin no, Style style) {
        StringBuilder text = new StringBuilder(Headline.subject(result.subject(), style)).append('\n');
        text.append(style.paint(Style.Ink.BAD, "No plan keeps within " + no.limit()))
                .append("; the nearest is:\n  ")
                .append(no.nearest().planText())
                .append("\n  it takes ")
                .append(no.reached())
                .append('\n');
        return nearMiss(result, no.nearest(), no.nearestChange(), text, style);
    }

    private static String nearMiss(
            PlanningResult result, Prediction nearest, String change, StringBuilder text, Style style) {
        if (!change.isEmpty()) {
            text.append(change).append('\n');
        }
        text.append('\n')
                .append(MemorySection.print(nearest, result.subject().memoryMargin(), style))
                .append('\n');
        text.append(search(result, style));
        return text.append(Notes.print(result, nearest, style)).toString();
    }

    private static String plans(PlanningResult result, List<Prediction> plans, Style style) {
        Prediction best = plans.getFirst();
        TextTable table = new TextTable(
                        ">#", ">step", ">" + style.plusMinus(), ">GiB", ">MFU", ">bubble", "against 1", "plan")
                .lastBelow();
        for (int i = 0; i < plans.size(); i++) {
            Prediction plan = plans.get(i);
            table.add(
                    String.valueOf(i + 1),
                    Figures.secondsOf(plan.stepSeconds(), best.stepSeconds()),
                    Figures.secondsOf((plan.stepHighSeconds() - plan.stepLowSeconds()) / 2, best.stepSeconds()),
                    Figures.gib(plan.peakBytes()),
                    Figures.percent(plan.mfu()),
                    Figures.percent(plan.bubbleFraction()),
                    i == 0 ? "" : Comparison.cell(best, plan),
                    plan.planText());
        }
        return style.paint(Style.Ink.TITLE, "Plans") + " (distinct, best first)\n" + table.print("  ", style);
    }

    /** Why the first plan stands before faster ones. */
    private static String preferred(PlanningResult result, List<Prediction> plans, Style style) {
        Prediction first = plans.getFirst();
        Prediction fastest = plans.stream()
                .min((a, b) -> Double.compare(a.stepSeconds(), b.stepSeconds()))
                .orElse(first);
        if (fastest.stepSeconds() >= first.stepSeconds()) {
            return "";
        }
        String objective = result.subject().objective();
        String why = !objective.equals("time")
                ? "the best by " + objective + "; plans listed below are faster"
                : fastest.devicesIdle() > first.devicesIdle()
                        ? "first because it uses more devices: what is faster is so by less than 1 %"
                        : "first because it leaves more memory free: the fastest (%s) is within the error of a comparison"
                                .formatted(Figures.secondsOf(fastest.stepSeconds(), first.stepSeconds()));
        return Notes.wrapped(why, "  ", style.width());
    }

    private static String front(List<ParetoPoint> front, Style style) {
        TextTable table = new TextTable(">step", ">GiB", "plan").lastBelow();
        int hidden = Math.max(0, front.size() - MOST_POINTS);
        int shown = Math.min(front.size(), MOST_POINTS);
        for (int i = 0; i < shown; i++) {
            // the fastest and the smallest always stand
            ParetoPoint point = front.get((int) ((front.size() - 1L) * i / (shown - 1)));
            table.add(
                    Figures.secondsOf(point.stepSeconds(), front.getFirst().stepSeconds()),
                    Figures.gib(point.peakBytes()),
                    point.planText());
        }
        return style.paint(Style.Ink.TITLE, "Time against memory")
                + " (no plan beats these in both%s)%n".formatted(hidden == 0 ? "" : "; " + hidden + " more in --json")
                + table.print("  ", style);
    }

    /** Empty where nothing was searched. */
    static String search(PlanningResult result, Style style) {
        SearchStatistics search = result.search();
        if (search.method().equals("given")) {
            return "";
        }
        int listed = result.outcome() instanceof PlanOutcome.Found some
                ? some.plans().size()
                : 0;
        boolean found = listed > 0;
        boolean done = search.stopped().equals("done");
        String proof;
        if (search.optimal()) {
            proof = found ? "proven optimal under this model" : "the whole space was covered";
        } else if (done) {
            proof = found
                    ? "not proven: some tuples have more layouts than were scored"
                    : "the whole space was covered";
        } else {
            double bound = search.lowerBoundSeconds();
            proof = "not proven (stopped: "
                    + search.stopped()
                    + (bound > 0 ? "; no plan is faster than " + Figures.seconds(bound) + ")" : ")");
        }
        String line = "%s, %s: %s plans in the space, %s evaluated, %s pruned in %s; %s"
                .formatted(
                        search.method(),
                        search.evaluator(),
                        Figures.count(search.space()),
                        Figures.count(search.evaluated()),
                        Figures.count(search.pruned()),
                        Figures.seconds(search.wallSeconds()),
                        proof);
        if (found) {
            long like = search.withinComparisonError();
            line += like <= 1
                    ? "; no other plan lies within the error of a comparison"
                    : "; %s%s plans lie within the error of a comparison"
                            .formatted(like >= listed ? "at least " : "", Figures.count(like));
        }
        return style.paint(Style.Ink.TITLE, "Search") + "\n" + Notes.wrapped(line, style.width()) + "\n";
    }
}
