package org.shardplan.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/** The ledger for people: tables of sources, their means, and what was skipped. Every table ends with a line break. */
public final class LedgerReport {
    private LedgerReport() {}

    /** All tables, a blank line between two. */
    static String print(Ledger ledger, Style style) {
        return String.join(
                "\n",
                times(ledger, style),
                means(ledger, style),
                intervals(ledger, style),
                ranking(ledger, style),
                memory(ledger, style),
                skips(ledger, style));
    }

    /** Step time by source. */
    public static String times(Ledger ledger, Style style) {
        TextTable table = new TextTable(
                "source",
                ">rows",
                ">evaluated",
                ">left out: median",
                ">p90",
                ">mean",
                ">in sample: median",
                ">p90",
                ">mean",
                ">own scale: median",
                ">p90",
                ">formula, left out",
                ">in sample");
        for (SourceScore of : ledger.sources()) {
            table.add(
                    of.source() + (of.composed() ? " (composed)" : of.sharesDevice() ? "" : " *"),
                    Figures.count(of.rows()),
                    Figures.count(of.evaluated()),
                    percent(of.leftOut().medianPercent()),
                    percent(of.leftOut().p90Percent()),
                    signed(of.leftOut().meanPercent()),
                    percent(of.inSample().medianPercent()),
                    percent(of.inSample().p90Percent()),
                    signed(of.inSample().meanPercent()),
                    percent(of.scaled().medianPercent()),
                    percent(of.scaled().p90Percent()),
                    percent(of.formulaLeftOut().medianPercent()),
                    percent(of.formulaInSample().medianPercent()));
        }
        return table.print("", style) + "* its device has no other source\n";
    }

    /** What the sources come to. */
    public static String means(Ledger ledger, Style style) {
        TextTable table = new TextTable(
                "each source weighs the same", ">sources", ">mean of medians", ">median of p90", ">signed mean");
        add(table, "left out, device shared", ledger.means(SourceScore::leftOut, SourceScore::sharesDevice));
        add(table, "left out", ledger.means(SourceScore::leftOut));
        add(table, "left out, own scale", ledger.means(SourceScore::scaled));
        add(table, "left out, own scale, device shared", ledger.means(SourceScore::scaled, SourceScore::sharesDevice));
        add(table, "in sample", ledger.means(SourceScore::inSample));
        add(table, "formula, left out", ledger.means(SourceScore::formulaLeftOut));
        add(
                table,
                "formula, left out, device shared",
                ledger.means(SourceScore::formulaLeftOut, SourceScore::sharesDevice));
        add(table, "formula, in sample", ledger.means(SourceScore::formulaInSample));
        return table.print("", style)
                + nearer(ledger, "left out", SourceScore::leftOut, SourceScore::formulaLeftOut)
                + nearer(ledger, "in sample", SourceScore::inSample, SourceScore::formulaInSample);
    }

    private static String nearer(
            Ledger ledger, String how, Function<SourceScore, Errors> ours, Function<SourceScore, Errors> formula) {
        List<String> sources = ledger.formulaIsNearer(ours, formula);
        return "formula nearer, " + how + ": " + (sources.isEmpty() ? "nowhere" : String.join(", ", sources)) + "\n";
    }

    private static void add(TextTable table, String name, Means means) {
        table.add(
                name,
                Figures.count(means.sources()),
                percent(means.medianPercent()),
                percent(means.p90Percent()),
                signed(means.meanPercent()));
    }

    /** Intervals made of the other sources' errors. */
    public static String intervals(Ledger ledger, Style style) {
        TextTable table = new TextTable("90 % intervals of the other sources", ">rows", ">inside", ">half-width");
        for (SourceScore of : ledger.sources()) {
            table.add(
                    of.source() + (of.composed() ? " (composed)" : ""),
                    Figures.count(of.leftOut().rows()),
                    percent(100 * of.insideShare()),
                    percent(of.halfWidthPercent()));
        }
        Coverage coverage = ledger.coverage();
        return table.print("", style)
                + String.format(
                        Locale.ROOT,
                        "inside, sources weighing the same: %s; least in a source of %d rows or more: %s; median half-width %s%n",
                        Figures.percent(coverage.insideShare()),
                        Coverage.MANY_ROWS,
                        Figures.percent(coverage.leastShare()),
                        Figures.percent(coverage.halfWidthPercent() / 100));
    }

    /** Order of plans. */
    public static String ranking(Ledger ledger, Style style) {
        TextTable table = new TextTable(
                "plans of one job",
                ">jobs",
                ">plans",
                ">Spearman: median",
                ">mean",
                ">pairs in order",
                ">regret: median",
                ">p90",
                ">formula: Spearman",
                ">pairs in order",
                ">regret p90");
        for (RankingScore of : ledger.ranking()) {
            table.add(
                    of.source() + (of.composed() ? " (composed)" : ""),
                    Figures.count(of.groups()),
                    Figures.count(of.plans()),
                    rank(of.ours().medianSpearman()),
                    rank(of.ours().meanSpearman()),
                    percent(100 * of.ours().pairOrder()),
                    percent(of.ours().medianRegretPercent()),
                    percent(of.ours().p90RegretPercent()),
                    rank(of.formula().medianSpearman()),
                    percent(100 * of.formula().pairOrder()),
                    percent(of.formula().p90RegretPercent()));
        }
        ComparisonError error = ledger.comparison();
        return table.print("", style)
                + String.format(
                        Locale.ROOT,
                        "two plans of one job, predicted at most 10 %% apart: the ratio of their steps is off by %s (median of %,d pairs), %s (p90)%n",
                        Figures.percent(error.medianPercent() / 100),
                        error.pairs(),
                        Figures.percent(error.p90Percent() / 100));
    }

    private static String rank(double correlation) {
        return Double.isNaN(correlation) ? "" : String.format(Locale.ROOT, "%.2f", correlation);
    }

    /** Memory, and what is said to fit. */
    public static String memory(Ledger ledger, Style style) {
        TextTable table =
                new TextTable("source", "memory", ">rows", ">median |error|", ">p90", ">mean", ">worst", ">fits right");
        for (SourceScore of : ledger.sources()) {
            Errors memory = of.memory();
            table.add(
                    of.source(),
                    of.memoryKind(),
                    memory.rows() == 0 ? "" : Figures.count(memory.rows()),
                    percent(memory.medianPercent()),
                    percent(memory.p90Percent()),
                    signed(memory.meanPercent()),
                    percent(memory.worstPercent()),
                    of.fitsJudged() == 0 ? "" : of.fitsRight() + "/" + of.fitsJudged());
        }
        return table.print("", style);
    }

    /** Rows that count and were not predicted. */
    public static String skips(Ledger ledger, Style style) {
        int rows = ledger.rows();
        List<String> lines = new ArrayList<>();
        lines.add(String.format(
                Locale.ROOT,
                "%,d of %,d rows that count are predicted (%s)%n",
                ledger.evaluated(),
                rows,
                rows == 0 ? "none" : Figures.percent((double) ledger.evaluated() / rows)));
        if (!ledger.skips().isEmpty()) {
            TextTable table = new TextTable("skipped", ">rows", "why");
            ledger.skips().forEach(skip -> table.add(skip.source(), Figures.count(skip.rows()), skip.reason()));
            lines.add(table.print("", style));
        }
        return String.join("", lines);
    }

    /** Rows that something is wrong with. */
    public static String faults(Ledger ledger, Style style) {
        TextTable table = new TextTable("left out", "source", "why");
        ledger.faults().forEach(fault -> table.add(fault.id(), fault.source(), fault.reason()));
        return ledger.faults().isEmpty() ? "" : table.print("", style);
    }

    private static String percent(double percents) {
        return Double.isNaN(percents) ? "" : String.format(Locale.ROOT, "%.1f %%", percents);
    }

    private static String signed(double percents) {
        return Double.isNaN(percents) ? "" : Figures.signedPercent(percents);
    }
}
