package org.shardplan.job;

import org.shardplan.search.Budget;
import org.shardplan.search.Hybrid;
import org.shardplan.search.Method;
import org.shardplan.search.Objective;
import org.shardplan.units.Quantity;
import org.shardplan.units.UserError;

/** Reads the options of a search. */
final class PlanOptions {
    private static final double MOST_SECONDS = 100 * 86_400;

    private PlanOptions() {}

    static Objective objective(String text) {
        return switch (text) {
            case "", "time" -> Objective.TIME;
            case "memory" -> Objective.MEMORY;
            case "devices" -> Objective.DEVICES;
            case "cost" -> Objective.COST;
            default ->
                throw new UserError(
                        "--objective \"" + text + "\" is not one of time, cost, memory, devices",
                        "Maybe --objective time");
        };
    }

    static Method method(String text) {
        if (text.isEmpty() || text.equals("hybrid")) {
            return new Hybrid(Math.max(1, Runtime.getRuntime().availableProcessors()));
        }
        throw new UserError(
                "--method \"" + text + "\" is not known", "Maybe --method hybrid; `shardplan methods` lists them");
    }

    /** {@code 10s} or {@code 100000-plans}; empty = {@link Budget#USUAL}. */
    static Budget budget(String text) {
        if (text.isEmpty()) {
            return Budget.USUAL;
        }
        String maybe = "Maybe --budget 10s, or --budget 100000-plans";
        if (text.endsWith("-plans")) {
            try {
                long plans = Long.parseLong(text.substring(0, text.length() - "-plans".length()));
                if (plans > 0) {
                    return new Budget(Long.MAX_VALUE, plans);
                }
            } catch (NumberFormatException notANumber) {
                throw new UserError("--budget \"" + text + "\" is not a number of plans", maybe);
            }
            throw new UserError("--budget " + text + " is not above 0", maybe);
        }
        double seconds = Quantity.parseSeconds(text, "--budget");
        if (!(seconds > 0)) {
            throw new UserError("--budget " + text + " is not above 0", maybe);
        }
        if (seconds > MOST_SECONDS) {
            throw new UserError("--budget " + text + " is more than 100 days", "Maybe leave it out: then none is set");
        }
        return new Budget((long) (seconds * 1e9), Long.MAX_VALUE);
    }
}
