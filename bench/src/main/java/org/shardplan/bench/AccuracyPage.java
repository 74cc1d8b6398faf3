package org.shardplan.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.shardplan.form.ModelCatalog;
import org.shardplan.form.Row;
import org.shardplan.form.RowsFile;
import org.shardplan.job.Prices;
import org.shardplan.job.ValidateJob;
import org.shardplan.job.ValidateRequest;
import org.shardplan.report.Ledger;
import org.shardplan.report.LedgerReport;
import org.shardplan.report.Style;
import org.shardplan.report.Validation;
import org.shardplan.report.ValidationReport;
import org.shardplan.search.SearchObserver;

/**
 * Writes the figures of {@code docs/accuracy.md} and its plot anew from the rows of {@code bench/rows}; with {@code --check} compares
 * them instead and ends with status 1 where they are behind. Runs in the root of a checkout.
 */
public final class AccuracyPage {
    private static final Path PAGE = Path.of("docs/accuracy.md");
    private static final Path PLOT = Path.of("docs/accuracy.svg");

    private AccuracyPage() {}

    /** Writes, or compares with {@code --check}. */
    public static void main(String[] args) throws IOException {
        boolean check = List.of(args).contains("--check");
        List<String> files = files();
        Validation validation =
                ValidateJob.run(new ValidateRequest(files), SearchObserver.NONE).validation();
        String plot = AccuracyPlot.svg(validation.ledger().points());
        String page = Files.readString(PAGE);
        String written = page;
        for (Map.Entry<String, String> block : blocks(validation, files).entrySet()) {
            written = replaced(written, block.getKey(), block.getValue());
        }
        boolean same = written.equals(page)
                && Files.isRegularFile(PLOT)
                && Files.readString(PLOT).equals(plot);
        if (check && !same) {
            System.err.println(PAGE + " or " + PLOT + " is behind. Maybe run bench/scripts/accuracy.sh");
            System.exit(1);
        }
        if (!check) {
            Files.writeString(PAGE, written);
            Files.writeString(PLOT, plot);
        }
        System.out.println(PAGE + " and " + PLOT + (same ? " are as these rows give them" : " were written anew"));
    }

    private static List<String> files() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("bench/rows"))) {
            return files.map(Path::toString)
                    .filter(file -> file.endsWith(".csv"))
                    .sorted()
                    .toList();
        }
    }

    private static Map<String, String> blocks(Validation validation, List<String> files) {
        Ledger ledger = validation.ledger();
        Map<String, String> blocks = new LinkedHashMap<>();
        blocks.put("means", fenced(LedgerReport.means(ledger, Style.PLAIN)));
        blocks.put("times", fenced(LedgerReport.times(ledger, Style.PLAIN)));
        blocks.put("ranking", fenced(LedgerReport.ranking(ledger, Style.PLAIN)));
        blocks.put("intervals", fenced(LedgerReport.intervals(ledger, Style.PLAIN)));
        blocks.put("memory", fenced(LedgerReport.memory(ledger, Style.PLAIN)));
        blocks.put("skipped", fenced(LedgerReport.skips(ledger, Style.PLAIN)));
        blocks.put("faults", fenced(LedgerReport.faults(ledger, Style.PLAIN)));
        blocks.put("factors", fenced(ValidationReport.heldOut(validation, Style.PLAIN)));
        blocks.put("files", fenced(ValidationReport.summary(validation, Style.PLAIN)));
        blocks.put("ablation", Ablation.table(rows(files), Prices.load()));
        return blocks;
    }

    private static List<Row> rows(List<String> files) {
        List<Row> rows = new ArrayList<>();
        for (String file : files) {
            rows.addAll(RowsFile.read(Path.of(file), ModelCatalog::contains));
        }
        return rows;
    }

    private static String fenced(String text) {
        return "```\n" + text + "```\n";
    }

    private static String replaced(String page, String name, String text) {
        String begin = "<!-- begin: " + name + " -->\n";
        String end = "<!-- end: " + name + " -->";
        int from = page.indexOf(begin);
        int to = page.indexOf(end);
        if (from < 0 || to < from) {
            throw new IllegalStateException(PAGE + " has no block " + name);
        }
        return page.substring(0, from + begin.length()) + text + page.substring(to);
    }
}
