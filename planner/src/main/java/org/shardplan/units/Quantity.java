package org.shardplan.units;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Numbers with a unit, as people write them: {@code 80GiB}, {@code 200Gbit/s}, {@code 20us}, {@code 312 TFLOP/s},
 * {@code 85%}. Decimal prefixes are powers of 1000, binary ones (Ki, Mi, …) of 1024, both exact. A bare number and a unit
 * with two readings ({@code GBps}, {@code gb/s}) are refused.
 *
 * <p>Every method takes the text and {@code where} it stands (file, line, field), which begins the message of the
 * {@link UserError} that it throws.
 */
public final class Quantity {
    private static final Pattern FORM = Pattern.compile("([+-]?\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d{1,3})?)\\s*(.*)");
    private static final Map<String, BigDecimal> BYTES = new LinkedHashMap<>();
    private static final Map<String, BigDecimal> RATES = new LinkedHashMap<>();
    private static final Map<String, BigDecimal> SECONDS = new LinkedHashMap<>();
    private static final Map<String, BigDecimal> FLOPS = new LinkedHashMap<>();
    private static final Map<String, BigDecimal> WATTS = new LinkedHashMap<>();
    private static final Map<String, BigDecimal> DOLLARS_PER_HOUR = Map.of("USD/h", BigDecimal.ONE);
    private static final Map<String, BigDecimal> PERCENT = Map.of("%", new BigDecimal("0.01"));

    static {
        String decimals = "kMGTPE";
        BYTES.put("B", BigDecimal.ONE);
        RATES.put("bit/s", new BigDecimal("0.125"));
        RATES.put("b/s", new BigDecimal("0.125"));
        FLOPS.put("FLOP/s", BigDecimal.ONE);
        for (int i = 0; i < decimals.length(); i++) {
            BigDecimal decimal = BigDecimal.TEN.pow(3 * (i + 1));
            String prefix = decimals.substring(i, i + 1);
            BYTES.put(prefix + "B", decimal);
            BYTES.put(
                    prefix.toUpperCase(Locale.ROOT) + "iB",
                    BigDecimal.valueOf(1024).pow(i + 1));
            RATES.put(prefix + "bit/s", decimal.multiply(new BigDecimal("0.125")));
            RATES.put(prefix + "b/s", decimal.multiply(new BigDecimal("0.125")));
            FLOPS.put(prefix + "FLOP/s", decimal);
        }
        BYTES.forEach((unit, bytes) -> RATES.put(unit + "/s", bytes));
        WATTS.put("W", BigDecimal.ONE);
        WATTS.put("kW", BigDecimal.TEN.pow(3));
        WATTS.put("MW", BigDecimal.TEN.pow(6));
        SECONDS.put("ns", new BigDecimal("1e-9"));
        SECONDS.put("us", new BigDecimal("1e-6"));
        SECONDS.put("µs", new BigDecimal("1e-6"));
        SECONDS.put("ms", new BigDecimal("1e-3"));
        SECONDS.put("s", BigDecimal.ONE);
        SECONDS.put("min", BigDecimal.valueOf(60));
        SECONDS.put("h", BigDecimal.valueOf(3600));
        SECONDS.put("days", BigDecimal.valueOf(86400));
    }

    private Quantity() {}

    /** Bytes, rounded to a whole one: {@code 80GiB}, {@code 80GB}, {@code 1.5 TiB}. */
    public static long parseBytes(String text, String where) {
        BigDecimal bytes = parse(text, where, BYTES, "80GiB (2^30 bytes each) or 80GB (10^9)")
                .setScale(0, RoundingMode.HALF_UP);
        if (bytes.abs().compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0) {
            throw new UserError(where + ": " + text + " is more bytes than can be counted", "Maybe check the unit.");
        }
        return bytes.longValueExact();
    }

    /** Bytes per second: {@code 300GB/s}, {@code 25 GiB/s}, {@code 200Gbit/s} or {@code 200Gb/s} (bits). */
    public static double parseBytesPerSecond(String text, String where) {
        return parse(text, where, RATES, "300GB/s (bytes) or 200Gbit/s (bits)").doubleValue();
    }

    /** Seconds: {@code 20us}, {@code 5ms}, {@code 1.37 s}, {@code 30days}. */
    public static double parseSeconds(String text, String where) {
        return parse(text, where, SECONDS, "20us, 5ms or 1.37s").doubleValue();
    }

    /** FLOP/s: {@code 312 TFLOP/s}. */
    public static double parseFlopsPerSecond(String text, String where) {
        return parse(text, where, FLOPS, "312 TFLOP/s").doubleValue();
    }

    /** A share: {@code 85%} is 0.85. */
    public static double parsePercent(String text, String where) {
        return parse(text, where, PERCENT, "85%").doubleValue();
    }

    /** Watts: {@code 700W}, {@code 10.2kW}. */
    public static double parseWatts(String text, String where) {
        return parse(text, where, WATTS, "700W or 10.2kW").doubleValue();
    }

    /** US dollars an hour: {@code 2.50USD/h}. */
    public static double parseDollarsPerHour(String text, String where) {
        return parse(text, where, DOLLARS_PER_HOUR, "2.50USD/h").doubleValue();
    }

    private static BigDecimal parse(String text, String where, Map<String, BigDecimal> units, String example) {
        Matcher matcher = FORM.matcher(text.strip());
        if (!matcher.matches()) {
            throw new UserError(where + ": \"" + text + "\" is not a number with a unit", "Maybe " + example + ".");
        }
        String unit = matcher.group(2);
        BigDecimal size = units.get(unit);
        if (size == null) {
            String number = matcher.group(1);
            throw unit.isEmpty()
                    ? new UserError(where + ": " + text + " has no unit", "Maybe " + example + ".")
                    : new UserError(
                            where + ": \"" + text + "\" has the unit \"" + unit + "\", " + fault(unit, units),
                            "Maybe " + meant(number, unit, units, example) + ".");
        }
        return new BigDecimal(matcher.group(1)).multiply(size);
    }

    private static String fault(String unit, Map<String, BigDecimal> units) {
        boolean bits = units == RATES && unit.matches("(?i)[kmgtpe]?i?(b|bit)(ps|/s)");
        return bits || (units == BYTES && unit.matches("(?i)[kmgtpe]i?b"))
                ? "which may be bits or bytes"
                : "which is not one that belongs here";
    }

    private static String meant(String number, String unit, Map<String, BigDecimal> units, String example) {
        Matcher prefix = Pattern.compile("(?i)([kmgtpe])i?b(it)?(ps|/s)?").matcher(unit);
        if ((units == RATES || units == BYTES) && prefix.matches()) {
            String letter = prefix.group(1).toUpperCase(Locale.ROOT);
            String decimal = letter.equals("K") ? "k" : letter;
            return units == BYTES
                    ? "%s%siB (powers of 1024) or %s%sB (powers of 1000)".formatted(number, letter, number, decimal)
                    : "%s%sB/s (bytes) or %s%sbit/s (bits)".formatted(number, decimal, number, decimal);
        }
        return ClosestNames.of(unit, units.keySet()).stream()
                .findFirst()
                .map(known -> number + known)
                .orElse(example);
    }
}
