package org.shardplan.cost;

import org.shardplan.graph.Block;
import org.shardplan.graph.Extent;
import org.shardplan.graph.Operator;
import org.shardplan.graph.Pointwise;

/**
 * How many domains hold a chosen expert of a token, on the average of evenly shared tokens.
 *
 * @param topk experts of a token
 * @param groups that the experts form, 1 = none
 * @param groupTopk groups that a token's experts come from (DeepSeek-V3, arXiv:2412.19437, section 2.1.2: node-limited routing)
 */
record TokenCopies(int topk, int groups, int groupTopk) {
    /** A token goes once to each of its experts, wherever they are. */
    static final TokenCopies EACH = new TokenCopies(0, 1, 1);

    /** Of a block's router; {@link #EACH} where it has none. */
    static TokenCopies of(Block block) {
        for (Operator operator : block.operators()) {
            if (operator instanceof Pointwise pointwise && pointwise.function() == Pointwise.Function.TOP_K) {
                Extent all = pointwise.inputs().getFirst().extents().getLast();
                Extent chosen = pointwise.output().extents().getLast();
                boolean grouped = all.parts().getFirst().width() > 1;
                return new TokenCopies(
                        (int) chosen.size(),
                        grouped ? (int) all.parts().getFirst().count() : 1,
                        grouped ? (int) chosen.parts().getFirst().count() : 1);
            }
        }
        return EACH;
    }

    boolean isRouted() {
        return topk > 0;
    }

    /** Domains of {@code domains} that are hit: n (1 - (1 - 1/n)^k) for k independent choices, no more than its groups lie in. */
    double hit(int domains) {
        double free = domains * (1 - Math.pow(1 - 1.0 / domains, topk));
        return groups > 1 && domains <= groups ? Math.min(free, groupTopk) : free;
    }

    /**
     * What goes past a level where one copy is sent for each domain and passed on inside, over what goes past it where one is sent for
     * each expert.
     *
     * @param size ranks of the group, {@code domains} of this level, {@code inside} ranks in each
     */
    double share(int size, int domains, int inside) {
        if (topk == 0) {
            return 1;
        }
        return inside > 1 ? hit(domains) / topk : hit(size) / topk * size / domains;
    }
}
