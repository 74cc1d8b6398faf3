package org.shardplan.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.shardplan.units.UserError;

/** Megatron-LM's layout notation, read and printed. */
class A01_LayoutTextTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "t; [1]; EtL",
                "Et*2L; [2]; Et*2L",
                "12|11|11|10; [12, 11, 11, 10]; Et*12|(t*11|)*2t*10L",
                "Et*5|(t*6|)*10,t*5L; [5, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 5]; Et*5|(t*6|)*10t*5L",
                "E|t|tt|L; [0, 1, 2, 0]; E|t|t*2|L",
                "Ettt|t*3|(t|)*2,L; [3, 3, 1, 1, 0]; Et*3|t*3|(t|)*2L",
                "(t*2|)*2 3; [2, 2, 3]; Et*2|t*2|t*3L",
                "E((t|)*2tt|)*2L; [1, 1, 2, 1, 1, 2, 0]; Et|t|t*2|(t|)*2t*2|L"
            })
    void readsAndPrints(String text, String layers, String printed) {
        List<Integer> layout = LayoutText.parse(text);
        assertEquals(layers, layout.toString());
        assertEquals(printed, LayoutText.print(layout));
    }

    /** Megatron-Bridge #5391: Llama-3 70B on 64 H100, tp4 pp8 vpp5. */
    @Test
    void readsThePublishedLayoutOfLlama3() {
        List<Integer> layout = LayoutText.parse("Et*2|(t*2|)*34,t*3|(t*2|)*3,tL");
        assertEquals(40, layout.size());
        assertEquals(80, layout.stream().mapToInt(Integer::intValue).sum());
        assertEquals(3, layout.get(35));
        assertEquals(1, layout.getLast());
        assertEquals("Et*2|(t*2|)*34t*3|(t*2|)*3tL", LayoutText.print(layout));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "''; it has no layers",
                "EL; it has no layers",
                "t|E|t; E must stand first",
                "Lt; E must stand first",
                "Et*|t; a * has no number",
                "E(t|t; a ( is not closed",
                "Et)|t; a ) has no (",
                "Et|m|L; 'm' has no meaning",
                "t*9999999|t; 9999999 is too large",
                "(t|)*200000; more than 100000 stages",
                "((t|)*1000)*1000; more than 100000 stages",
                "((((((((((t)))))))))); nest too deep",
                "(t*900)*900|t; more than 100000 layers"
            })
    void refuses(String text, String message) {
        UserError error = assertThrows(UserError.class, () -> LayoutText.parse(text));
        assertTrue(error.getMessage().contains(message), error.getMessage());
        assertTrue(error.maybe().startsWith("Maybe"), error.maybe());
    }

    @Property
    void roundTrips(@ForAll("layouts") List<Integer> layout) {
        assertEquals(layout, LayoutText.parse(LayoutText.print(layout)));
    }

    @Provide
    Arbitrary<List<Integer>> layouts() {
        return Arbitraries.integers()
                .between(0, 4)
                .list()
                .ofMinSize(1)
                .ofMaxSize(60)
                .filter(layout -> layout.stream().mapToInt(Integer::intValue).sum() > 0);
    }
}
