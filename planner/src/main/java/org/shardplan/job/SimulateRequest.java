package org.shardplan.job;

/**
 * What a user asks of {@link SimulateJob}, as typed. Either {@code model} is a {@code plan.json}, and the rest is empty or
 * overrides it, or model, cluster, batch and plan are all given. An empty text means that the option was not given.
 *
 * @param model catalog name, config.json, graph.json or plan.json
 * @param cluster catalog name with its count, or a YAML file
 * @param globalBatch sequences ({@code 1536}) or tokens ({@code 4M-tokens})
 * @param seqLen tokens a sequence, 0 = the model's
 * @param precision {@code bf16}, …
 * @param optimizer {@code adam}, …
 * @param framework catalog name
 * @param plan short form
 * @param memoryMargin {@code 5%} or {@code 4GiB}
 * @param tokens of the whole run: {@code 300B}
 * @param task {@code pretrain}, {@code sft}, {@code lora:rank=16}
 */
public record SimulateRequest(
        String model,
        String cluster,
        String globalBatch,
        long seqLen,
        String precision,
        String optimizer,
        String framework,
        String plan,
        String memoryMargin,
        String tokens,
        String task) {

    /** Of a step alone. */
    public SimulateRequest(
            String model,
            String cluster,
            String globalBatch,
            long seqLen,
            String precision,
            String optimizer,
            String framework,
            String plan,
            String memoryMargin) {
        this(model, cluster, globalBatch, seqLen, precision, optimizer, framework, plan, memoryMargin, "", "");
    }
}
