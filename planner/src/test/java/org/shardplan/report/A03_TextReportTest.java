package org.shardplan.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.shardplan.Golden;
import org.shardplan.search.PlanOutcome;
import org.shardplan.search.PlanningResult;
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
        Golden.check("report/explain.txt", ExplainReport.print(Samples.explanation(), Style.PLAIN));
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

    /** Each plan stands whole on one line, however narrow the screen, so that it can be copied. */
    @Test
    void plansAreNeverCut() {
        PlanningResult result = Samples.found(Optional.empty());
        for (int width : new int[] {40, 100, 300}) {
            String text = TextReport.print(result, new Style(width, false, true));
            for (Prediction plan : ((PlanOutcome.Found) result.outcome()).plans()) {
                assertTrue(text.lines().anyMatch(line -> line.contains(plan.planText())), text);
            }
        }
    }

    @Test
    void theFirstPlanMayBeSlower() {
        PlanningResult result = Samples.found(Optional.empty());
        PlanOutcome.Found found = (PlanOutcome.Found) result.outcome();
        PlanOutcome turned = new PlanOutcome.Found(found.plans().reversed(), List.of());
        String text = TextReport.print(
                new PlanningResult(result.subject(), result.search(), turned, Optional.empty()), Style.PLAIN);
        assertTrue(text.contains("first because it leaves more memory free: the fastest"), text);
    }

    @Test
    void tablesTooWideForTheScreen() {
        TextTable table = new TextTable(">n", "plan").lastBelow();
        table.add("1", "tp=8,pp=16");
        assertEquals("n  plan\n1  tp=8,pp=16\n", table.print("", new Style(20, false, false)));
        assertEquals("n\n1\n   tp=8,pp=16\n", table.print("", new Style(12, false, false)));
    }

    @Test
    void lengthOfALineOfNotes() {
        assertEquals("  - one two\n    three\n", Notes.wrapped("one two three", 12));
        assertFalse(Notes.wrapped("averyveryverylongword", 12).contains("\n "));
    }
}
