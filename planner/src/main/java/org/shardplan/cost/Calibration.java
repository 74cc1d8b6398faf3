package org.shardplan.cost;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import org.shardplan.cluster.Device;
import org.shardplan.graph.DataType;

/**
 * What was fitted or measured on top of the tables, as data: constants of the kernel model and residual factors of whole
 * predictions. {@link CalibrationFile} reads and writes it.
 *
 * @param fitted date of the fit, for reports
 * @param constants by key, for example {@code sustained/a100-sxm-80gb/bf16}; a device's name may be replaced by its kernel
 *     table's, its family's, or {@code *}
 * @param residuals by {@code framework/device}; {@code *} for any framework, a family or {@code *} for the device
 */
public record Calibration(String fitted, SortedMap<String, Constant> constants, SortedMap<String, Residual> residuals) {
    private static final int LEAST_ROWS = 3;
    private static final int LEAST_SHAPES = 2;

    /** An interval stays above 0 seconds. */
    public static final double WIDEST = 0.9;

    /** A plan whose exposed communication takes a larger share of its step is predicted less surely than others. */
    public static final double EXPOSED_SHARE = 0.25;

    /** The constant with the half-width of such plans' intervals. */
    public static final String EXPOSED_INTERVAL = "interval/exposed";

    public Calibration {
        constants = Collections.unmodifiableSortedMap(new TreeMap<>(constants));
        residuals = Collections.unmodifiableSortedMap(new TreeMap<>(residuals));
    }

    /** A number and where it comes from. */
    public record Constant(double value, String source) {}

    /**
     * Measured over predicted time of whole steps.
     *
     * @param factor multiplies a prediction
     * @param rows measured runs behind it
     * @param shapes different models among them (layers, hidden, heads, sequence)
     * @param halfWidth of the interval that holds 90 % of runs, as a share of the prediction
     */
    public record Residual(double factor, int rows, int shapes, double halfWidth, String source) {
        /** Whether it stands on enough runs; else the parent is asked. */
        public boolean counts() {
            return rows >= LEAST_ROWS && shapes >= LEAST_SHAPES;
        }
    }

    /** What follows a generation's name where it runs mixtures of experts. */
    private static final String EXPERTS = "+experts";

    /** Likewise products of 8 bits and less. */
    private static final String FEW_BITS = "+few-bits";

    /**
     * A framework generation by what it runs: experts and products of few bits are kernels and host code of their own, which have factors of
     * their own once there are runs to fit them on.
     */
    public static String software(String framework, DataType precision, boolean experts) {
        return framework + (experts ? EXPERTS : precision.isCast() ? FEW_BITS : "");
    }

    /** Whether a generation runs mixtures of experts. */
    public static boolean isSparse(String software) {
        return software.endsWith(EXPERTS);
    }

    /** What follows the generation's name; empty where it is the generation alone. */
    public static String variant(String software) {
        int plus = software.indexOf('+');
        return plus < 0 ? "" : software.substring(plus);
    }

    /** Factor of a framework generation on a device, else of the device, of its family, else 1. */
    public double residual(String framework, Device device) {
        return find(framework, device).factor();
    }

    /**
     * Half-width of the 90 % interval of a prediction, as a share of it; wider the further the fallback went, where the device has
     * neither a kernel table nor runs of its own, and where much of the step is communication that nothing hides.
     *
     * @param exposedShare of the step, in such communication
     */
    public double interval(String framework, Device device, double exposedShare) {
        double own = find(framework, device).halfWidth();
        double halfWidth =
                variant(framework).isEmpty() || known(framework, device) ? own : widened(own, least(framework));
        double wider = exposedShare > EXPOSED_SHARE ? widened(halfWidth, EXPOSED_INTERVAL) : halfWidth;
        boolean known = !device.kernelTable().isEmpty() || known(framework, device);
        double times = constant("interval/no-table");
        return !known && times > 1 ? Math.min(WIDEST, wider * times) : wider;
    }

    /** The constant with the half-width of runs of a variant that has no factor of its own. */
    public static String least(String framework) {
        return "interval/" + variant(framework).substring(1);
    }

    private boolean known(String framework, Device device) {
        return counts(framework + '/' + device.name()) || counts('*' + variant(framework) + '/' + device.name());
    }

    private boolean counts(String key) {
        Residual residual = residuals.get(key);
        return residual != null && residual.counts();
    }

    /** The entry that {@link #residual} and {@link #interval} answer from. */
    public Residual find(String framework, Device device) {
        String variant = variant(framework);
        String any = '*' + variant + '/';
        String[] keys = {framework + '/' + device.name(), any + device.name(), any + device.family()};
        for (String key : keys) {
            Residual residual = residuals.get(key);
            if (residual != null && residual.counts()) {
                return residual;
            }
        }
        if (!variant.isEmpty()) {
            return find(framework.substring(0, framework.length() - variant.length()), device);
        }
        return residuals.getOrDefault("*/*", new Residual(1, 0, 0, Double.NaN, "no calibration"));
    }

    /** A half-width, or the constant where that is wider; a constant that the calibration lacks widens nothing. */
    public double widened(double halfWidth, String key) {
        double least = constant(key);
        return least > halfWidth ? least : halfWidth;
    }

    /** {@code name/device/rest} of the device, its kernel table, its family or {@code *}; NaN where none is known. */
    public double constant(String name, Device device, String rest) {
        String[] places = {device.name(), device.kernelTable(), device.family(), "*"};
        for (String place : places) {
            Constant constant = constants.get(name + '/' + place + '/' + rest);
            if (constant != null) {
                return constant.value();
            }
        }
        return Double.NaN;
    }

    /** A constant that is the same on all devices; NaN where it is not known. */
    public double constant(String key) {
        Constant constant = constants.get(key);
        return constant == null ? Double.NaN : constant.value();
    }

    /** First digits of a hash over all that a prediction depends on; stands in every result. */
    public String hash() {
        return CalibrationFile.hash(this);
    }
}
