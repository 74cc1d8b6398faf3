package org.shardplan.report;

import java.util.Locale;

/** Numbers for people. NaN is {@code unknown}, never 0. */
final class Figures {
    private static final String UNKNOWN = "unknown";
    private static final double GIB = 1L << 30;

    private Figures() {}

    /** Three significant figures: {@code 20.1 s}, {@code 372 ms}, {@code 85.0 us}. */
    static String seconds(double seconds) {
        if (Double.isNaN(seconds)) {
            return UNKNOWN;
        }
        double size = Math.abs(seconds);
        if (size >= 0.9995 || size == 0) {
            return significant(seconds) + " s";
        }
        return size >= 0.9995e-3 ? significant(seconds * 1e3) + " ms" : significant(seconds * 1e6) + " us";
    }

    /**
     * In the unit and with the decimals that suit {@code whole}, so that parts of it line up: {@code 0.25 s} of {@code 20.0 s}. What
     * has no two figures that way stands in its own unit: {@code 19.8 ms}.
     */
    static String secondsOf(double seconds, double whole) {
        if (Double.isNaN(seconds)) {
            return UNKNOWN;
        }
        double size = Math.abs(whole);
        double unit = size >= 0.9995 ? 1 : size >= 0.9995e-3 ? 1e-3 : 1e-6;
        int decimals = size / unit >= 100 ? 1 : size / unit >= 10 ? 2 : 3;
        if (seconds != 0 && Math.abs(seconds) / unit < 9.5 * Math.pow(10, -decimals)) {
            return seconds(seconds);
        }
        String name = unit == 1 ? " s" : unit == 1e-3 ? " ms" : " us";
        return String.format(Locale.ROOT, "%,." + decimals + "f", seconds / unit) + name;
    }

    /** Three significant figures, integers in full with thousands apart. */
    static String significant(double value) {
        if (Double.isNaN(value)) {
            return UNKNOWN;
        }
        double size = Math.abs(value);
        int decimals = size >= 99.95 || size == 0 ? 0 : size >= 9.995 ? 1 : 2;
        return String.format(Locale.ROOT, "%,." + decimals + "f", value);
    }

    /** {@code 67.2} GiB, {@code 0.053} where it is little; without the unit. */
    static String gib(double bytes) {
        return Double.isNaN(bytes) ? UNKNOWN : tenths(bytes / GIB);
    }

    /** Of a fraction: {@code 52.3 %}, {@code 0.041 %}. */
    static String percent(double fraction) {
        return Double.isNaN(fraction) ? UNKNOWN : tenths(100 * fraction) + " %";
    }

    /** One decimal; two figures where that would leave fewer. */
    private static String tenths(double value) {
        double size = Math.abs(value);
        int decimals = size >= 0.95 || size == 0 ? 1 : size >= 0.095 ? 2 : size >= 0.0005 ? 3 : 1;
        return String.format(Locale.ROOT, "%." + decimals + "f", value);
    }

    /** Signed, of per cents: {@code +3.4 %}. */
    static String signedPercent(double percents) {
        return Double.isNaN(percents) ? UNKNOWN : String.format(Locale.ROOT, "%+.1f %%", percents);
    }

    static String count(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    /** {@code 175 B}, {@code 8.03 B}, {@code 124 M}. */
    static String parameters(long number) {
        if (number >= 999_500_000_000L) {
            return significant(number / 1e12) + " T";
        }
        return number >= 999_500_000L ? significant(number / 1e9) + " B" : significant(number / 1e6) + " M";
    }
}
