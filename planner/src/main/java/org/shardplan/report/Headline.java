package org.shardplan.report;

import org.shardplan.search.PlanningResult;
import org.shardplan.search.PlanningSubject;
import org.shardplan.sim.Prediction;

/** The first three lines of every report: what, which plan, how good. */
final class Headline {
    private Headline() {}

    static String print(PlanningResult result, Prediction plan, Style style) {
        boolean given = result.search().method().equals("given");
        return subject(result.subject(), style)
                + style.paint(Style.Ink.TITLE, (given ? "Plan  " : "Best plan  ") + plan.planText()) + "\n"
                + figures(plan, style);
    }

    /** {@code gpt3-175b on dgx-a100-80gb:128, 1,024 devices; batch 1,536 x 2,048 tokens, bf16, adam; megatron-core}. */
    static String subject(PlanningSubject subject, Style style) {
        return style.paint(Style.Ink.TITLE, subject.model() + " on " + subject.cluster())
                + ": %s parameters, %s devices, batch %s %s %s tokens, %s, %s, framework %s%n"
                        .formatted(
                                Figures.parameters(subject.parameters()),
                                Figures.count(subject.devices()),
                                Figures.count(subject.globalBatch()),
                                style.times(),
                                Figures.count(subject.seqLen()),
                                subject.precision(),
                                subject.optimizer(),
                                subject.framework());
    }

    private static String figures(Prediction plan, Style style) {
        int worst = MemorySection.worst(plan.stages());
        return "%s a step (%s to %s)   MFU %s   %s of %s GiB%s   %s tokens/s a device%s%n"
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
