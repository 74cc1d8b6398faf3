package org.shardplan.job;

import java.util.List;
import org.shardplan.Checkout;
import org.shardplan.plan.FixedChoices;
import org.shardplan.search.Budget;
import org.shardplan.search.Hybrid;
import org.shardplan.search.Objective;
import org.shardplan.search.Objectives;
import org.shardplan.search.PlanOutcome;
import org.shardplan.search.Problem;
import org.shardplan.search.SearchObserver;
import org.shardplan.sim.Prediction;

/** Problems that are solved in a moment. */
final class SmallProblems {
    private static final Prices PRICES = Prices.load();

    private SmallProblems() {}

    static Prices prices() {
        return PRICES;
    }

    static Setting setting(String model, String cluster, String globalBatch) {
        return Setting.of(ModelSource.resolve(model), new Setting.Options(cluster, globalBatch, 0, "", "", "", ""));
    }

    /** gpt-tiny on 8 devices, batch 8. */
    static Problem tiny() {
        return tiny(8);
    }

    static Problem tiny(int globalBatch) {
        return problem(setting("gpt-tiny", "dgx-a100-80gb:1", String.valueOf(globalBatch)), 10);
    }

    static Problem problem(Setting setting, int top) {
        return new Problem(
                setting.graph(),
                setting.workload(),
                setting.cluster(),
                setting.framework(),
                FixedChoices.NONE,
                Objective.TIME,
                Double.POSITIVE_INFINITY,
                setting.capacityBytes(),
                top);
    }

    static Objectives search() {
        return new Objectives(new Hybrid(2), PRICES::evaluation, Budget.NONE, SearchObserver.NONE);
    }

    /** As typed, with nothing but the search to choose. */
    static PlanAnswer plan(String model, String cluster, String globalBatch, String fix, String atMost) {
        return PlanJob.run(
                new PlanRequest(model, cluster, globalBatch, 0, "", "", "", "", "", atMost, fix, "", 10, "", 1),
                SearchObserver.NONE);
    }

    static PlanAnswer simulate(String model, String cluster, String globalBatch, String framework, String plan) {
        return SimulateJob.run(new SimulateRequest(model, cluster, globalBatch, 0, "", "", framework, plan, ""));
    }

    /** Of the first plan, whether it fits or not. */
    static Prediction prediction(PlanAnswer answer) {
        return switch (answer.result().outcome()) {
            case PlanOutcome.Found found -> found.best();
            case PlanOutcome.NothingFits no -> no.nearest();
            case PlanOutcome.NoneWithin no -> no.nearest();
        };
    }

    static List<String> layouts(Prediction plan) {
        return plan.stages().stream().map(Prediction.StageUse::layout).toList();
    }

    /** A published config of the tests of {@code read}. */
    static String config(String name) {
        return Checkout.root()
                .resolve("planner/src/test/resources/org/shardplan/read/models/" + name + ".json")
                .toString();
    }
}
