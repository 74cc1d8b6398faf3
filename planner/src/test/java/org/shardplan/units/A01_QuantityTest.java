package org.shardplan.units;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** FEATURE UNDER TEST: quantities with units, exact, and refused where they have two readings. */
final class A01_QuantityTest {

    @ParameterizedTest
    @CsvSource({
        "80GiB, 85899345920",
        "80GB, 80000000000",
        "80 GB, 80000000000",
        "1.5 TiB, 1649267441664",
        "4B, 4",
        "512kB, 512000",
        "512KiB, 524288",
        "0.5KiB, 512",
        "2e3MiB, 2097152000",
        "-1GiB, -1073741824"
    })
    void bytesAreExact(String text, long bytes) {
        assertEquals(bytes, Quantity.parseBytes(text, "x"));
    }

    @ParameterizedTest
    @CsvSource({
        "300GB/s, 3e11",
        "200Gbit/s, 25e9",
        "200Gb/s, 25e9",
        "25 GiB/s, 26843545600",
        "3.35TB/s, 3.35e12",
        "81 Tb/s, 1.0125e13"
    })
    void ratesKeepBitsAndBytesApart(String text, double rate) {
        assertEquals(rate, Quantity.parseBytesPerSecond(text, "x"));
    }

    @ParameterizedTest
    @CsvSource({"20us, 20e-6", "20µs, 20e-6", "1.37 s, 1.37", "5ms, 0.005", "30days, 2592000", "2h, 7200"})
    void durations(String text, double seconds) {
        assertEquals(seconds, Quantity.parseSeconds(text, "x"));
    }

    @Test
    void flopsAndPercent() {
        assertEquals(312e12, Quantity.parseFlopsPerSecond("312 TFLOP/s", "x"));
        assertEquals(0.85, Quantity.parsePercent("85%", "x"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "80|80 has no unit|Maybe 80GiB (2^30 bytes each) or 80GB (10^9).",
                "80gb|\"80gb\" has the unit \"gb\", which may be bits or bytes|Maybe 80GiB (powers of 1024) or 80GB (powers of 1000).",
                "80Gb|\"80Gb\" has the unit \"Gb\", which may be bits or bytes|Maybe 80GiB (powers of 1024) or 80GB (powers of 1000).",
                "80 GiBs|\"80 GiBs\" has the unit \"GiBs\", which is not one that belongs here|Maybe 80GiB.",
                "lots|\"lots\" is not a number with a unit|Maybe 80GiB (2^30 bytes each) or 80GB (10^9).",
                "1e300EB|1e300EB is more bytes than can be counted|Maybe check the unit."
            })
    void refusedBytes(String text, String message, String maybe) {
        UserError error = assertThrows(UserError.class, () -> Quantity.parseBytes(text, "f:3: memory"));
        assertEquals("f:3: memory: " + message, error.getMessage());
        assertEquals(maybe, error.maybe());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "300",
                "300GBps",
                "300gb/s",
                "300Gbps",
                "300 GB",
                "300 gbit/s",
                "NaN",
                "Infinity GB/s",
                "",
                "1,000GB/s",
                "0x10GB/s"
            })
    void refusedRates(String text) {
        UserError error = assertThrows(UserError.class, () -> Quantity.parseBytesPerSecond(text, "f"));
        assertTrue(error.maybe().startsWith("Maybe "), error.maybe());
    }

    @ParameterizedTest
    @ValueSource(strings = {"312", "312 TFLOPS", "312 tflop/s", "312 TFLOP"})
    void refusedFlops(String text) {
        assertThrows(UserError.class, () -> Quantity.parseFlopsPerSecond(text, "f"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.85", "85", "85 percent"})
    void refusedPercent(String text) {
        assertThrows(UserError.class, () -> Quantity.parsePercent(text, "f"));
    }

    @ParameterizedTest
    @CsvSource({
        "1.37, 1.37 s",
        "0.01234, 12.3 ms",
        "0.0000045, 4.50 us",
        "3e-9, 3.00 ns",
        "0, 0.0 s",
        "21.64, 21.6 s",
        "1234, '1,234 s'",
        "2592000, 30.0 days",
        "0.99951, 1.00 s",
        "-0.5, -500 ms",
        "NaN, unknown"
    })
    void secondsPrinted(double seconds, String text) {
        assertEquals(text, Printed.seconds(seconds));
    }

    @Test
    void othersPrinted() {
        assertEquals("61.2 GiB", Printed.bytes(61.2 * (1L << 30)));
        assertEquals("512 B", Printed.bytes(512));
        assertEquals("1.00 GiB", Printed.bytes((1L << 30) - 1));
        assertEquals("unknown", Printed.bytes(Double.NaN));
        assertEquals("300 GB/s", Printed.bytesPerSecond(300e9));
        assertEquals("312 TFLOP/s", Printed.flopsPerSecond(312e12));
        assertEquals("unknown", Printed.flopsPerSecond(Double.NaN));
        assertEquals("1,234,567", Printed.count(1_234_567));
        assertEquals("51.4%", Printed.percent(0.5137));
        assertEquals("unknown", Printed.percent(Double.NaN));
    }

    @Property(tries = 200)
    void bytesAreReadBack(@ForAll @LongRange(max = Long.MAX_VALUE) long bytes) {
        assertEquals(bytes, Quantity.parseBytes(bytes + "B", "x"));
    }
}
