package org.shardplan.units;

import java.util.Locale;

/** Numbers as people read them, three figures or so. NaN is {@code unknown}, never 0. */
public final class Printed {
    private static final String UNKNOWN = "unknown";
    private static final String[] DECIMAL = {"", "k", "M", "G", "T", "P", "E"};
    private static final String[] BINARY = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

    private Printed() {}

    /** For example {@code 1.37 s}, {@code 12.3 ms}, {@code 4.50 us}, {@code 2.1 days}. */
    public static String seconds(double seconds) {
        double size = Math.abs(seconds);
        if (Double.isNaN(seconds)) {
            return UNKNOWN;
        }
        if (size == 0 || size >= 0.9995) {
            return size >= 172_800 ? String.format(Locale.ROOT, "%.1f days", seconds / 86_400) : three(seconds) + " s";
        }
        if (size >= 0.9995e-3) {
            return three(seconds * 1e3) + " ms";
        }
        return size >= 0.9995e-6 ? three(seconds * 1e6) + " us" : three(seconds * 1e9) + " ns";
    }

    /** For example {@code 36.5 years}, of 365.25 days. */
    public static String years(double seconds) {
        return Double.isNaN(seconds) ? UNKNOWN : three(seconds / (365.25 * 86_400)) + " years";
    }

    /** For example {@code 61.2 GiB}, {@code 512 B}. */
    public static String bytes(double bytes) {
        if (Double.isNaN(bytes)) {
            return UNKNOWN;
        }
        int step = 0;
        double scaled = bytes;
        while (Math.abs(scaled) >= 1023.5 && step < BINARY.length - 1) {
            scaled /= 1024;
            step++;
        }
        return (step == 0 ? String.format(Locale.ROOT, "%.0f", scaled) : three(scaled)) + " " + BINARY[step];
    }

    /** For example {@code 300 GB/s}. */
    public static String bytesPerSecond(double bytesPerSecond) {
        return decimal(bytesPerSecond, "B/s");
    }

    /** For example {@code 312 TFLOP/s}. */
    public static String flopsPerSecond(double flopsPerSecond) {
        return decimal(flopsPerSecond, "FLOP/s");
    }

    /** For example {@code 1,024}. */
    public static String count(long count) {
        return String.format(Locale.ROOT, "%,d", count);
    }

    /** A share as a percentage: 0.5137 is {@code 51.4%}. */
    public static String percent(double share) {
        return Double.isNaN(share) ? UNKNOWN : String.format(Locale.ROOT, "%.1f%%", share * 100);
    }

    private static String decimal(double value, String unit) {
        if (Double.isNaN(value)) {
            return UNKNOWN;
        }
        int step = 0;
        double scaled = value;
        while (Math.abs(scaled) >= 999.5 && step < DECIMAL.length - 1) {
            scaled /= 1000;
            step++;
        }
        return three(scaled) + " " + DECIMAL[step] + unit;
    }

    private static String three(double value) {
        double size = Math.abs(value);
        if (size >= 99.95) {
            return String.format(Locale.ROOT, "%,.0f", value);
        }
        return String.format(Locale.ROOT, size >= 9.995 || size == 0 ? "%.1f" : "%.2f", value);
    }
}
