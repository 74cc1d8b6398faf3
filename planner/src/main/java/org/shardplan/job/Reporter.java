package org.shardplan.job;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.shardplan.cost.PricedProgram;
import org.shardplan.plan.Shorthand;
import org.shardplan.program.Program;
import org.shardplan.search.Evaluation;
import org.shardplan.search.Score;
import org.shardplan.search.Scorer;
import org.shardplan.sim.EventRung;
import org.shardplan.sim.Prediction;
import org.shardplan.sim.Predictor;
import org.shardplan.sim.Timeline;

/** Predicts given plans of a setting, for reports. */
final class Reporter {
    private static final long MOST_SLOTS = 2_000_000;

    private final Scorer scorer;
    private final Predictor predictor;
    private final EventRung events;

    Reporter(Setting setting, Prices prices) {
        this(setting, prices, 1);
    }

    /** @param seed of jitter */
    Reporter(Setting setting, Prices prices, long seed) {
        Evaluation evaluation = prices.evaluation(setting.problem(1));
        scorer = evaluation.scorer();
        events = new EventRung(setting.cluster(), evaluation.pricer(), seed);
        predictor = new Predictor(
                setting.graph(),
                setting.cluster(),
                setting.framework(),
                setting.workload(),
                prices.calibration(),
                events);
    }

    Program program(Shorthand plan) {
        return scorer.program(plan);
    }

    Prediction predict(Shorthand plan) {
        return predict(plan, UnaryOperator.identity());
    }

    /** Empty where the simulator's clock can't hold the step. */
    Optional<Prediction> onClock(Shorthand plan) {
        Program program = scorer.program(plan);
        return scorer.onClock(program).map(priced -> predictor.predict(program, priced));
    }

    /** @param change what becomes of the program's prices */
    Prediction predict(Shorthand plan, UnaryOperator<PricedProgram> change) {
        Program program = scorer.program(plan);
        return predictor.predict(program, change.apply(scorer.price(program)));
    }

    /** The plans scored by events where these tell more than a sweep, fastest first; else as given. */
    List<Score> again(List<Score> scores) {
        if (!events.applies()) {
            return scores;
        }
        return scores.stream()
                .map(score -> {
                    Program program = scorer.program(score.plan());
                    long nanos = events.stepNanos(program, scorer.price(program));
                    return new Score(score.plan(), nanos, score.peakBytes(), score.number());
                })
                .sorted(Comparator.comparingLong(Score::stepNanos).thenComparingLong(Score::number))
                .toList();
    }

    /** Empty where the step has more slots than anybody looks at: a list of them would fill the memory. */
    Optional<Timeline> timeline(Shorthand plan) {
        Program program = scorer.program(plan);
        long slots = 2L * program.stages().size() * program.plan().microBatches();
        return slots > MOST_SLOTS ? Optional.empty() : Optional.of(predictor.timeline(program, scorer.price(program)));
    }
}
