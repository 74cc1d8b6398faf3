package org.shardplan.workload;

import org.shardplan.units.UserError;

/**
 * What a run trains: all weights, from scratch or from a checkpoint, or adapters beside frozen weights (LoRA, Hu et al. 2021,
 * arXiv:2106.09685).
 *
 * @param task which
 * @param rank of the adapters, 0 where there are none
 * @param everyLinear whether the MLP's products have adapters too, not those of attention alone
 */
public record Tuning(Task task, int rank, boolean everyLinear) {
    /** From scratch. */
    public static final Tuning PRETRAIN = new Tuning(Task.PRETRAIN, 0, false);

    /** All weights, from a checkpoint: costs what pretraining costs. */
    public static final Tuning SFT = new Tuning(Task.SFT, 0, false);

    /** Rank of MLPerf's LoRA benchmark (Llama 2 70B), on the projections of attention. */
    public static final int USUAL_RANK = 16;

    private static final int MOST = 100_000;
    private static final String MAYBE = "Maybe --task lora, or --task lora:rank=16,targets=all";

    /** Kinds of runs. */
    public enum Task {
        PRETRAIN,
        SFT,
        LORA
    }

    public static Tuning lora(int rank, boolean everyLinear) {
        return new Tuning(Task.LORA, rank, everyLinear);
    }

    /**
     * Reads {@code pretrain}, {@code sft}, {@code lora} or {@code lora:rank=16,targets=attention}; empty = pretrain.
     *
     * @throws UserError with what is wrong
     */
    public static Tuning parse(String text) {
        String[] parts = text.split(":", 2);
        return switch (parts[0]) {
            case "", "pretrain" -> plain(text, parts, PRETRAIN);
            case "sft" -> plain(text, parts, SFT);
            case "lora" -> adapters(text, parts.length > 1 ? parts[1] : "");
            default -> throw new UserError("--task \"" + text + "\" is not one of pretrain, sft, lora", MAYBE);
        };
    }

    private static Tuning plain(String text, String[] parts, Tuning tuning) {
        if (parts.length > 1) {
            throw new UserError("--task " + text + ": " + parts[0] + " takes no settings", "Maybe --task " + parts[0]);
        }
        return tuning;
    }

    private static Tuning adapters(String text, String settings) {
        int rank = USUAL_RANK;
        boolean everyLinear = false;
        for (String setting : settings.isEmpty() ? new String[0] : settings.split(",", -1)) {
            if (setting.matches("rank=\\d{1,6}")) {
                rank = Integer.parseInt(setting.substring("rank=".length()));
            } else if (setting.equals("targets=all") || setting.equals("targets=attention")) {
                everyLinear = setting.equals("targets=all");
            } else {
                throw new UserError(
                        "--task " + text + ": \"" + setting + "\" is neither rank=N nor targets=attention|all", MAYBE);
            }
        }
        if (rank < 1 || rank > MOST) {
            throw new UserError("--task " + text + ": rank " + rank + " is not between 1 and " + MOST, MAYBE);
        }
        return lora(rank, everyLinear);
    }

    /** The form that {@link #parse} reads. */
    public String text() {
        return switch (task) {
            case PRETRAIN -> "pretrain";
            case SFT -> "sft";
            case LORA -> "lora:rank=" + rank + ",targets=" + (everyLinear ? "all" : "attention");
        };
    }
}
