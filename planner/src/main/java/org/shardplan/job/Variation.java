package org.shardplan.job;

import java.util.function.UnaryOperator;
import org.shardplan.cost.PricedProgram;
import org.shardplan.workload.Framework;

/**
 * Under which data measured runs are predicted: those that ship, or others that leave an effect out, to learn what it is worth. The
 * model itself is the same; only what it reads differs.
 *
 * @param prices tables and constants
 * @param refitted whether scores in sample are those of factors that are fitted anew on the rows, not of those that ship
 * @param row changes the run that is predicted: its network, cluster or plan
 * @param framework changes how its software behaves
 * @param priced changes the prices of its program
 */
public record Variation(
        Prices prices,
        boolean refitted,
        UnaryOperator<RowCase.Ready> row,
        UnaryOperator<Framework> framework,
        UnaryOperator<PricedProgram> priced) {

    /** Nothing is changed, and the shipped factors are scored. */
    static Variation none(Prices prices) {
        return new Variation(
                prices, false, UnaryOperator.identity(), UnaryOperator.identity(), UnaryOperator.identity());
    }
}
