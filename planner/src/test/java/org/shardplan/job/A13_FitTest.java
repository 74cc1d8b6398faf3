package org.shardplan.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.shardplan.cluster.Device;
import org.shardplan.cost.Calibration;
import org.shardplan.cost.Calibration.Residual;
import org.shardplan.form.DeviceCatalog;
import org.shardplan.report.HeldOut;

/** FEATURE UNDER TEST: residual factors from measured runs. */
final class A13_FitTest {
    private static final Device A100 = DeviceCatalog.get("a100-sxm-80gb");
    private static final Device B200 = DeviceCatalog.get("b200-sxm");
    private static final Calibration NOTHING = new Calibration(
            "", new TreeMap<>(), new TreeMap<>(java.util.Map.of("*/*", new Residual(1, 0, 0, 0.28, "test"))));

    /** Runs of two shapes, each so many times slower than predicted. */
    private static List<FitPoint> runs(String source, String framework, Device device, double... slower) {
        List<FitPoint> points = new ArrayList<>();
        for (double each : slower) {
            String id = source + points.size();
            points.add(new FitPoint(id, source, framework, device, "shape" + points.size() % 2, 0.1, Math.log(each)));
        }
        return points;
    }

    @SafeVarargs
    private static Calibration fit(List<FitPoint>... groups) {
        List<FitPoint> all = new ArrayList<>();
        for (List<FitPoint> group : groups) {
            all.addAll(group);
        }
        return Fit.of(all, NOTHING, "today");
    }

    @Test
    void aGenerationGetsItsMedian() {
        Calibration fitted = fit(runs("s", "f", A100, 1.02, 1.10, 1.50));
        assertEquals(1.10, fitted.residual("f", A100), 1e-4);
        assertEquals(1.10, fitted.residual("other", A100), 1e-4, "its device's");
        assertEquals(1, fitted.residual("f", B200), "nothing is known");
    }

    @Test
    void sourcesWeighTheSame() {
        Calibration fitted =
                fit(runs("many", "f", A100, 1.1, 1.1, 1.1, 1.1, 1.1, 1.1, 1.1), runs("few", "f", A100, 1.0, 1.2, 1.2));
        assertEquals(Math.sqrt(1.1 * 1.2), fitted.residual("f", A100), 1e-4);
        assertEquals(0.1 / 1.2, fitted.interval("f", A100, 0), 0.12);
    }

    @Test
    void threeRowsOfTwoShapesAtTheLeast() {
        assertEquals(1, fit(runs("s", "f", A100, 1.1, 1.1)).residual("f", A100));
        List<FitPoint> oneShape = runs("s", "f", A100, 1.1, 1.1, 1.1, 1.1, 1.1).stream()
                .filter(point -> point.shape().equals("shape0"))
                .toList();
        assertEquals(1, fit(oneShape).residual("f", A100));
    }

    @Test
    void slowSoftwareDoesNotTellOfItsDevice() {
        Calibration fitted = fit(runs("s", "exposed", A100, 2, 2, 2), runs("t", "f", A100, 1.04, 1.04, 1.04));
        assertEquals(2, fitted.residual("exposed", A100), 1e-4);
        assertEquals(1.04, fitted.residual("new", A100), 1e-4);
    }

    @Test
    void judgesAreNotFittedOn() {
        List<FitPoint> judge = runs("megatron-mtnlg530b", "f", A100, 1.5, 1.5, 1.5);
        Calibration fitted = fit(judge, runs("t", "f", A100, 1.1, 1.1, 1.1));
        assertEquals(1.1, fitted.residual("f", A100), 1e-4);
        assertTrue(fitted.interval("f", A100, 0) > 0.3, "but they widen the interval");
    }

    @Test
    void theOrderOfRowsDoesNotMatter() {
        List<FitPoint> points = new ArrayList<>(runs("s", "f", A100, 1.02, 1.10, 1.50, 0.9, 1.07));
        points.addAll(runs("t", "g", A100, 1.2, 1.1, 1.15));
        Calibration fitted = Fit.of(points, NOTHING, "today");
        Collections.shuffle(points, new Random(1));
        assertEquals(fitted.residuals(), Fit.of(points, NOTHING, "today").residuals());
    }

    /** A source is predicted as if it had never been measured. */
    @Test
    void aSourceIsLeftOut() {
        List<FitPoint> points = new ArrayList<>(runs("s", "f", A100, 1.2, 1.2, 1.2));
        points.addAll(runs("t", "g", A100, 1.1, 1.1, 1.1));
        List<HeldOut> scores = HeldOutScores.of(points, Fit.of(points, NOTHING, "today"));
        assertEquals(1.1, scores.getFirst().factor(), 1e-4);
        assertEquals(100 * (1.1 / 1.2 - 1), scores.getFirst().biasPercent(), 0.01);
        assertEquals(1.2, scores.getFirst().shipped(), 1e-4);
        assertFalse(scores.getFirst().factorFrom().contains("s"));
    }
}
