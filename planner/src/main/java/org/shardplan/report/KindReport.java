package org.shardplan.report;

import java.util.List;
import java.util.Locale;

/** All runs that can be told apart by kind, for people: a line a source. Every table ends with a line break. */
public final class KindReport {
    private KindReport() {}

    /** A table a kind, a blank line between two. */
    public static String print(List<KindLedger> kinds, Style style) {
        return String.join("\n", kinds.stream().map(kind -> table(kind, style)).toList());
    }

    private static String table(KindLedger kind, Style style) {
        TextTable table = new TextTable(
                kind.kind().text(),
                ">rows",
                ">evaluated",
                ">left out: median",
                ">p90",
                ">mean",
                ">in sample: median",
                ">p90",
                ">mean",
                ">in interval",
                ">half-width",
                ">memory: median");
        Ledger ledger = kind.ledger();
        for (SourceScore of : ledger.sources()) {
            table.add(
                    of.source() + (of.sharesDevice() ? "" : " *"),
                    Figures.count(of.rows()),
                    Figures.count(of.evaluated()),
                    percent(of.leftOut().medianPercent()),
                    percent(of.leftOut().p90Percent()),
                    signed(of.leftOut().meanPercent()),
                    percent(of.inSample().medianPercent()),
                    percent(of.inSample().p90Percent()),
                    signed(of.inSample().meanPercent()),
                    percent(100 * of.insideShare()),
                    percent(of.halfWidthPercent()),
                    percent(of.memory().medianPercent()));
        }
        Means leftOut = ledger.means(SourceScore::leftOut);
        Means shared = ledger.means(SourceScore::leftOut, SourceScore::sharesDevice);
        Means inSample = ledger.means(SourceScore::inSample);
        Coverage coverage = ledger.coverage();
        return table.print("", style)
                + String.format(
                        Locale.ROOT,
                        "%s: %,d of %,d rows predicted; means over %d sources: left out %.1f %% / %.1f %% (device shared %.1f / %.1f), in sample %.1f %% / %.1f %%; inside their intervals %.1f %%, least %.1f %%%n",
                        kind.kind().text(),
                        ledger.evaluated(),
                        ledger.rows(),
                        inSample.sources(),
                        leftOut.medianPercent(),
                        leftOut.p90Percent(),
                        shared.medianPercent(),
                        shared.p90Percent(),
                        inSample.medianPercent(),
                        inSample.p90Percent(),
                        100 * coverage.insideShare(),
                        100 * coverage.leastShare());
    }

    /** Pairs of runs that differ in one choice. */
    public static String pairs(List<PairScore> pairs, Style style) {
        TextTable table = new TextTable("runs that differ in", ">pairs", ">right sign", ">size off: median");
        int judged = 0;
        int right = 0;
        for (PairScore of : pairs) {
            boolean many = of.pairs() >= PairScore.JUDGED;
            judged += many ? of.pairs() : 0;
            right += many ? of.rightSign() : 0;
            table.add(
                    of.effect(),
                    Figures.count(of.pairs()),
                    percent(100 * of.rightShare()),
                    percent(of.medianOffPercent()));
        }
        return table.print("", style)
                + (judged == 0
                        ? ""
                        : String.format(
                                Locale.ROOT,
                                "effects with %d pairs or more: right sign in %.1f %% of %,d pairs%n",
                                PairScore.JUDGED,
                                100.0 * right / judged,
                                judged));
    }

    private static String percent(double percents) {
        return Double.isNaN(percents) ? "" : String.format(Locale.ROOT, "%.1f %%", percents);
    }

    private static String signed(double percents) {
        return Double.isNaN(percents) ? "" : Figures.signedPercent(percents);
    }
}
