package org.shardplan.job;

import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import org.shardplan.cluster.Cluster;
import org.shardplan.form.Row;
import org.shardplan.graph.TransformerSizes;
import org.shardplan.plan.Legality;
import org.shardplan.plan.Shorthand;
import org.shardplan.plan.Verdict;
import org.shardplan.sim.Prediction;
import org.shardplan.workload.Framework;
import org.shardplan.workload.Workload;

/** What is predicted for measured runs. Runs that differ in nothing that a prediction looks at share one; any thread may ask. */
final class RowPredictions {
    private final Variation variation;
    private final Map<Asked, Foreseen> known = new ConcurrentHashMap<>();
    private final Map<Asked, Double> formulas = new ConcurrentHashMap<>();

    RowPredictions(Variation variation) {
        this.variation = variation;
    }

    Variation variation() {
        return variation;
    }

    /** All of a row that its prediction looks at. */
    private record Asked(
            TransformerSizes sizes,
            Workload workload,
            Cluster cluster,
            Shorthand plan,
            String framework,
            String attention,
            OptionalInt gradientBytes,
            Row.Switches switches,
            String recomputeModules) {
        static Asked of(RowCase.Ready ready) {
            return new Asked(
                    ready.sizes(),
                    ready.workload(),
                    ready.cluster(),
                    ready.plan(),
                    ready.framework(),
                    ready.attention(),
                    ready.gradientBytes(),
                    ready.row().software().switches(),
                    ready.row().software().recomputeModules());
        }
    }

    /**
     * A prediction as far as a row needs it.
     *
     * @param refused the rule that the plan breaks; empty where it is legal, and only then is the rest known
     * @param exposedShare of the step, in communication that nothing hides
     * @param allocatedBytes of the rank that publishes it, likewise {@code reservedBytes}
     * @param peakBytes of the worst rank, context included
     * @param fits whether that is no more than the device has
     */
    record Foreseen(
            String refused,
            String framework,
            double stepSeconds,
            double stepLowSeconds,
            double stepHighSeconds,
            double exposedShare,
            long allocatedBytes,
            long reservedBytes,
            long peakBytes,
            boolean fits) {}

    /** @throws org.shardplan.units.UserError where it can't be priced */
    Foreseen of(RowCase.Ready ready) {
        return known.computeIfAbsent(Asked.of(ready), _ -> foresee(ready));
    }

    /** Seconds of the step by {@link FormulaBaseline}. */
    double formulaSeconds(RowCase.Ready ready) {
        return formulas.computeIfAbsent(Asked.of(ready), _ -> FormulaBaseline.seconds(ready));
    }

    private Foreseen foresee(RowCase.Ready ready) {
        Framework framework = variation.framework().apply(RowPrediction.framework(ready));
        ModelSource.Found model =
                new ModelSource.Found(ready.sizes(), ready.row().source(), "", List.of());
        Setting setting = Setting.of(model, ready.cluster(), ready.workload(), framework, 0, List.of());
        Verdict verdict =
                Legality.check(ready.plan(), setting.graph(), setting.workload(), setting.cluster(), framework);
        if (verdict instanceof Verdict.Illegal illegal) {
            String refused = illegal.rule() + ": " + illegal.why();
            double unknown = Double.NaN;
            return new Foreseen(refused, framework.name(), unknown, unknown, unknown, unknown, 0, 0, 0, false);
        }
        Prediction prediction = new Reporter(setting, variation.prices()).predict(ready.plan(), variation.priced());
        List<Prediction.StageUse> stages = prediction.stages();
        if (ready.framework().equals("nanotron")) {
            stages = stages.subList(0, 1); // nanotron/helpers.py, log_throughput: rank 0 writes its own
        }
        return new Foreseen(
                "",
                framework.name(),
                prediction.stepSeconds(),
                prediction.stepLowSeconds(),
                prediction.stepHighSeconds(),
                prediction.time().exposedShare(),
                stages.stream()
                        .mapToLong(Prediction.StageUse::allocatedBytes)
                        .max()
                        .orElse(0),
                stages.stream()
                        .mapToLong(Prediction.StageUse::reservedBytes)
                        .max()
                        .orElse(0),
                prediction.peakBytes(),
                prediction.peakBytes() <= prediction.capacityBytes());
    }
}
