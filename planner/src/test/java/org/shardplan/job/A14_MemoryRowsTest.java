package org.shardplan.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.shardplan.Checkout;
import org.shardplan.DocumentBlock;
import org.shardplan.form.FrameworkCatalog;
import org.shardplan.report.ValidationRow;
import org.shardplan.search.SearchObserver;
import org.shardplan.workload.Framework;
import org.shardplan.workload.Workspace;

/** FEATURE UNDER TEST: memory of the measured runs of bench/rows, and which of them are said to fit. */
final class A14_MemoryRowsTest {
    private static final List<ValidationRow> ROWS = ValidateJob.run(
                    new ValidateRequest(Stream.of(
                                    "bigscience-bloom-a100",
                                    "bigscience-v100",
                                    "dgxc-benchmarking",
                                    "llm-foundry",
                                    "megatron-korthikanti2022",
                                    "megatron-mtnlg530b",
                                    "megatron-sc21",
                                    "papers",
                                    "simumax",
                                    "torchtitan",
                                    "ultrascale-nanotron",
                                    "vtrain-megatron-deepspeed")
                            .map(file -> Checkout.root()
                                    .resolve("bench/rows/" + file + ".csv")
                                    .toString())
                            .toList()),
                    SearchObserver.NONE)
            .validation()
            .rows();

    private static double medianPercent(String source) {
        double[] errors = ROWS.stream()
                .filter(row -> row.source().equals(source) && row.aside() == null)
                .mapToDouble(ValidationRow::memoryErrorPercent)
                .filter(error -> !Double.isNaN(error))
                .map(Math::abs)
                .sorted()
                .toArray();
        return (errors[(errors.length - 1) / 2] + errors[errors.length / 2]) / 2;
    }

    /** As asked: 3 % of what the allocator gave out, 8 % of what it holds or of what the device shows. */
    @Test
    void medians() {
        assertTrue(medianPercent("simumax") <= 1, "simumax " + medianPercent("simumax"));
        for (String source : List.of("bigscience-bloom-a100", "bigscience-v100", "torchtitan", "ultrascale-nanotron")) {
            assertTrue(medianPercent(source) <= 8, source + " " + medianPercent(source));
        }
    }

    /** DeepSeek V2 and V3 of four layers, experts on 4 and 8 ranks: nothing was learnt from these rows. */
    @Test
    void expertsOfSimumax() {
        List<ValidationRow> rows = ROWS.stream()
                .filter(row -> row.source().equals("simumax") && "arch moe".equals(row.aside()))
                .toList();
        assertEquals(8, rows.size());
        for (ValidationRow row : rows) {
            assertTrue(Math.abs(row.memoryErrorPercent()) < 5, row.id() + " " + row.memoryErrorPercent());
            assertTrue(Math.abs(row.errorPercent()) < 20, row.id() + " " + row.errorPercent());
        }
    }

    @Test
    void everyRowOfTorchtitanAndSimumax() {
        long rows = ROWS.stream()
                .filter(row -> Set.of("torchtitan", "simumax").contains(row.source()) && row.aside() == null)
                .filter(row -> !Double.isNaN(row.memoryErrorPercent()))
                .peek(row -> assertEquals(0, row.memoryErrorPercent(), 4, row.id()))
                .count();
        assertEquals(16, rows);
    }

    /** bs-156 holds as many bytes as bs-150, which ran in 67 GB. */
    @Test
    void whatRanOutOfMemoryIsAMisfit() {
        Set<String> fits = new TreeSet<>();
        int all = 0;
        for (ValidationRow row : ROWS) {
            all += row.ranOutOfMemory() ? 1 : 0;
            if (row.ranOutOfMemory() && Boolean.TRUE.equals(row.fits())) {
                fits.add(row.id());
            }
        }
        assertEquals(9, all);
        assertEquals(Set.of("bs-156"), fits);
    }

    /** V100: one run of 8-bit Adam, three of ZeRO-3 whose checkpoints may have lain elsewhere. */
    @Test
    void whatRanFits() {
        Map<String, int[]> bySource = new TreeMap<>();
        for (ValidationRow row : ROWS) {
            if (row.fits() != null && !row.ranOutOfMemory()) {
                int[] counts = bySource.computeIfAbsent(row.source(), _ -> new int[2]);
                counts[0] += row.fits() ? 1 : 0;
                counts[1]++;
            }
        }
        assertEquals(12, bySource.size());
        bySource.forEach((source, counts) -> assertTrue(
                counts[0] >= (source.equals("bigscience-v100") ? 0.90 : 0.95) * counts[1],
                source + ": " + counts[0] + " of " + counts[1]));
    }

    @Test
    void theTableStandsInTheDocument() throws IOException {
        StringBuilder table = new StringBuilder("""
                | framework | a logit: kept, at the peak | "selective" runs again | kept besides | stays, bytes an element | fragmentation, context, communicator |
                |---|---|---|---|---|---|
                """);
        for (String name : new TreeSet<>(FrameworkCatalog.names())) {
            Framework.Memory memory = FrameworkCatalog.get(name).memory();
            Workspace workspace = memory.workspace();
            table.append(String.format(
                    Locale.ROOT,
                    "| %s | %d B, %d B | %s | %s | %s | %.0f %%, %.1f GiB, %d MiB |%n",
                    name,
                    workspace.lossKeptBytes(),
                    workspace.lossPeakBytes(),
                    words(memory.recomputeSelective()),
                    words(workspace.copies()),
                    stays(workspace),
                    100 * memory.fragmentation(),
                    memory.contextBytes() / (double) (1L << 30),
                    memory.communicatorBytes() >> 20));
        }
        DocumentBlock.check("docs/accuracy.md", "memory of frameworks", table.toString());
    }

    private static String words(Set<String> words) {
        return words.isEmpty() ? "nothing" : String.join(", ", new TreeSet<>(words));
    }

    private static String stays(Workspace workspace) {
        List<String> parts = Stream.of(
                        part(workspace.bucketBytes(), "gradient buckets without ZeRO"),
                        part(workspace.layerBytes(), "one layer"),
                        part(workspace.edgeBytes(), "embedding or head"),
                        part(workspace.stepBytes(), "in the optimizer's step"),
                        workspace.gatheredRoot() ? "root gathered" : "",
                        workspace.unitBytes() > 0
                                ? "gathered " + workspace.unitBytes() / 1_000_000_000 + " GB at most"
                                : "",
                        workspace.reduceBucketBytes() > 0
                                ? "buckets of " + workspace.reduceBucketBytes() / 1_000_000_000 + " GB in all"
                                : "")
                .filter(text -> !text.isEmpty())
                .toList();
        return parts.isEmpty() ? "nothing" : String.join("; ", parts);
    }

    private static String part(int bytes, String what) {
        return bytes == 0 ? "" : bytes + " " + what;
    }
}
