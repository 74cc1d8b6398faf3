package org.shardplan.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Collections;
import java.util.List;
import net.jqwik.api.Assume;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who holds which layers. */
class A03_LayoutsTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                // layers; pp; vpp; layout; ranks
                "12; 1; 1; Et*12L; [E+12+H]",
                "12; 4; 1; Et*3|(t*3|)*2t*3L; [E+3, 3, 3, 3+H]",
                // Megatron-LM #381: none of the 30 is lost
                "30; 4; 1; Et*7|(t*8|)*2t*7L; [E+7, 8, 8, 7+H]",
                "31; 4; 1; Et*8|(t*8|)*2t*7L; [E+8, 8, 8, 7+H]",
                // BLOOM 176B as it was trained: embedding and head count as a layer each
                "70; 12; 1; Et*5|(t*6|)*10t*5L; [E+5, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 5+H]",
                "96; 8; 2; Et*6|(t*6|)*14t*6L; [E+12, 12, 12, 12, 12, 12, 12, 12+H]",
                "38; 8; 5; E|(t|)*38L; [E+4, 5, 5, 5, 5, 5, 5, 4+H]",
                "1; 2; 1; Et|L; [E+1, 0+H]"
            })
    void evenLayouts(int layers, int pp, int vpp, String layout, String ranks) {
        Shorthand plan = PlanText.parse("pp=" + pp + ",vpp=" + vpp, pp);
        assertEquals(layout, LayoutText.print(Layouts.of(plan, layers)));
        assertEquals(ranks, Layouts.printRanks(plan, layers).toString());
    }

    /** Megatron-Bridge #5391: the canonical layout of its totals by rank is the published one. */
    @Test
    void canonicalLayoutOfRankTotals() {
        int[] totals = {10, 10, 10, 11, 10, 10, 10, 9};
        assertEquals("Et*2|(t*2|)*34t*3|(t*2|)*3tL", LayoutText.print(Layouts.ofRanks(totals, 5)));
    }

    @Test
    void stagesFollowTheChain() {
        Shorthand plan = PlanText.parse("pp=2,vpp=2,layout=E|t*2|t*3|tL,recompute=full:2", 2);
        assertEquals(
                List.of(
                        new Stage(0, 0, 0, 0, true, false),
                        new Stage(1, 0, 2, 1, false, false),
                        new Stage(0, 2, 3, 2, false, false),
                        new Stage(1, 5, 1, 1, false, true)),
                Layouts.stages(plan, 6));
        assertEquals(List.of("E+3", "3+H"), Layouts.printRanks(plan, 6));
    }

    @Test
    void recomputedLayersByRank() {
        Shorthand plan = PlanText.parse("pp=4,recompute=full:3/2/2/1", 4);
        assertEquals(
                List.of(3, 2, 2, 1),
                Layouts.stages(plan, 12).stream()
                        .map(Stage::fullRecomputeLayers)
                        .toList());
        Shorthand full = PlanText.parse("pp=2,vpp=3,recompute=full", 2);
        assertTrue(Layouts.stages(full, 12).stream().allMatch(stage -> stage.fullRecomputeLayers() == stage.layers()));
    }

    @Test
    void foreignLayoutIsABugOfTheCaller() {
        Shorthand plan = PlanText.parse("pp=2,layout=Et*2|t*2L", 2);
        assertThrows(IllegalArgumentException.class, () -> Layouts.stages(plan, 5));
    }

    @Property
    void everyLayerOnceAndEven(
            @ForAll @IntRange(min = 1, max = 200) int layers,
            @ForAll @IntRange(min = 1, max = 20) int pp,
            @ForAll @IntRange(min = 1, max = 5) int vpp) {
        Assume.that(layers >= pp * vpp - 2 && (pp > 1 || vpp == 1));
        List<Integer> layout = Layouts.even(layers, pp, vpp);
        assertEquals(pp * vpp, layout.size());
        assertEquals(layers, layout.stream().mapToInt(Integer::intValue).sum());
        assertTrue(Collections.max(layout) - Collections.min(layout) <= 1, layout.toString());
        assertEquals(Collections.min(layout), Math.min(layout.getFirst(), layout.getLast()), layout.toString());
        for (int q = 1; q < layout.size() - 1; q++) {
            assertTrue(layout.get(q) > 0, layout.toString());
        }
    }
}
