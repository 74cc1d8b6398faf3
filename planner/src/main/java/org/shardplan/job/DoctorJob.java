package org.shardplan.job;

import java.util.ArrayList;
import java.util.List;
import org.shardplan.report.Catalog;

/** Says what is found and missing on this machine. */
public final class DoctorJob {
    private static final double GIB = 1L << 30;

    private DoctorJob() {}

    /** Columns: check, state ({@code ok}, {@code missing}, {@code note}), detail. */
    public static Catalog run() {
        List<List<Object>> rows = new ArrayList<>();
        rows.add(List.of("tool", "ok", ToolVersion.text()));
        rows.add(List.of("java", "ok", System.getProperty("java.vm.name", "?") + " " + Runtime.version()));
        rows.add(List.of(
                "system",
                "ok",
                "%s %s, %s"
                        .formatted(
                                System.getProperty("os.name", "?"),
                                System.getProperty("os.version", "?"),
                                System.getProperty("os.arch", "?"))));
        int cores = Runtime.getRuntime().availableProcessors();
        rows.add(List.of(
                "cores",
                cores >= 2 ? "ok" : "note",
                cores + (cores >= 2 ? ", the search uses all" : ", the search is faster on two or more")));
        rows.add(List.of(
                "heap", "ok", "%.1f GiB at most".formatted(Runtime.getRuntime().maxMemory() / GIB)));
        return new Catalog("checks", List.of("check", "state", "detail"), rows, List.of());
    }
}
