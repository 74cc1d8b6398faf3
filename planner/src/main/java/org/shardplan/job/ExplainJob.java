package org.shardplan.job;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.shardplan.form.ScheduleFile;
import org.shardplan.plan.PlanText;
import org.shardplan.plan.Shorthand;
import org.shardplan.plan.Verdict;
import org.shardplan.report.Explanation;
import org.shardplan.search.Budget;
import org.shardplan.search.Objectives;
import org.shardplan.search.PlanOutcome;
import org.shardplan.search.PlanningResult;
import org.shardplan.search.Score;
import org.shardplan.search.SearchObserver;
import org.shardplan.search.SearchResult;
import org.shardplan.search.SearchStatistics;
import org.shardplan.sim.Prediction;

/** Compares the plan of a plan.json with others: given ones, or the best of a new search, and those one choice away. */
public final class ExplainJob {
    private static final int NEXT_BEST = 5;

    private ExplainJob() {}

    /** @throws org.shardplan.units.UserError on any mistake in the request or its files */
    public static Explanation run(ExplainRequest request, SearchObserver observer) {
        GivenPlan given = GivenPlan.read(request.planFile(), Setting.Options.NONE);
        Setting setting = given.setting();
        Shorthand plan = given.plan();
        SimulateJob.requireLegal(setting, plan, request.planFile() + ": plan ");
        List<Shorthand> against = new ArrayList<>();
        for (String text : request.against()) {
            Shorthand other = PlanText.parse(text, setting.cluster().devices(), ScheduleFile::read);
            SimulateJob.requireLegal(setting, other, "--against ");
            against.add(other);
        }
        Prices prices = Prices.load();
        Reporter reporter = new Reporter(setting, prices);
        Prediction explained = reporter.predict(plan);
        double error = prices.calibration().constant("comparison/step");
        SearchStatistics statistics = SearchStatistics.given("sweep", 0);
        List<Prediction> plans = new ArrayList<>(List.of(explained));
        if (request.against().isEmpty()) {
            SearchResult found = search(setting, prices, observer);
            statistics = found.scores().isEmpty()
                    ? found.statistics()
                    : Preference.count(found.statistics(), found.scores(), error);
            found.scores().stream()
                    .map(Score::plan)
                    .filter(other -> !other.equals(plan))
                    .limit(NEXT_BEST)
                    .forEach(other -> plans.add(reporter.predict(other)));
        } else {
            against.forEach(other -> plans.add(reporter.predict(other)));
        }
        boolean fits = explained.peakBytes() <= setting.capacityBytes();
        PlanOutcome outcome =
                fits ? new PlanOutcome.Found(plans, List.of()) : SimulateJob.tooBig(setting, plan, reporter, explained);
        String objective = request.against().isEmpty() ? "time" : "";
        PlanningResult result =
                new PlanningResult(setting.subject(prices, objective, 1), statistics, outcome, Optional.empty());
        return new Explanation(result, neighbours(setting, plan, reporter), setting.capacityBytes(), error);
    }

    private static SearchResult search(Setting setting, Prices prices, SearchObserver observer) {
        return new Objectives(PlanOptions.method(""), prices::evaluation, Budget.USUAL, observer)
                .time(setting.problem(NEXT_BEST + 1));
    }

    private static List<Explanation.Neighbour> neighbours(Setting setting, Shorthand plan, Reporter reporter) {
        List<Explanation.Neighbour> all = new ArrayList<>();
        for (Neighbours.Neighbour neighbour : Neighbours.of(plan)) {
            if (setting.verdict(neighbour.plan()) instanceof Verdict.Fits) {
                reporter.onClock(neighbour.plan())
                        .ifPresent(prediction -> all.add(new Explanation.Neighbour(neighbour.change(), prediction)));
            }
        }
        return all;
    }
}
