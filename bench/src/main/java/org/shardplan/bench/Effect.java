package org.shardplan.bench;

import java.util.function.UnaryOperator;
import org.shardplan.cost.PricedProgram;
import org.shardplan.job.Prices;
import org.shardplan.job.RowCase;
import org.shardplan.job.Variation;
import org.shardplan.workload.Framework;

/**
 * An effect of the model, and the data under which it is left out; residual factors are fitted anew then, unless they are the effect.
 *
 * @param name in the table
 * @param without the data
 */
record Effect(String name, Variation without) {

    static Effect ofRow(String name, Prices prices, UnaryOperator<RowCase.Ready> row) {
        return new Effect(name, new Variation(prices, true, row, UnaryOperator.identity(), UnaryOperator.identity()));
    }

    static Effect ofFramework(String name, Prices prices, UnaryOperator<Framework> framework) {
        return new Effect(
                name, new Variation(prices, true, UnaryOperator.identity(), framework, UnaryOperator.identity()));
    }

    static Effect ofPrices(String name, Prices prices) {
        return ofRow(name, prices, UnaryOperator.identity());
    }

    /** The shipped factors stand, whatever they are: nothing is fitted anew. */
    static Effect ofFactors(String name, Prices prices) {
        UnaryOperator<RowCase.Ready> same = UnaryOperator.identity();
        return new Effect(name, new Variation(prices, false, same, UnaryOperator.identity(), UnaryOperator.identity()));
    }

    static Effect ofProgram(String name, Prices prices, UnaryOperator<PricedProgram> priced) {
        return new Effect(
                name, new Variation(prices, true, UnaryOperator.identity(), UnaryOperator.identity(), priced));
    }
}
