package org.shardplan.job;

import org.shardplan.plan.Shorthand;
import org.shardplan.program.Program;
import org.shardplan.search.Evaluation;
import org.shardplan.search.Scorer;
import org.shardplan.sim.Prediction;
import org.shardplan.sim.Predictor;
import org.shardplan.sim.Timeline;

/** Predicts given plans of a setting, for reports. */
final class Reporter {
    private final Scorer scorer;
    private final Predictor predictor;

    Reporter(Setting setting, Prices prices) {
        Evaluation evaluation = prices.evaluation(setting.problem(1));
        scorer = evaluation.scorer();
        predictor = new Predictor(
                setting.graph(), setting.cluster(), setting.framework(), setting.workload(), prices.calibration());
    }

    Program program(Shorthand plan) {
        return scorer.program(plan);
    }

    Prediction predict(Shorthand plan) {
        Program program = scorer.program(plan);
        return predictor.predict(program, scorer.price(program));
    }

    Timeline timeline(Shorthand plan) {
        Program program = scorer.program(plan);
        return predictor.timeline(program, scorer.price(program));
    }
}
