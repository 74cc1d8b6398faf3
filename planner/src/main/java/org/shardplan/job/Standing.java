package org.shardplan.job;

import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.shardplan.form.Row;
import org.shardplan.report.RunKind;
import org.shardplan.report.ValidationRow;

/**
 * Which rows count: dense models, pretrained in bf16 or fp16 without context parallelism, on GPUs, measured and not doubtful. It
 * is told from the row alone, so that a row that can't be predicted counts too, as one that was skipped.
 */
final class Standing {
    private static final Set<String> PRECISIONS = Set.of("bf16", "fp16");

    private static final Pattern FLAG = Pattern.compile("FLAG:?([^;.]{0,120})");

    private Standing() {}

    /** Why a row is none of those that count; null = it is. */
    static @Nullable String aside(Row row) {
        String fault = fault(row);
        if (fault != null) {
            return fault;
        }
        String other = other(row);
        if (other != null) {
            return other;
        }
        return row.measured().provenance().equals("composed") ? ValidationRow.COMPOSED : null;
    }

    /** Whose ledger a row counts in; null = something is wrong with it, or it is composed. */
    static @Nullable RunKind kind(Row row) {
        if (fault(row) != null || row.measured().provenance().equals("composed")) {
            return null;
        }
        if (!row.task().isEmpty() && !row.task().equals("pretrain")) {
            return RunKind.TUNING;
        }
        if (row.machine().gpu().startsWith("tpu")) {
            return RunKind.TPU;
        }
        boolean experts =
                row.shape().experts().orElse(0) > 1 || row.shape().arch().equals("moe");
        return experts ? RunKind.EXPERTS : RunKind.DENSE;
    }

    /** What is wrong with a row, whatever its kind; null = nothing known. */
    static @Nullable String fault(Row row) {
        String fault = RowFaults.of(row.id());
        if (fault != null) {
            return fault;
        }
        Matcher flag = FLAG.matcher(row.notes());
        if (flag.find()) {
            return "flagged as doubtful"
                    + (flag.group(1).isBlank() ? "" : ": " + flag.group(1).strip());
        }
        boolean unverified = row.notes().contains("leave out of scores")
                || row.measured().provenance().equals("memory");
        return unverified ? "unverified: its step is from memory" : null;
    }

    private static @Nullable String other(Row row) {
        boolean experts = row.shape().experts().orElse(0) > 1;
        String arch = row.shape().arch();
        if (experts || !(arch.isEmpty() || arch.equals("dense"))) {
            return "arch " + (arch.isEmpty() || arch.equals("dense") ? "moe" : arch);
        }
        if (!row.task().isEmpty() && !row.task().equals("pretrain")) {
            return "task " + row.task();
        }
        if (!PRECISIONS.contains(row.machine().precision())) {
            return "precision " + row.machine().precision();
        }
        if (row.degrees().cp().orElse(1) > 1) {
            return "context parallel";
        }
        return row.machine().gpu().startsWith("tpu") ? "not a GPU" : null;
    }
}
