package org.shardplan.cost;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.TreeMap;
import org.shardplan.cost.Calibration.Constant;
import org.shardplan.cost.Calibration.Residual;
import org.shardplan.units.UserError;

/**
 * A calibration as text: {@code format} and {@code fitted} lines, then tab-separated lines {@code constant key value source}
 * and {@code residual framework/device factor rows shapes halfWidth source}; {@code #} starts a comment line.
 */
public final class CalibrationFile {
    private static final String FORMAT = "shardplan.calibration/1";

    private static final String HEADER = """
            # constant	name/device, kernel table, family or *	value	source
            # "fits" = a first model fitted on measured training runs of many systems; 8 % either way
            # residual	framework/device	factor	rows	shapes	half-width of the 90 % interval	sources
            """;

    private CalibrationFile() {}

    /** The calibration that ships with Shardplan. */
    public static Calibration load() {
        try (InputStream in = CalibrationFile.class.getResourceAsStream("calibration.tsv")) {
            if (in == null) {
                throw new IllegalStateException("calibration.tsv is not on the class path");
            }
            return parse(new String(in.readAllBytes(), StandardCharsets.UTF_8), "calibration.tsv");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static Calibration read(Path file) throws IOException {
        return parse(Files.readString(file), file.toString());
    }

    public static void write(Calibration calibration, Path file) throws IOException {
        Files.writeString(file, text(calibration));
    }

    /** @param where names the text in messages */
    public static Calibration parse(String text, String where) {
        String format = "";
        String fitted = "";
        TreeMap<String, Constant> constants = new TreeMap<>();
        TreeMap<String, Residual> residuals = new TreeMap<>();
        int number = 0;
        for (String line : text.replace("\r", "").split("\n", -1)) {
            number++;
            String place = where + " line " + number;
            String[] words = line.split("\t", -1);
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            } else if (line.startsWith("format: ")) {
                format = line.substring(8);
            } else if (line.startsWith("fitted: ")) {
                fitted = line.substring(8);
            } else if (words[0].equals("constant") && words.length == 4) {
                constants.put(words[1], new Constant(positive(words[2], place), words[3]));
            } else if (words[0].equals("residual") && words.length == 7) {
                residuals.put(
                        words[1],
                        new Residual(
                                positive(words[2], place),
                                (int) positive(words[3], place),
                                (int) positive(words[4], place),
                                positive(words[5], place),
                                words[6]));
            } else {
                throw new UserError(
                        place + ": \"" + line + "\" is neither a constant nor a residual",
                        "Maybe its fields are not separated by tabs: constant, key, value, source");
            }
        }
        if (!format.equals(FORMAT)) {
            throw new UserError(
                    where + ": format \"" + format + "\" is not " + FORMAT,
                    "Maybe this is not a calibration file, or it is one of a newer Shardplan");
        }
        return new Calibration(fitted, constants, residuals);
    }

    /** The text that {@link #parse} reads; the same for equal calibrations. */
    public static String text(Calibration calibration) {
        StringBuilder text = new StringBuilder();
        text.append("format: ").append(FORMAT).append('\n');
        text.append("fitted: ").append(calibration.fitted()).append('\n');
        text.append(HEADER);
        calibration
                .constants()
                .forEach((key, constant) -> row(text, "constant", key, constant.value(), constant.source()));
        calibration
                .residuals()
                .forEach((key, residual) -> row(
                        text,
                        "residual",
                        key,
                        residual.factor(),
                        residual.rows(),
                        residual.shapes(),
                        residual.halfWidth(),
                        residual.source()));
        return text.toString();
    }

    static String hash(Calibration calibration) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256")
                    .digest(text(calibration).getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, 6);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    private static void row(StringBuilder text, Object... fields) {
        for (int i = 0; i < fields.length; i++) {
            text.append(i == 0 ? "" : "\t").append(fields[i]);
        }
        text.append('\n');
    }

    private static double positive(String word, String place) {
        try {
            double value = Double.parseDouble(word);
            if (value >= 0 && value < Double.POSITIVE_INFINITY) {
                return value;
            }
        } catch (NumberFormatException e) {
            // told below, like a number that makes no sense
        }
        throw new UserError(
                place + ": \"" + word + "\" is not a number from 0 up", "Maybe a field before it is missing");
    }
}
