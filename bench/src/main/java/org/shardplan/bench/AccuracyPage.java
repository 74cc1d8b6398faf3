package org.shardplan.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.shardplan.form.ModelCatalog;
import org.shardplan.form.Row;
import org.shardplan.form.RowsFile;
import org.shardplan.job.Prices;
import org.shardplan.job.ValidateJob;
import org.shardplan.job.ValidateRequest;
import org.shardplan.report.Errors;
import org.shardplan.report.KindLedger;
import org.shardplan.report.KindReport;
import org.shardplan.report.Ledger;
import org.shardplan.report.LedgerReport;
import org.shardplan.report.Means;
import org.shardplan.report.SourceScore;
import org.shardplan.report.Style;
import org.shardplan.report.Validation;
import org.shardplan.report.ValidationReport;
import org.shardplan.search.SearchObserver;

/**
 * Writes the figures of {@code docs/accuracy.md}, its plot and the table of {@code README.md} anew from the rows of {@code bench/rows}; with {@code --check} compares
 * them instead and ends with status 1 where they are behind. Runs in the root of a checkout.
 */
public final class AccuracyPage {
    private static final Path PAGE = Path.of("docs/accuracy.md");
    private static final Path README = Path.of("README.md");
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
        Prices prices = Prices.load();
        List<Row> rows = rows(files);
        Lessons.Learnt learnt = Lessons.learnt(rows, validation.ledger(), prices);
        Map<String, String> blocks = blocks(validation);
        blocks.put("lessons", learnt.table());
        blocks.put("ablation", Ablation.table(rows, prices));
        for (Map.Entry<String, String> block : blocks.entrySet()) {
            written = replaced(written, block.getKey(), block.getValue());
        }
        String readme = Files.readString(README);
        String readmeWritten = replaced(readme, "accuracy", summary(validation, learnt.ledger()));
        boolean same = written.equals(page)
                && readmeWritten.equals(readme)
                && Files.isRegularFile(PLOT)
                && Files.readString(PLOT).equals(plot);
        if (check && !same) {
            System.err.println(
                    PAGE + ", " + PLOT + " or " + README + " is behind. Maybe run bench/scripts/accuracy.sh");
            System.exit(1);
        }
        if (!check) {
            Files.writeString(PAGE, written);
            Files.writeString(PLOT, plot);
            Files.writeString(README, readmeWritten);
        }
        System.out.println(PAGE + ", its plot and the table of " + README
                + (same ? " are as these rows give them" : " were written anew"));
    }

    private static List<String> files() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("bench/rows"))) {
            return files.map(Path::toString)
                    .filter(file -> file.endsWith(".csv"))
                    .sorted()
                    .toList();
        }
    }

    private static Map<String, String> blocks(Validation validation) {
        Ledger ledger = validation.ledger();
        Map<String, String> blocks = new LinkedHashMap<>();
        blocks.put("means", fenced(LedgerReport.means(ledger, Style.PLAIN)));
        blocks.put("times", fenced(LedgerReport.times(ledger, Style.PLAIN)));
        blocks.put("ranking", fenced(LedgerReport.ranking(ledger, Style.PLAIN)));
        blocks.put("jobs", fenced(LedgerReport.jobs(ledger, Style.PLAIN)));
        blocks.put("intervals", fenced(LedgerReport.intervals(ledger, Style.PLAIN)));
        blocks.put("memory", fenced(LedgerReport.memory(ledger, Style.PLAIN)));
        blocks.put("skipped", fenced(LedgerReport.skips(ledger, Style.PLAIN)));
        blocks.put("faults", fenced(LedgerReport.faults(ledger, Style.PLAIN)));
        blocks.put("factors", fenced(ValidationReport.heldOut(validation, Style.PLAIN)));
        blocks.put("kinds", fenced(KindReport.print(validation.kinds(), Style.PLAIN)));
        blocks.put("pairs", fenced(KindReport.pairs(validation.pairs(), Style.PLAIN)));
        blocks.put("files", fenced(ValidationReport.summary(validation, Style.PLAIN)));
        return blocks;
    }

    private static List<Row> rows(List<String> files) {
        List<Row> rows = new ArrayList<>();
        for (String file : files) {
            rows.addAll(RowsFile.read(Path.of(file), ModelCatalog::contains));
        }
        return rows;
    }

    /** Ours beside the formula's and the peers' figures. */
    private static String summary(Validation validation, Ledger learnt) {
        Ledger ledger = validation.ledger();
        Means shared = ledger.means(SourceScore::leftOut, SourceScore::sharesDevice);
        Means leftOut = ledger.means(SourceScore::leftOut);
        Means inSample = ledger.means(SourceScore::inSample);
        Means formula = ledger.means(SourceScore::formulaLeftOut);
        Means formulaInSample = ledger.means(SourceScore::formulaInSample);
        return "| | left out: mean over sources | median 90th percentile | in sample | |\n|---|--:|--:|--:|---|\n"
                + line("Shardplan", leftOut, inSample, leftOut.sources() + " sources, " + timed(ledger) + " timed runs")
                + line("Shardplan, device shared", shared, null, shared.sources() + " sources")
                + line(
                        "Shardplan, and what was learnt from a source is forgotten",
                        learnt.means(SourceScore::leftOut),
                        null,
                        "constants, frameworks, clusters")
                + line(
                        "formula (6 operations a parameter and token)",
                        formula,
                        formulaInSample,
                        "efficiency fitted by device")
                + validation.kinds().stream().map(AccuracyPage::kind).collect(Collectors.joining())
                + "| SimuMax (quoted) | | | 12.6 % | on 8 sources |\n"
                + "| Calculon (quoted) | | | 20 % | on 13 sources |\n";
    }

    private static String kind(KindLedger of) {
        Ledger ledger = of.ledger();
        String name = switch (of.kind()) {
            case DENSE -> "Shardplan, dense of any precision and length";
            case EXPERTS -> "Shardplan, mixtures of experts";
            case TPU -> "Shardplan, TPUs";
            case TUNING -> "Shardplan, fine-tuning (nothing fitted)";
        };
        return line(
                name,
                ledger.means(SourceScore::leftOut),
                ledger.means(SourceScore::inSample),
                ledger.evaluated() + " of " + ledger.rows() + " runs");
    }

    /** Scored rows of the sources that count in means. */
    private static int timed(Ledger ledger) {
        return ledger.sources().stream()
                .filter(source -> !source.composed() && source.leftOut().rows() >= Errors.LEAST_ROWS)
                .mapToInt(source -> source.leftOut().rows())
                .sum();
    }

    private static String line(String name, Means leftOut, @Nullable Means inSample, String note) {
        return String.format(
                Locale.ROOT,
                "| %s | %.1f %% | %.1f %% | %s | %s |%n",
                name,
                leftOut.medianPercent(),
                leftOut.p90Percent(),
                inSample == null ? "" : String.format(Locale.ROOT, "%.1f %%", inSample.medianPercent()),
                note);
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
            throw new IllegalStateException("no block " + name);
        }
        return page.substring(0, from + begin.length()) + text + page.substring(to);
    }
}
