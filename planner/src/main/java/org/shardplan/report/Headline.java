package org.shardplan.report;

import org.shardplan.search.PlanningResult;
import org.shardplan.search.PlanningSubject;
import org.shardplan.sim.Prediction;

/** The first lines of every report: what, which plan, how good. */
final class Headline {
    private Headline() {}

    static String print(PlanningResult result, Prediction plan, Style style) {
        boolean given = result.search().method().equals("given");
        return subject(result.subject(), style) + plan(given ? "Plan" : "Best plan", plan, style);
    }

    /** The model on the cluster, and under it what is trained how. */
    static String subject(PlanningSubject subject, Style style) {
        return style.paint(Style.Ink.TITLE, subject.model() + " on " + subject.cluster())
                + ": %s parameters, %s%nbatch %s %s %s tokens, %s, %s, framework %s%n"
                        .formatted(
                                Figures.parameters(subject.parameters()),
                                subject.devices() == 1 ? "1 device" : Figures.count(subject.devices()) + " devices",
                                Figures.count(subject.globalBatch()),
                                style.times(),
                                Figures.count(subject.seqLen()),
                                subject.precision(),
                                subject.optimizer(),
                                subject.framework());
    }

    /** The short form stands whole on a line of its own, so that it can be copied. */
    static String plan(String what, Prediction plan, Style style) {
        return "\n" + style.paint(Style.Ink.TITLE, what) + "\n  " + style.paint(Style.Ink.TITLE, plan.planText()) + "\n"
                + figures(plan, style);
    }

    private static String figures(Prediction plan, Style style) {
        int worst = MemorySection.worst(plan.stages());
        return "  %s a step (%s to %s)   MFU %s   %s of %s GiB%s   %s tokens/s a device%s%n"
                .formatted(
                        style.paint(Style.Ink.TITLE, Figures.seconds(plan.stepSeconds())),
                        Figures.seconds(plan.stepLowSeconds()),
                        Figures.seconds(plan.stepHighSeconds()),
                        Figures.percent(plan.mfu()),
                        Figures.gib(plan.peakBytes()),
                        Figures.gib(plan.capacityBytes()),
                        worst < 0 ? "" : " on stage " + worst,
                        Figures.significant(plan.tokensPerSecondPerDevice()),
                        plan.devicesIdle() == 0 ? "" : "   " + Figures.count(plan.devicesIdle()) + " devices idle");
    }
}
