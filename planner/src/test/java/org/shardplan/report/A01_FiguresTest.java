package org.shardplan.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** FEATURE UNDER TEST: numbers for people; what is unknown is said to be. */
final class A01_FiguresTest {
    @Test
    void secondsHaveThreeFigures() {
        assertEquals("20.1 s", Figures.seconds(20.06));
        assertEquals("1.37 s", Figures.seconds(1.3749));
        assertEquals("372 ms", Figures.seconds(0.372));
        assertEquals("85.0 us", Figures.seconds(85e-6));
        assertEquals("1,234 s", Figures.seconds(1234.4));
        assertEquals("0 s", Figures.seconds(0));
        assertEquals("1.00 s", Figures.seconds(0.9997));
    }

    @Test
    void partsHaveTheUnitOfTheWhole() {
        assertEquals("0.25 s", Figures.secondsOf(0.25, 20));
        assertEquals("12.5 s", Figures.secondsOf(12.5, 436));
        assertEquals("3.500 ms", Figures.secondsOf(0.0035, 0.0091));
    }

    /** What has no two figures in the unit of the whole stands in its own. */
    @Test
    void littleIsNotNothing() {
        assertEquals("0.10 s", Figures.secondsOf(0.099, 20));
        assertEquals("19.8 ms", Figures.secondsOf(0.0198, 20));
        assertEquals("0.00 s", Figures.secondsOf(0, 20));
        assertEquals("0.044 %", Figures.percent(0.00044));
        assertEquals("0.52 %", Figures.percent(0.00519));
        assertEquals("0.0 %", Figures.percent(0));
        assertEquals("52.3 %", Figures.percent(0.523));
        assertEquals("0.020", Figures.gib(0.02 * (1L << 30)));
    }

    @Test
    void unknownIsNeverZero() {
        assertEquals("unknown", Figures.seconds(Double.NaN));
        assertEquals("unknown", Figures.secondsOf(Double.NaN, 1));
        assertEquals("unknown", Figures.gib(Double.NaN));
        assertEquals("unknown", Figures.percent(Double.NaN));
        assertEquals("unknown", Figures.significant(Double.NaN));
    }

    @Test
    void parametersAreCountedInTheFieldsUnits() {
        assertEquals("175 B", Figures.parameters(174_604_259_328L));
        assertEquals("8.03 B", Figures.parameters(8_030_261_248L));
        assertEquals("124 M", Figures.parameters(124_439_808L));
        assertEquals("1.01 T", Figures.parameters(1_008_000_000_000L));
    }
}
