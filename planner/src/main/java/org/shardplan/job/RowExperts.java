package org.shardplan.job;

import static org.shardplan.job.RowSizes.fallback;
import static org.shardplan.job.RowSizes.positive;

import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.shardplan.form.ModelCatalog;
import org.shardplan.form.Row;
import org.shardplan.graph.TransformerSizes;
import org.shardplan.graph.TransformerSizes.Experts;
import org.shardplan.plan.Shorthand;

/**
 * The experts of a row, in its network and its plan. Columns say how many experts there are and how wide they are; shared experts, layers
 * without experts, latent attention and the width of heads follow from the catalog where it has the row's model.
 */
final class RowExperts {
    private static final long MOST = 100_000;
    private static final Pattern DENSE_LAYERS = Pattern.compile("\\bdense_layers=(\\d{1,4})\\b");

    private RowExperts() {}

    static boolean has(Row row) {
        return row.shape().experts().orElse(0) > 1;
    }

    /** @param columns the network as the row's columns say it, without experts */
    static TransformerSizes of(Row row, TransformerSizes columns, List<String> assumed) throws RowSkip {
        int count = (int) positive("experts", row.shape().experts(), MOST);
        int topk = (int) positive("topk", row.shape().topk(), count);
        long width = positive("moe_ffn_hidden", fallback(row.shape().moeFfnHidden(), columns.ffn()), 1L << 24);
        String name = row.model().toLowerCase(Locale.ROOT).replaceFirst("\\s*\\(.*", "");
        if (!ModelCatalog.contains(name)) {
            assumed.add("no shared experts");
            Experts experts = new Experts(count, topk, width, 0, 0, 1, 1, 1, false, 0);
            return columns.with(columns.layers(), columns.seqLen(), experts)
                    .with(columns.extensions().withNextTokens(nextTokens(row)));
        }
        TransformerSizes known = ModelCatalog.find(name).sizes();
        Experts experts = known.experts();
        if (experts.count() != count || experts.topk() != topk || known.hidden() != columns.hidden()) {
            throw new RowSkip("contradiction: " + row.model() + " has " + experts.topk() + " of " + experts.count()
                    + " experts, hidden " + known.hidden() + ", and the row says " + topk + " of " + count + ", "
                    + columns.hidden());
        }
        Matcher dense = DENSE_LAYERS.matcher(row.notes());
        int first = dense.find() ? Integer.parseInt(dense.group(1)) : experts.firstDense();
        if (first >= columns.layers()) {
            throw new RowSkip(
                    "contradiction: " + first + " dense layers leave none of " + columns.layers() + " to experts");
        }
        assumed.add("as " + name);
        return known.with(columns.layers(), columns.seqLen(), experts.withFirstDense(first))
                .with(known.extensions().withNextTokens(nextTokens(row)));
    }

    /** Blank is none: recipes leave the modules out unless they say so. */
    private static int nextTokens(Row row) throws RowSkip {
        long modules = row.shape().mtpLayers().orElse(0);
        return modules == 0 ? 0 : (int) positive("mtp_layers", row.shape().mtpLayers(), 64);
    }

    /** The plan with its experts shared out; blank etp is tp, as Megatron has it, or 1 where only that leaves room for ep. */
    static Shorthand of(Row row, Shorthand plan, List<String> assumed) throws RowSkip {
        int ep = (int) positive("ep", fallback(row.degrees().ep(), 1), MOST);
        boolean roomBeside = plan.dp() % ep == 0;
        int usual = roomBeside ? plan.tp() : 1;
        if (ep > 1 && plan.tp() > 1 && row.degrees().etp().isEmpty()) {
            assumed.add("etp " + usual);
        }
        return plan.withExperts(ep, (int) positive("etp", fallback(row.degrees().etp(), usual), MOST));
    }
}
