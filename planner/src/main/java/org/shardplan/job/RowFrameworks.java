package org.shardplan.job;

import java.util.Locale;
import org.shardplan.form.Row;

/**
 * Which framework generation ran a row: {@code framework_family} with the year, as the ledger's README says. megatron-lm to 2021
 * and 2022 are generations of their own, later ones are megatron-core; a row that names no framework gets the default.
 */
final class RowFrameworks {
    private RowFrameworks() {}

    /** Whether NVIDIA's recipes ran it: what they set stands for what a row leaves blank. */
    static boolean isRecipe(String framework) {
        return framework.equals("nemo") || framework.equals("megatron-bridge");
    }

    /** A name of the framework catalog. */
    static String generation(Row row) throws RowSkip {
        String family = family(row);
        long year = row.year().orElse(0);
        switch (family) {
            case "":
            case "megatron-core":
                return "megatron-core";
            case "megatron-lm":
                if (row.year().isEmpty()) {
                    throw new RowSkip("framework megatron-lm without a year is no generation");
                }
                return year <= 2021 ? "megatron-lm-2021" : year == 2022 ? "megatron-lm-2022" : "megatron-core";
            case "megatron-deepspeed", "composer-fsdp", "nanotron", "maxtext", "nemo", "megatron-bridge":
                return family;
            case "torchtitan":
                return row.software().compile().equals("compiled") ? "torchtitan" : "torchtitan-eager";
            case "deepspeed":
                if (row.source().equals("megatron-sc21") || (year == 2021 && zero(row) == 3 && !degreesSplit(row))) {
                    return "deepspeed-zero3-2021";
                }
                break;
            default:
                break;
        }
        String release =
                row.software().release().isEmpty() ? "" : " " + row.software().release();
        throw new RowSkip("framework " + family + release + " comes with a later issue");
    }

    private static long zero(Row row) {
        return row.degrees().zeroStage().orElse(0);
    }

    private static boolean degreesSplit(Row row) {
        return row.degrees().tp().orElse(1) * row.degrees().pp().orElse(1) != 1;
    }

    /** The column framework_family, else what the column framework says. */
    private static String family(Row row) {
        if (!row.software().family().isEmpty()) {
            return row.software().family();
        }
        String words = row.software().framework().toLowerCase(Locale.ROOT);
        boolean megatron = words.contains("megatron");
        boolean deepspeed = words.contains("deepspeed");
        if (megatron && deepspeed) {
            return "megatron-deepspeed";
        }
        if (words.contains("bridge") || words.contains("nemo")) {
            return words.contains("nemo") ? "nemo" : "megatron-bridge";
        }
        if (megatron) {
            return words.contains("core") || row.year().isEmpty() ? "megatron-core" : "megatron-lm";
        }
        return deepspeed ? "deepspeed" : words;
    }
}
