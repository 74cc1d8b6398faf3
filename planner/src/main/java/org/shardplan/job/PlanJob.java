package org.shardplan.job;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.shardplan.cluster.Cluster;
import org.shardplan.cost.PricedProgram;
import org.shardplan.form.ScheduleFile;
import org.shardplan.plan.FixedChoices;
import org.shardplan.plan.Plan;
import org.shardplan.plan.PlanText;
import org.shardplan.search.Budget;
import org.shardplan.search.Campaign;
import org.shardplan.search.Method;
import org.shardplan.search.Objective;
import org.shardplan.search.Objectives;
import org.shardplan.search.ParetoPoint;
import org.shardplan.search.PlanOutcome;
import org.shardplan.search.PlanningResult;
import org.shardplan.search.Problem;
import org.shardplan.search.Score;
import org.shardplan.search.SearchObserver;
import org.shardplan.search.SearchResult;
import org.shardplan.search.SearchStatistics;
import org.shardplan.sim.Prediction;
import org.shardplan.sim.Timeline;
import org.shardplan.units.Printed;
import org.shardplan.units.UserError;

/** Searches for the best plans of a model on a cluster. */
public final class PlanJob {
    private PlanJob() {}

    /** @throws UserError on any mistake in the request or its files */
    public static PlanAnswer run(PlanRequest request, SearchObserver observer) {
        Setting.Options options = new Setting.Options(
                request.cluster(),
                request.globalBatch(),
                request.seqLen(),
                request.precision(),
                request.optimizer(),
                request.framework(),
                request.memoryMargin(),
                request.task());
        Setting setting = Setting.of(ModelSource.resolve(request.model()), options);
        AtMost atMost = AtMost.parse(request.atMost());
        FixedChoices fixed =
                request.fix().isEmpty() ? FixedChoices.NONE : PlanText.parseFixed(request.fix(), ScheduleFile::read);
        Objective objective = PlanOptions.objective(request.objective());
        Optional<Campaign> campaign = TrainingGoal.campaign(setting, request.tokens(), objective == Objective.COST);
        TrainingGoal.check(campaign, objective, atMost, setting.cluster().name());
        Cluster cluster = atMost.limit(setting.cluster());
        Problem problem = new Problem(
                setting.graph(),
                setting.workload(),
                cluster,
                setting.framework(),
                fixed,
                objective,
                objective == Objective.COST ? atMost.stepSeconds() : atMost.stepSeconds(campaign, cluster.devices()),
                Math.min(atMost.memoryBytes(), setting.capacityBytes()),
                Math.max(request.top(), Preference.SHORTLIST));
        Method method = PlanOptions.method(request.method());
        Budget budget = PlanOptions.budget(request.budget());
        Prices prices = Prices.load();
        FixedLegality.check(problem);
        return answer(
                setting, problem, method, budget, prices, observer, atMost, campaign, request.seed(), request.top());
    }

    /** Searches and reports. */
    static PlanAnswer answer(
            Setting setting,
            Problem problem,
            Method method,
            Budget budget,
            Prices prices,
            SearchObserver observer,
            AtMost atMost,
            Optional<Campaign> campaign,
            long seed,
            int listed) {
        Objectives search = new Objectives(method, prices::evaluation, budget, observer);
        SearchResult found = problem.objective() == Objective.COST
                ? CheapestPart.search(search, problem, campaign.orElseThrow(), atMost.days())
                : search.run(problem);
        String objective = problem.objective().name().toLowerCase(java.util.Locale.ROOT);
        var subject = setting.subject(prices, objective, seed);
        Reporter reporter = new Reporter(setting, prices, seed);
        if (found.scores().isEmpty()) {
            String stopped = found.statistics().stopped();
            if (!stopped.equals("done")) {
                throw outOfTime(stopped);
            }
            if (search.beyondClock()) {
                throw beyondClock(problem);
            }
            double mostStep = atMost.stepSeconds(campaign, problem.cluster().devices());
            PlanOutcome outcome = new NearestMiss(
                            setting, search, reporter, problem.withStepLimit(mostStep), atMost, campaign)
                    .find();
            PlanningResult result =
                    new PlanningResult(subject, found.statistics(), outcome, Optional.empty(), campaign);
            return new PlanAnswer(
                    result, setting.model(), setting.cluster(), setting.workload(), setting.framework(), null);
        }
        double error = prices.calibration().constant("comparison/step");
        List<Score> scores = reporter.again(found.scores());
        List<Score> ordered = Preference.order(scores, problem, error);
        List<Prediction> plans = new ArrayList<>();
        for (Score score : ordered.subList(0, Math.min(listed, ordered.size()))) {
            plans.add(reporter.predict(score.plan()));
        }
        // parts of a cluster are no points of one front
        List<ParetoPoint> front =
                problem.objective() == Objective.COST ? List.of() : ParetoFront.of(search, problem, found.scores());
        SearchStatistics statistics = Preference.count(found.statistics(), scores, error);
        Optional<Timeline> timeline = reporter.timeline(ordered.getFirst().plan());
        PlanningResult result =
                new PlanningResult(subject, statistics, new PlanOutcome.Found(plans, front), timeline, campaign);
        Plan best = reporter.program(ordered.getFirst().plan()).plan();
        return new PlanAnswer(
                result, setting.model(), setting.cluster(), setting.workload(), setting.framework(), best);
    }

    private static UserError beyondClock(Problem problem) {
        return new UserError(
                "no plan that fits ends a step of "
                        + Printed.count(problem.workload().globalBatch()) + " sequences on "
                        + problem.cluster().name() + " within " + Printed.years(PricedProgram.MOST_NANOS / 1e9)
                        + ", which is what the simulator's clock holds, or has so few slots that its memory does",
                "Maybe a smaller --global-batch, or a faster link: a rate of the cluster may have the wrong unit");
    }

    static UserError outOfTime(String stopped) {
        return new UserError(
                "the search ended (" + stopped + ") before a plan was found that fits",
                "Maybe a larger --budget, or --fix part of the plan");
    }
}
