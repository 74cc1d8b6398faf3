package org.shardplan.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.shardplan.cost.Calibration;
import org.shardplan.cost.Calibration.Constant;
import org.shardplan.form.Row;
import org.shardplan.job.Prices;
import org.shardplan.job.RowCase;
import org.shardplan.job.ValidateJob;
import org.shardplan.job.Variation;
import org.shardplan.report.Errors;
import org.shardplan.report.Ledger;
import org.shardplan.report.Means;
import org.shardplan.report.SourceScore;
import org.shardplan.search.SearchObserver;
import org.shardplan.workload.Framework;

/**
 * What was learnt from a source beside residual factors: statements of the calibration, of frameworks and of clusters that name
 * its rows. Leaving the source out of the factors leaves these in; here they are replaced too, by what holds for like things.
 */
final class Lessons {
    private Lessons() {}

    static List<Lesson> of(Prices prices) {
        return List.of(
                lesson(
                        "bigscience-bloom-a100",
                        "shares of Jean Zay's links (a DGX's instead), slow odd sizes (none)",
                        constants(prices, Map.of("product/odd", 1.0, "attention/misaligned", 1.0)),
                        RowChanges::onUsualLinks,
                        UnaryOperator.identity()),
                lesson(
                        "dgxc-benchmarking",
                        "NeMo's attention rates (Hopper's), memory traffic (1.1), Hopper's sustained clock (0.80)",
                        constants(prices, Map.of("sustained/hopper/bf16", 0.80), "attention/hopper/nemo/"),
                        UnaryOperator.identity(),
                        of -> of.name().equals("nemo") ? FrameworkChanges.withTraffic(of, 1.1) : of),
                lesson(
                        "llm-foundry",
                        "attention rates of 2023 (the device's), memory traffic (1.2)",
                        constants(
                                prices, Map.of(), "attention/ampere/composer-fsdp/", "attention/hopper/composer-fsdp/"),
                        UnaryOperator.identity(),
                        of -> of.name().equals("composer-fsdp") ? FrameworkChanges.withTraffic(of, 1.2) : of),
                lesson(
                        "megatron-sc21",
                        "no overlap in ZeRO-3 of 2021 (as FSDP's)",
                        prices,
                        UnaryOperator.identity(),
                        of -> of.name().equals("deepspeed-zero3-2021") ? FrameworkChanges.withDataOverlap(of) : of),
                lesson(
                        "simumax",
                        "B200's sustained clock (GB200's), Megatron-Core's interference (100 %)",
                        constants(prices, Map.of("sustained/b200-sxm/bf16", 0.70)),
                        UnaryOperator.identity(),
                        of -> of.name().equals("megatron-core") ? FrameworkChanges.withTensorInterference(of, 1) : of),
                lesson(
                        "torchtitan",
                        "sustained clock of its 500 W part (Hopper's), attention rates (Hopper's)",
                        constants(
                                prices,
                                Map.of(),
                                "sustained/h100-sxm-96gb-hbm2e/",
                                "attention/hopper/torchtitan/",
                                "attention/hopper/torchtitan-eager/"),
                        UnaryOperator.identity(),
                        UnaryOperator.identity()),
                lesson(
                        "vtrain-megatron-deepspeed",
                        "host times of Megatron-DeepSpeed (those assumed for other eager frameworks)",
                        prices,
                        UnaryOperator.identity(),
                        FrameworkChanges::withUsualHost));
    }

    private static Lesson lesson(
            String source,
            String what,
            Prices prices,
            UnaryOperator<RowCase.Ready> row,
            UnaryOperator<Framework> framework) {
        return new Lesson(source, what, new Variation(prices, true, row, framework, UnaryOperator.identity()));
    }

    /** The same prices with some constants changed, and without those whose keys start as given. */
    private static Prices constants(Prices prices, Map<String, Double> changed, String... gone) {
        Calibration of = prices.calibration();
        TreeMap<String, Constant> constants = new TreeMap<>(of.constants());
        for (String start : gone) {
            constants.keySet().removeIf(key -> key.startsWith(start));
        }
        changed.forEach((key, value) -> constants.put(key, new Constant(value, "not learnt")));
        return Prices.of(new Calibration(of.fitted(), constants, of.residuals()));
    }

    /**
     * What came out.
     *
     * @param table Markdown, a line a lesson, then the means over all sources
     * @param ledger with the scores of sources that nothing was learnt from
     */
    record Learnt(String table, Ledger ledger) {}

    static Learnt learnt(List<Row> rows, Ledger ledger, Prices prices) {
        StringBuilder table = new StringBuilder("""
                | source | learnt from its rows (instead) | left out: median | p90 | and without it: median | p90 |
                |---|---|--:|--:|--:|--:|
                """);
        List<SourceScore> strict = new ArrayList<>(ledger.sources());
        for (Lesson lesson : of(prices)) {
            Ledger without = ValidateJob.validate(rows, lesson.without(), SearchObserver.NONE)
                    .validation()
                    .ledger();
            SourceScore now = score(without, lesson.source());
            strict.replaceAll(score -> score.source().equals(lesson.source()) ? now : score);
            line(
                    table,
                    lesson.source(),
                    lesson.what(),
                    score(ledger, lesson.source()).leftOut(),
                    now.leftOut());
        }
        Ledger all = ledger.with(strict);
        Means shipped = ledger.means(SourceScore::leftOut);
        Means learnt = all.means(SourceScore::leftOut);
        table.append(format(
                "| %d sources | mean of medians, median of p90 | %.1f | %.1f | %.1f | %.1f |%n",
                shipped.sources(),
                shipped.medianPercent(),
                shipped.p90Percent(),
                learnt.medianPercent(),
                learnt.p90Percent()));
        Means shared = ledger.means(SourceScore::leftOut, SourceScore::sharesDevice);
        Means sharedLearnt = all.means(SourceScore::leftOut, SourceScore::sharesDevice);
        table.append(format(
                "| %d sources whose device another shares | likewise | %.1f | %.1f | %.1f | %.1f |%n",
                shared.sources(),
                shared.medianPercent(),
                shared.p90Percent(),
                sharedLearnt.medianPercent(),
                sharedLearnt.p90Percent()));
        return new Learnt(table.toString(), all);
    }

    private static SourceScore score(Ledger ledger, String source) {
        return ledger.sources().stream()
                .filter(score -> score.source().equals(source))
                .findFirst()
                .orElseThrow();
    }

    private static void line(StringBuilder table, String source, String what, Errors with, Errors without) {
        table.append(format(
                "| %s | %s | %.1f | %.1f | %.1f | %.1f |%n",
                source, what, with.medianPercent(), with.p90Percent(), without.medianPercent(), without.p90Percent()));
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
