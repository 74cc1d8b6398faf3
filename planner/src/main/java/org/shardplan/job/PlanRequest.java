package org.shardplan.job;

/**
 * What a user asks of {@link PlanJob}, as typed: the job parses each text and names the option in its errors. An empty text
 * means that the option was not given.
 *
 * @param model catalog name, config.json or graph.json
 * @param cluster catalog name with its count, or a YAML file
 * @param globalBatch sequences ({@code 1536}) or tokens ({@code 4M-tokens})
 * @param seqLen tokens a sequence, 0 = the model's
 * @param precision {@code bf16}, …
 * @param optimizer {@code adam}, …
 * @param framework catalog name
 * @param method {@code hybrid}
 * @param objective {@code time}, {@code memory}, {@code devices}, {@code cost}
 * @param atMost {@code step=25s,memory=70GiB,days=30}
 * @param fix pinned part of a plan
 * @param memoryMargin {@code 5%} or {@code 4GiB}
 * @param top plans to return
 * @param budget {@code 10s} or {@code 100000-plans}
 * @param seed of the search
 * @param tokens of the whole run: {@code 300B}
 * @param task {@code pretrain}, {@code sft}, {@code lora:rank=16}
 */
public record PlanRequest(
        String model,
        String cluster,
        String globalBatch,
        long seqLen,
        String precision,
        String optimizer,
        String framework,
        String method,
        String objective,
        String atMost,
        String fix,
        String memoryMargin,
        int top,
        String budget,
        long seed,
        String tokens,
        String task) {

    /** Of pretraining. */
    public PlanRequest(
            String model,
            String cluster,
            String globalBatch,
            long seqLen,
            String precision,
            String optimizer,
            String framework,
            String method,
            String objective,
            String atMost,
            String fix,
            String memoryMargin,
            int top,
            String budget,
            long seed,
            String tokens) {
        this(
                model,
                cluster,
                globalBatch,
                seqLen,
                precision,
                optimizer,
                framework,
                method,
                objective,
                atMost,
                fix,
                memoryMargin,
                top,
                budget,
                seed,
                tokens,
                "");
    }

    /** Of a step alone. */
    public PlanRequest(
            String model,
            String cluster,
            String globalBatch,
            long seqLen,
            String precision,
            String optimizer,
            String framework,
            String method,
            String objective,
            String atMost,
            String fix,
            String memoryMargin,
            int top,
            String budget,
            long seed) {
        this(
                model,
                cluster,
                globalBatch,
                seqLen,
                precision,
                optimizer,
                framework,
                method,
                objective,
                atMost,
                fix,
                memoryMargin,
                top,
                budget,
                seed,
                "",
                "");
    }
}
