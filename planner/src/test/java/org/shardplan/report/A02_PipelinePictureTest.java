package org.shardplan.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.shardplan.sim.Timeline;

/** FEATURE UNDER TEST: the pipeline in characters, to scale, cut in the middle where it is too long. */
final class A02_PipelinePictureTest {
    private static List<String> rows(Timeline timeline, int width) {
        List<String> lines = PipelinePicture.print(timeline, new Style(width, false, false))
                .lines()
                .toList();
        return lines.subList(1, lines.size() - 1);
    }

    /** Two ranks, three micro-batches: forward 100, backward 200, sends 10 ns. */
    @Test
    void oneForwardOneBackward() {
        assertEquals(
                List.of(
                        "    0  F0---F1---...........B0--------F2---B1--------......B2--------RO--",
                        "    1  ......F0---B0--------F1---B1--------.F2---B2--------R..........O--"),
                rows(Samples.oneForwardOneBackward(2, 3), 74));
    }

    @Test
    void aLongStepIsCutInTheMiddle() {
        List<String> rows = rows(Samples.oneForwardOneBackward(4, 200), 80);
        assertEquals(
                List.of("    0  F0--F1--F2--F3--"),
                rows.stream().limit(1).map(row -> row.substring(0, 23)).toList());
        assertTrue(rows.stream().allMatch(row -> row.contains(" ~ ")), rows::toString);
    }

    @Test
    void manyRanksAreCutInTheMiddle() {
        List<String> rows = rows(Samples.oneForwardOneBackward(40, 40), 100);
        assertEquals(16, rows.size());
        assertEquals("  ~ 25 more ranks", rows.get(8));
        assertTrue(rows.getLast().startsWith("   39  "));
    }

    @Property(tries = 60)
    void noRowIsWiderThanTheScreen(
            @ForAll @IntRange(min = 1, max = 24) int ranks,
            @ForAll @IntRange(min = 1, max = 60) int microBatches,
            @ForAll @IntRange(min = 40, max = 160) int width) {
        for (String row : rows(Samples.oneForwardOneBackward(ranks, microBatches), width)) {
            assertTrue(row.length() <= width, row);
        }
    }
}
