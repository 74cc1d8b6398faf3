package org.shardplan.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.shardplan.Golden;
import org.shardplan.sim.Prediction;

/** FEATURE UNDER TEST: the report of plan, simulate and explain for people. */
final class A03_TextReportTest {
    private static final Style UNICODE = new Style(100, false, true);

    @Test
    void planReport() throws IOException {
        Golden.check(
                "report/plan.txt",
                TextReport.print(Samples.found(Optional.of(Samples.oneForwardOneBackward(8, 24))), UNICODE));
    }

    @Test
    void nothingFits() throws IOException {
        Golden.check("report/nothing-fits.txt", TextReport.print(Samples.nothingFits(), Style.PLAIN));
    }

    @Test
    void explanation() throws IOException {
        Golden.check("report/explain.txt", ExplainReport.print(Samples.found(Optional.empty()), Style.PLAIN));
    }

    @Test
    void plainMeansNoEscapesAndNothingButAscii() {
        String text = TextReport.print(Samples.found(Optional.of(Samples.oneForwardOneBackward(8, 24))), Style.PLAIN);
        assertTrue(text.chars().allMatch(c -> c == '\n' || (c >= ' ' && c < 127)), text);
    }

    /** Colours add escapes and change nothing else. */
    @Test
    void coloursChangeNoText() {
        var result = Samples.found(Optional.of(Samples.oneForwardOneBackward(8, 24)));
        String painted = TextReport.print(result, new Style(100, true, true));
        assertTrue(painted.contains("\033["));
        assertEquals(TextReport.print(result, UNICODE), painted.replaceAll("\033\\[[0-9]*m", ""));
    }

    @Test
    void whatAnotherPlanLoses() {
        Prediction best = Samples.prediction(8, 0);
        assertEquals("loses 0.21 s: +0.21 s bubble", Comparison.sentence(best, Samples.prediction(16, 0.21)));
        assertEquals(
                "gains 1.00 s: -1.00 s bubble; 3.0 GiB more", Comparison.sentence(best, Samples.prediction(8, -1, 3)));
        assertEquals("takes the same time", Comparison.sentence(best, best));
    }

    @Test
    void lengthOfALineOfNotes() {
        assertEquals("  - one two\n    three\n", Notes.wrapped("one two three", 12));
        assertFalse(Notes.wrapped("averyveryverylongword", 12).contains("\n "));
    }
}
