package org.shardplan.job;

import java.util.List;
import java.util.Optional;
import org.shardplan.form.ScheduleFile;
import org.shardplan.plan.PlanText;
import org.shardplan.plan.Shorthand;
import org.shardplan.plan.Verdict;
import org.shardplan.program.Program;
import org.shardplan.search.Campaign;
import org.shardplan.search.PlanOutcome;
import org.shardplan.search.PlanningResult;
import org.shardplan.search.SearchStatistics;
import org.shardplan.sim.Prediction;
import org.shardplan.units.UserError;

/** Predicts one given plan. */
public final class SimulateJob {
    private SimulateJob() {}

    /** @throws org.shardplan.units.UserError on any mistake in the request or its files */
    public static PlanAnswer run(SimulateRequest request) {
        Setting.Options options = new Setting.Options(
                request.cluster(),
                request.globalBatch(),
                request.seqLen(),
                request.precision(),
                request.optimizer(),
                request.framework(),
                request.memoryMargin(),
                request.task());
        boolean planNamed = request.plan().isEmpty() && request.model().endsWith(".json");
        if (planNamed || GivenPlan.isPlanFile(request.model())) {
            GivenPlan given = GivenPlan.read(request.model(), options);
            Setting setting = given.setting();
            Shorthand plan = request.plan().isEmpty()
                    ? given.plan()
                    : PlanText.parse(request.plan(), setting.cluster().devices(), ScheduleFile::read);
            return predict(setting, plan, Prices.load(), TrainingGoal.campaign(setting, request.tokens(), false));
        }
        require("--plan", request.plan(), "Maybe --plan \"tp=8,pp=4,mb=1\", or give a plan.json");
        require("--cluster", request.cluster(), "Maybe --cluster dgx-h100:8; `shardplan clusters` lists the catalog");
        require("--global-batch", request.globalBatch(), "Maybe --global-batch 1536, or --global-batch 4M-tokens");
        Setting setting = Setting.of(ModelSource.resolve(request.model()), options);
        Shorthand plan = PlanText.parse(request.plan(), setting.cluster().devices(), ScheduleFile::read);
        return predict(setting, plan, Prices.load(), TrainingGoal.campaign(setting, request.tokens(), false));
    }

    private static void require(String option, String value, String maybe) {
        if (value.isEmpty()) {
            throw new UserError(option + " is missing", maybe);
        }
    }

    /** @throws UserError where the plan is not legal */
    static PlanAnswer predict(Setting setting, Shorthand plan, Prices prices) {
        return predict(setting, plan, prices, Optional.empty());
    }

    private static PlanAnswer predict(Setting setting, Shorthand plan, Prices prices, Optional<Campaign> campaign) {
        long start = System.nanoTime();
        requireLegal(setting, plan, "plan ");
        Reporter reporter = new Reporter(setting, prices);
        Program program = reporter.program(plan);
        Prediction prediction = reporter.predict(plan);
        PlanOutcome outcome = new PlanOutcome.Found(List.of(prediction), List.of());
        if (prediction.peakBytes() > setting.capacityBytes()) {
            outcome = tooBig(setting, plan, reporter, prediction);
        }
        SearchStatistics statistics = SearchStatistics.given(prediction.evaluator(), (System.nanoTime() - start) / 1e9);
        PlanningResult result = new PlanningResult(
                setting.subject(prices, "", 1), statistics, outcome, reporter.timeline(plan), campaign);
        return new PlanAnswer(
                result, setting.model(), setting.cluster(), setting.workload(), setting.framework(), program.plan());
    }

    /** @throws UserError where the plan is not legal; {@code what} names it */
    static void requireLegal(Setting setting, Shorthand plan, String what) {
        if (setting.verdict(plan) instanceof Verdict.Illegal illegal) {
            throw new UserError(what + PlanText.print(plan) + ": " + illegal.why(), illegal.maybe());
        }
    }

    static PlanOutcome tooBig(Setting setting, Shorthand plan, Reporter reporter, Prediction prediction) {
        return new PlanOutcome.NothingFits(
                prediction,
                NearestMiss.worstStage(prediction),
                prediction.peakBytes(),
                setting.capacityBytes(),
                NearestChange.of(setting, plan, reporter));
    }
}
