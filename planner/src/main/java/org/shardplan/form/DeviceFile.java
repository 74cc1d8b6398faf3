package org.shardplan.form;

import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.shardplan.cluster.Device;
import org.shardplan.graph.DataType;
import org.shardplan.units.ClosestNames;

/**
 * A device as YAML: a file of the catalog ({@code shardplan.device/1}) or the {@code device} of a cluster file. Keys: name,
 * family, memory, usable-memory, memory-bandwidth, multiprocessors, peak (a rate for each precision), flash-attention,
 * kernels (the device whose measured kernels price this one; absent = roofline), source.
 */
final class DeviceFile {
    /** Share of the printed memory that a process gets where nobody measured it; 98.6 % to 99.3 % on the catalog's GPUs. */
    private static final double USABLE = 0.985;

    private DeviceFile() {}

    static Device read(Fields fields) {
        String name = fields.text("name");
        long memoryBytes = fields.bytes("memory", 1 << 20, 1e15);
        long usableBytes = fields.has("usable-memory")
                ? fields.bytes("usable-memory", 1 << 20, 1e15)
                : (long) (memoryBytes * USABLE);
        if (usableBytes > memoryBytes) {
            throw fields.error(
                    "usable-memory",
                    fields.text("usable-memory") + " is more than the device's memory, " + fields.text("memory"),
                    "Maybe the two are swapped.");
        }
        Device device = new Device(
                name,
                fields.textOr("family", "other"),
                memoryBytes,
                usableBytes,
                fields.bytesPerSecond("memory-bandwidth"),
                peaks(fields.needMapping("peak")),
                fields.count("multiprocessors", 1, 100_000),
                fields.flagOr("flash-attention", true),
                kernels(fields, name),
                fields.textOr("source", fields.file()));
        fields.done();
        return device;
    }

    private static Map<DataType, Double> peaks(Fields fields) {
        Map<DataType, Double> peaks = new EnumMap<>(DataType.class);
        for (DataType type : DataType.values()) {
            if (fields.has(type.text())) {
                peaks.put(type, fields.flopsPerSecond(type.text()));
            }
        }
        fields.done();
        if (!peaks.containsKey(DataType.FP32)
                && !peaks.containsKey(DataType.BF16)
                && !peaks.containsKey(DataType.FP16)) {
            throw fields.error("bf16", "neither bf16, fp16 nor fp32 has a rate", "Maybe bf16: 312 TFLOP/s.");
        }
        return peaks;
    }

    private static String kernels(Fields fields, String name) {
        String kernels = fields.textOr("kernels", "");
        if (!kernels.isEmpty()
                && !kernels.equals(name)
                && !DeviceCatalog.names().contains(kernels)) {
            Optional<String> close =
                    ClosestNames.of(kernels, DeviceCatalog.names()).stream().findFirst();
            throw fields.error(
                    "kernels",
                    "no device \"" + kernels + "\" has measured kernels",
                    close.map(known -> "Maybe " + known + ".").orElse("Maybe leave it out: roofline."));
        }
        return kernels;
    }

    /** The keys of a device, one a line, each behind {@code indent}. */
    static String write(Device device, String indent) {
        StringBuilder text = new StringBuilder();
        line(text, indent, "name", device.name());
        line(text, indent, "family", device.family());
        line(text, indent, "memory", Exact.bytes(device.memoryBytes()));
        line(
                text,
                indent,
                "usable-memory",
                Exact.bytes(device.usableBytes()) + "   # what the driver leaves to a process");
        line(text, indent, "memory-bandwidth", Exact.bytesPerSecond(device.hbmBytesPerSecond()));
        line(text, indent, "multiprocessors", String.valueOf(device.multiprocessors()));
        text.append(indent).append("peak:   # dense\n");
        for (DataType type : DataType.values()) {
            if (device.supports(type)) {
                line(text, indent + "  ", type.text(), Exact.flopsPerSecond(device.peakFlops(type)));
            }
        }
        line(text, indent, "flash-attention", device.flashAttention() ? "yes" : "no");
        if (!device.kernelTable().isEmpty()) {
            line(text, indent, "kernels", device.kernelTable() + "   # measured on it");
        }
        line(text, indent, "source", Exact.quoted(device.source()));
        return text.toString();
    }

    private static void line(StringBuilder text, String indent, String key, String value) {
        text.append(indent).append(key).append(": ").append(value).append('\n');
    }
}
