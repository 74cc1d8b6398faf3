package org.shardplan.cost;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.shardplan.graph.DataType;

/**
 * Measured kernels and collectives: the resource {@code kernels.tsv}, which {@code bench/scripts/kernel_tables.py} writes.
 * Loading finds where each table stands; a table is parsed when it is first asked for. Safe for use by many threads.
 */
public final class KernelTables {
    private final byte[] text;
    private final Map<String, Integer> productAt = new HashMap<>();
    private final Map<String, List<Integer>> curvesAt = new HashMap<>();
    private final Map<String, ProductTable> products = new ConcurrentHashMap<>();
    private final Map<String, CollectiveCurves> curves = new ConcurrentHashMap<>();

    private KernelTables(byte[] text) {
        this.text = text;
        int start = 0;
        while (start < text.length) {
            int end = endOfLine(start);
            int next = end + 1;
            if (text[start] == 'p') {
                String[] head = line(start, end).split("\t", -1);
                productAt.put(head[1].concat("/").concat(head[2]), start);
                next += Integer.parseInt(head[8]);
            } else if (text[start] == 'c') {
                String name = line(start, end).split("\t", 3)[1];
                List<Integer> mine = curvesAt.getOrDefault(name, new ArrayList<>());
                mine.add(start);
                curvesAt.put(name, mine);
            }
            start = next;
        }
    }

    /** The tables that ship with Shardplan. */
    public static KernelTables load() {
        try (InputStream in = KernelTables.class.getResourceAsStream("kernels.tsv")) {
            if (in == null) {
                throw new IllegalStateException("kernels.tsv is not on the class path");
            }
            return new KernelTables(in.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Products measured on a device.
     *
     * @param device as in {@code Device.kernelTable}, for example {@code a100-sxm-80gb}
     * @param precision exactly this one: {@code BF16}, {@code FP8} or {@code NVFP4}
     */
    public Optional<ProductTable> products(String device, DataType precision) {
        String key = device + '/' + precision.name().toLowerCase(Locale.ROOT);
        Integer at = productAt.get(key);
        if (at == null) {
            return Optional.empty();
        }
        // no lambda: starting the first one costs more than the parsing, and parsing twice does no harm
        ProductTable table = products.get(key);
        if (table == null) {
            table = parseProducts(at);
            products.put(key, table);
        }
        return Optional.of(table);
    }

    /** Collectives measured within one node or NVLink domain, by the name in {@code LinkLevel.curve}. */
    public Optional<CollectiveCurves> curves(String name) {
        List<Integer> at = curvesAt.get(name);
        if (at == null) {
            return Optional.empty();
        }
        CollectiveCurves mine = curves.get(name);
        if (mine == null) {
            mine = parseCurves(at);
            curves.put(name, mine);
        }
        return Optional.of(mine);
    }

    private ProductTable parseProducts(int start) {
        int end = endOfLine(start);
        String[] head = line(start, end).split("\t", -1);
        long[] m = longs(head[4]);
        long[] n = longs(head[5]);
        long[] k = longs(head[6]);
        float[] logFlops = new float[m.length * n.length * k.length];
        int at = end + 1;
        for (int i = 0; i < logFlops.length; i++) {
            long mantissa = 0;
            long scale = 1;
            boolean fraction = false;
            for (; at < text.length && text[at] > ' '; at++) {
                if (text[at] == '.') {
                    fraction = true;
                } else {
                    mantissa = mantissa * 10 + text[at] - '0';
                    scale *= fraction ? 10 : 1;
                }
            }
            at++;
            logFlops[i] = (float) Math.log(1e12 * mantissa / scale);
        }
        return new ProductTable(Double.parseDouble(head[3]) * 1e12, m, n, k, logFlops, head[7]);
    }

    private CollectiveCurves parseCurves(List<Integer> starts) {
        CollectiveCurves.Builder builder = new CollectiveCurves.Builder();
        for (int start : starts) {
            String[] head = line(start, endOfLine(start)).split("\t", -1);
            String[] words = head[5].split(" ", -1);
            double[] seconds = new double[words.length];
            for (int i = 0; i < words.length; i++) {
                seconds[i] = Double.parseDouble(words[i]) * 1e-6;
            }
            builder.add(head[2], Integer.parseInt(head[3]), 1L << Integer.parseInt(head[4]), seconds, head[6]);
        }
        return builder.build();
    }

    private static long[] longs(String commas) {
        String[] words = commas.split(",", -1);
        long[] values = new long[words.length];
        for (int i = 0; i < words.length; i++) {
            values[i] = Long.parseLong(words[i]);
        }
        return values;
    }

    private int endOfLine(int start) {
        int end = start;
        while (end < text.length && text[end] != '\n') {
            end++;
        }
        return end;
    }

    private String line(int start, int end) {
        return new String(text, start, end - start, StandardCharsets.US_ASCII);
    }
}
