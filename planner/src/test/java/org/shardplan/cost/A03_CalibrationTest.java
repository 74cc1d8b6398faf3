package org.shardplan.cost;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardplan.cost.Calibration.Residual;
import org.shardplan.units.UserError;

/** FEATURE UNDER TEST: calibration as data: its file, and from whom a factor is inherited. */
final class A03_CalibrationTest {
    private final Calibration shipped = CalibrationFile.load();

    private Calibration with(String key, Residual residual) {
        TreeMap<String, Residual> residuals = new TreeMap<>();
        residuals.put("*/*", new Residual(1, 0, 0, 0.28, "test"));
        residuals.put(key, residual);
        return new Calibration("2025-01-01", shipped.constants(), residuals);
    }

    @Test
    void whatIsKnownOfADeviceIsSurerThanWhatIsKnownOfNone() {
        double h100 = shipped.interval("megatron-core", Machines.H100, 0);
        assertEquals(
                shipped.residuals().get("*/h100-sxm-80gb").factor(),
                shipped.residual("megatron-core", Machines.H100),
                "its device's");
        assertTrue(h100 < shipped.interval("megatron-core", Machines.GB200, 0), "no rows of its own device");
        assertTrue(shipped.interval("megatron-core", Machines.V100, 0) > h100, "a device without a table");
    }

    @Test
    void everyConstantNamesItsSource() {
        shipped.constants()
                .forEach((key, constant) -> assertTrue(constant.source().length() > 3, key));
        shipped.residuals()
                .forEach((key, residual) -> assertTrue(residual.source().length() > 3, key));
    }

    @Test
    void constantsFallBackFromDeviceToFamilyToAny() {
        assertEquals(0.70, shipped.constant("sustained", Machines.GB200, "bf16"));
        assertEquals(0.87, shipped.constant("sustained", Machines.H100, "bf16"));
        assertEquals(0.86, shipped.constant("sustained", Machines.A100_40, "bf16"));
        assertEquals(1.6, shipped.constant("attention", Machines.V100, "forward-waves"));
        assertTrue(Double.isNaN(shipped.constant("attention", Machines.V100, "forward")));
        assertTrue(Double.isNaN(shipped.constant("no such")));
    }

    @Test
    void aResidualIsInheritedFromTheNearestThatStandsOnEnoughRuns() {
        Residual own = new Residual(0.9, 12, 4, 0.06, "test");
        assertEquals(0.9, with("megatron-core/a100-sxm-80gb", own).residual("megatron-core", Machines.A100));
        assertEquals(1, with("megatron-core/a100-sxm-80gb", own).residual("megatron-lm-2021", Machines.A100));
        assertEquals(0.9, with("*/a100-sxm-80gb", own).residual("megatron-lm-2021", Machines.A100));
        assertEquals(0.9, with("*/ampere", own).residual("megatron-lm-2021", Machines.A100_40));
        assertEquals(1, with("*/ampere", own).residual("megatron-lm-2021", Machines.H100));
        // law 5: three rows of two shapes at the least
        assertEquals(1, with("*/ampere", new Residual(0.9, 2, 2, 0.06, "test")).residual("x", Machines.A100));
        assertEquals(1, with("*/ampere", new Residual(0.9, 9, 1, 0.06, "test")).residual("x", Machines.A100));
    }

    @Test
    void whatIsWrittenIsRead(@TempDir Path folder) throws IOException {
        Calibration fitted = with("megatron-core/a100-sxm-80gb", new Residual(0.93, 12, 4, 0.06, "test"));
        Path file = folder.resolve("calibration.tsv");
        CalibrationFile.write(fitted, file);
        assertEquals(fitted, CalibrationFile.read(file));
        assertEquals(fitted.hash(), CalibrationFile.read(file).hash());
        assertNotEquals(shipped.hash(), fitted.hash());
        assertEquals(12, shipped.hash().length());
    }

    @Test
    void mistakesAreShownWithTheirPlace() {
        String head = "format: shardplan.calibration/1\n";
        assertTrue(message(head + "constant\ta\tfast\tx").contains("line 2: \"fast\" is not a number"));
        assertTrue(message(head + "constant\ta\tNaN\tx").contains("\"NaN\""));
        assertTrue(message(head + "constant a 1 x").contains("neither a constant nor a residual"));
        assertTrue(message("format: shardplan.calibration/9\n").contains("shardplan.calibration/9"));
        assertTrue(message("").contains("format \"\""));
    }

    private static String message(String text) {
        UserError error = assertThrows(UserError.class, () -> CalibrationFile.parse(text, "my.tsv"));
        assertTrue(error.maybe().startsWith("Maybe"));
        assertTrue(error.getMessage().startsWith("my.tsv"));
        return error.getMessage();
    }
}
