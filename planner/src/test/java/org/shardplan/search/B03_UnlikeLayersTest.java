package org.shardplan.search;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.shardplan.cost.Calibration;
import org.shardplan.cost.CalibrationFile;
import org.shardplan.cost.CollectiveModel;
import org.shardplan.cost.KernelModel;
import org.shardplan.cost.KernelTables;
import org.shardplan.plan.Shorthand;
import org.shardplan.search.EveryPlan.Scored;

/** Models whose first layer has no experts: the fastest plan is found where memory is ample. */
class B03_UnlikeLayersTest {
    private static final int PROBLEMS = 30;
    private static final int MOST_PLANS = 1_000;

    private final KernelTables tables = KernelTables.load();
    private final Calibration calibration = CalibrationFile.load();
    private final KernelModel kernels = new KernelModel(tables, calibration);
    private final CollectiveModel collectives = new CollectiveModel(tables);

    @Test
    void fastestWhereMemoryIsAmple() {
        for (int seed = 0; seed < PROBLEMS; seed++) {
            Random random = new Random(5000 + seed);
            Problem problem;
            EveryPlan every;
            Evaluation evaluation;
            List<List<Shorthand>> tuples;
            do {
                problem = SmallProblems.drawUnlike(random);
                evaluation = new Evaluation(problem, kernels, collectives, calibration);
                every = new EveryPlan(problem);
                tuples = every.alike(every.tuples(), evaluation);
            } while (every.count(tuples, MOST_PLANS) >= MOST_PLANS);
            long best = every.score(tuples, evaluation).stream()
                    .filter(Scored::searched)
                    .mapToLong(Scored::stepNanos)
                    .min()
                    .orElseThrow();
            SearchResult found = new Hybrid(1).search(problem, evaluation, Budget.NONE, SearchObserver.NONE);
            assertEquals(best, found.scores().getFirst().stepNanos(), "problem " + seed);
        }
    }
}
