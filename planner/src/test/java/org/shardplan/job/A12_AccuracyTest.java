package org.shardplan.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.shardplan.Checkout;
import org.shardplan.cost.CalibrationFile;
import org.shardplan.report.HeldOut;
import org.shardplan.report.Validation;
import org.shardplan.search.SearchObserver;

/** FEATURE UNDER TEST: how near predictions come to the measured runs of bench/rows. */
final class A12_AccuracyTest {
    private static final ValidateJob.Outcome OUTCOME =
            ValidateJob.run(new ValidateRequest(files()), SearchObserver.NONE);

    private static List<String> files() {
        try (Stream<Path> files = Files.list(Checkout.root().resolve("bench/rows"))) {
            return files.map(Path::toString)
                    .filter(file -> file.endsWith(".csv"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static HeldOut heldOut(String source, String framework) {
        return OUTCOME.validation().heldOut().stream()
                .filter(line -> line.source().equals(source) && line.framework().equals(framework))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void theShippedFactorsAreWhatTheseRowsGive() {
        assertEquals(OUTCOME.fitted().residuals(), CalibrationFile.load().residuals(), """
                calibration.tsv is behind. Maybe run ./shardplan validate bench/rows/*.csv --fit OUT
                and copy OUT's residual lines and its date""");
    }

    /** No constant that predicts a source was fitted on it. */
    @Test
    void sourcesByTheOthersFactors() {
        HeldOut korthikanti = heldOut("megatron-korthikanti2022", "megatron-lm-2022");
        assertEquals(8, korthikanti.rows(), "kort-0009 is unverified");
        assertTrue(korthikanti.medianPercent() <= 6, korthikanti.toString());
        assertTrue(korthikanti.worstPercent() <= 20, korthikanti.toString());
        HeldOut sc21 = heldOut("megatron-sc21", "megatron-lm-2021");
        assertEquals(16, sc21.rows(), "ZeRO-3 rows stand apart");
        assertTrue(sc21.medianPercent() <= 6, sc21.toString());
        assertTrue(sc21.worstPercent() <= 20, sc21.toString());
        HeldOut mtNlg = heldOut("megatron-mtnlg530b", "megatron-deepspeed");
        assertTrue(mtNlg.medianPercent() <= 12, mtNlg.toString());
        assertTrue(mtNlg.worstPercent() <= 20, mtNlg.toString());
    }

    @Test
    void mtNlgIsNeverFittedOn() {
        OUTCOME.fitted()
                .residuals()
                .forEach((key, residual) -> assertTrue(!residual.source().contains("mtnlg"), key));
    }

    @Test
    void memory() {
        Validation.Summary simumax = summary("simumax");
        assertTrue(simumax.memoryMedianPercent() <= 3, simumax.toString());
        Validation.Summary bloom = summary("bigscience-bloom-a100");
        assertTrue(bloom.memoryMedianPercent() <= 10, bloom.toString());
    }

    private static Validation.Summary summary(String source) {
        return OUTCOME.validation().bySource().stream()
                .filter(line -> line.source().equals(source))
                .findFirst()
                .orElseThrow();
    }
}
