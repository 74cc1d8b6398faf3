package org.shardplan.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.shardplan.form.Row;
import org.shardplan.job.Prices;
import org.shardplan.job.ValidateJob;
import org.shardplan.report.Ledger;
import org.shardplan.report.Means;
import org.shardplan.report.RankingScore;
import org.shardplan.report.SourceScore;
import org.shardplan.search.SearchObserver;

/** What each effect is worth: the ledger without it, residual factors fitted anew. A Markdown table, a line an effect. */
final class Ablation {
    private static final String ONE_NODE = "vtrain-one-node";

    private Ablation() {}

    static String table(List<Row> rows, Prices prices) {
        StringBuilder table = new StringBuilder("""
                | without | in sample | p90 | left out | p90 | vTrain: Spearman | regret p90 | BLOOM: Spearman | regret p90 | one node: median | Spearman | regret p90 |
                |---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|
                """);
        for (Effect effect : Effects.of(prices)) {
            Ledger ledger = ValidateJob.validate(rows, effect.without(), SearchObserver.NONE)
                    .validation()
                    .ledger();
            List<String> cells = new ArrayList<>(List.of(effect.name()));
            add(cells, ledger.means(SourceScore::inSample));
            add(cells, ledger.means(SourceScore::leftOut));
            add(cells, ledger, "vtrain-megatron-deepspeed");
            add(cells, ledger, "bigscience-bloom-a100");
            cells.add(ledger.sources().stream()
                    .filter(source -> source.source().equals(ONE_NODE))
                    .map(source -> format("%.1f", source.leftOut().medianPercent()))
                    .findFirst()
                    .orElse(""));
            add(cells, ledger, ONE_NODE);
            table.append("| ").append(String.join(" | ", cells)).append(" |\n");
        }
        return table.toString();
    }

    private static void add(List<String> cells, Means means) {
        cells.add(format("%.1f", means.medianPercent()));
        cells.add(format("%.1f", means.p90Percent()));
    }

    private static void add(List<String> cells, Ledger ledger, String source) {
        RankingScore.Order order = ledger.ranking().stream()
                .filter(score -> score.source().equals(source))
                .findFirst()
                .orElseThrow()
                .ours();
        cells.add(format("%.2f", order.meanSpearman()));
        cells.add(format("%.1f", order.p90RegretPercent()));
    }

    private static String format(String format, double value) {
        return String.format(Locale.ROOT, format, value);
    }
}
