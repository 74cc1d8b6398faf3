package org.shardplan.report;

import java.util.ArrayList;
import java.util.List;
import org.shardplan.cluster.Economics;
import org.shardplan.search.Campaign;
import org.shardplan.search.Goodput;
import org.shardplan.search.TrainingRun;
import org.shardplan.sim.Prediction;

/** Days, failures, dollars and kWh to the last token. */
final class TrainingSection {
    private TrainingSection() {}

    static String print(Campaign campaign, Prediction plan, Style style) {
        TrainingRun run = run(campaign, plan);
        StringBuilder text = new StringBuilder(
                        style.paint(Style.Ink.TITLE, "To " + Figures.parameters(run.tokens()) + " tokens"))
                .append(" (" + Figures.count(run.steps()) + (run.steps() == 1 ? " step)\n" : " steps)\n"));
        text.append("  %s days without failures (%s to %s)%n"
                .formatted(
                        Figures.significant(run.days()),
                        Figures.significant(run.lowDays()),
                        Figures.significant(run.highDays())));
        for (String line : List.of(failures(campaign, run), money(campaign, run))) {
            text.append(Notes.wrapped(line, "  ", style.width()));
        }
        return text.toString();
    }

    static TrainingRun run(Campaign campaign, Prediction plan) {
        return campaign.run(plan.stepSeconds(), plan.stepLowSeconds(), plan.stepHighSeconds(), plan.devices());
    }

    private static String failures(Campaign campaign, TrainingRun run) {
        Economics economics = campaign.economics();
        List<String> missing = new ArrayList<>();
        if (Double.isNaN(economics.deviceMtbfSeconds())) {
            missing.add("mtbf (50000h: of a device)");
        }
        if (Double.isNaN(economics.storageBytesPerSecond())) {
            missing.add("storage (100GB/s)");
        }
        if (Double.isNaN(economics.restartSeconds())) {
            missing.add("restart (10min)");
        }
        if (!missing.isEmpty()) {
            return "with failures: unknown; the cluster does not say " + String.join(", ", missing);
        }
        Goodput goodput = run.goodput();
        if (!(goodput.share() > 1e-6)) {
            return "with failures: never; they come every " + duration(goodput.mtbfSeconds())
                    + ", and a checkpoint takes " + duration(goodput.checkpointSeconds());
        }
        return "%s days with failures: goodput %s; %s failures, one every %s; a checkpoint of %s GiB takes %s, best every %s"
                .formatted(
                        Figures.significant(run.expectedDays()),
                        Figures.percent(goodput.share()),
                        Figures.count(Math.round(run.failures())),
                        duration(goodput.mtbfSeconds()),
                        Figures.gib(run.checkpointBytes()),
                        duration(goodput.checkpointSeconds()),
                        duration(goodput.intervalSeconds()));
    }

    private static String money(Campaign campaign, TrainingRun run) {
        Economics economics = campaign.economics();
        String price = !Double.isFinite(run.dollars())
                ? "USD unknown ("
                        + (Double.isNaN(run.dollars()) ? "the cluster has no price)" : "the run does not end)")
                : "%s USD (%s devices at %s an hour%s)"
                        .formatted(
                                Figures.count(Math.round(run.dollars())),
                                Figures.count(run.devicesCharged()),
                                Figures.significant(economics.dollarsPerDeviceHour()),
                                run.devicesCharged() < campaign.clusterDevices()
                                        ? ", the others are not paid for"
                                        : "");
        String energy = !Double.isFinite(run.kilowattHours())
                ? "kWh unknown" + (Double.isNaN(run.kilowattHours()) ? " (it has no power)" : "")
                : Figures.count(Math.round(run.kilowattHours())) + " kWh";
        return price + ", " + energy;
    }

    /** {@code 42.0 min}, {@code 18.3 h}. */
    private static String duration(double seconds) {
        if (seconds >= 2 * 86_400) {
            return Figures.significant(seconds / 86_400) + " days";
        }
        if (seconds >= 5400) {
            return Figures.significant(seconds / 3600) + " h";
        }
        return seconds >= 120 ? Figures.significant(seconds / 60) + " min" : Figures.seconds(seconds);
    }
}
