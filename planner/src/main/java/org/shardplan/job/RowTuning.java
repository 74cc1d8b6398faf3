package org.shardplan.job;

import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.shardplan.form.Row;
import org.shardplan.workload.Tuning;

/** Which weights a row trains. Its column says lora for runs that its model's name calls SFT: the name is right. */
final class RowTuning {
    private static final Pattern RANK = Pattern.compile("\\brank (\\d{1,4})\\b");

    private RowTuning() {}

    static Tuning of(Row row, List<String> assumed) throws RowSkip {
        String task = row.task();
        if (task.isEmpty() || task.equals("pretrain")) {
            return Tuning.PRETRAIN;
        }
        boolean named = row.model().toUpperCase(Locale.ROOT).contains("SFT");
        if (task.equals("sft") || task.equals("lora") && named) {
            return Tuning.SFT;
        }
        if (!task.equals("lora")) {
            throw new RowSkip("task is \"" + task + "\", none of pretrain, sft, lora");
        }
        Matcher rank = RANK.matcher(row.model());
        if (rank.find()) {
            // MLPerf's benchmark: adapters of attention's projections
            return Tuning.lora(Math.max(1, Integer.parseInt(rank.group(1))), false);
        }
        assumed.add("adapters of rank " + Tuning.USUAL_RANK + " in attention");
        return Tuning.lora(Tuning.USUAL_RANK, false);
    }
}
