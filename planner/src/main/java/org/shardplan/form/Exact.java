package org.shardplan.form;

import java.math.BigDecimal;

/** Writes quantities so that reading them gives the same bits back. */
final class Exact {
    private static final String[] BINARY = {"TiB", "GiB", "MiB", "KiB"};

    private Exact() {}

    /** For example {@code 80GiB}: the largest binary unit that divides. */
    static String bytes(long bytes) {
        for (int i = 0; i < BINARY.length; i++) {
            long unit = 1L << (40 - 10 * i);
            if (bytes % unit == 0) {
                return bytes / unit + BINARY[i];
            }
        }
        return bytes + "B";
    }

    /** For example {@code 25GB/s}. */
    static String bytesPerSecond(double rate) {
        return scaled(rate, 9) + "GB/s";
    }

    /** For example {@code 312TFLOP/s}. */
    static String flopsPerSecond(double rate) {
        return scaled(rate, 12) + "TFLOP/s";
    }

    /** For example {@code 2.5us}. */
    static String seconds(double seconds) {
        return scaled(seconds, -6) + "us";
    }

    /** For example {@code 85%}. */
    static String percent(double share) {
        return scaled(share, -2) + "%";
    }

    /** A number without a unit, for example {@code 1.5}. */
    static String number(double value) {
        return scaled(value, 0);
    }

    /** Text in double quotes. */
    static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + '"';
    }

    private static String scaled(double value, int power) {
        return BigDecimal.valueOf(value)
                .scaleByPowerOfTen(-power)
                .stripTrailingZeros()
                .toPlainString();
    }
}
