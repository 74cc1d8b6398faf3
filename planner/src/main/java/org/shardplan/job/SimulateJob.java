package org.shardplan.job;

import java.util.List;
import java.util.Optional;
import org.shardplan.plan.Legality;
import org.shardplan.plan.PlanText;
import org.shardplan.plan.Shorthand;
import org.shardplan.plan.Verdict;
import org.shardplan.program.Program;
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
                request.memoryMargin());
        Setting setting = Setting.of(ModelSource.resolve(request.model()), options);
        Shorthand plan = PlanText.parse(request.plan(), setting.cluster().devices());
        return predict(setting, plan, Prices.load());
    }

    /** @throws UserError where the plan is not legal */
    static PlanAnswer predict(Setting setting, Shorthand plan, Prices prices) {
        long start = System.nanoTime();
        Verdict verdict =
                Legality.check(plan, setting.graph(), setting.workload(), setting.cluster(), setting.framework());
        if (verdict instanceof Verdict.Illegal illegal) {
            throw new UserError("plan " + PlanText.print(plan) + ": " + illegal.why(), illegal.maybe());
        }
        Reporter reporter = new Reporter(setting, prices);
        Program program = reporter.program(plan);
        Prediction prediction = reporter.predict(plan);
        PlanOutcome outcome = new PlanOutcome.Found(List.of(prediction), List.of());
        if (prediction.peakBytes() > setting.capacityBytes()) {
            int stage = NearestMiss.worstStage(prediction);
            outcome = new PlanOutcome.NothingFits(
                    prediction,
                    stage,
                    prediction.peakBytes(),
                    setting.capacityBytes(),
                    NearestChange.of(setting, plan, reporter));
        }
        SearchStatistics statistics = SearchStatistics.given("sweep", (System.nanoTime() - start) / 1e9);
        PlanningResult result = new PlanningResult(
                setting.subject(prices, "", 1), statistics, outcome, Optional.of(reporter.timeline(plan)));
        return new PlanAnswer(
                result, setting.model(), setting.cluster(), setting.workload(), setting.framework(), program.plan());
    }
}
