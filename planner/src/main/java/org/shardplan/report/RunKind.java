package org.shardplan.report;

/** Kinds of measured runs, each with a ledger of its own. */
public enum RunKind {
    /** Dense models on GPUs, of any precision and any parallelism. */
    DENSE("dense"),
    /** Mixtures of experts on GPUs. */
    EXPERTS("experts"),
    /** Any model on TPUs. */
    TPU("tpu"),
    /** Fine-tuning: all weights (sft) or adapters (lora). */
    TUNING("tuning");

    private final String text;

    RunKind(String text) {
        this.text = text;
    }

    public String text() {
        return text;
    }

    /** Whether residual factors are fitted on its runs. */
    public boolean isFitted() {
        return this != TUNING;
    }
}
