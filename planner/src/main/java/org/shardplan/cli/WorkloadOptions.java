package org.shardplan.cli;

import org.shardplan.units.UserError;
import picocli.CommandLine.Option;

/** What is trained on what, and by which software: options of plan and simulate. */
final class WorkloadOptions {
    @Option(
            names = "--cluster",
            paramLabel = "CLUSTER",
            description =
                    "catalog name with a count of nodes (dgx-h100:8), part of a node (dgx-h100/4), a YAML file, or what nvidia-smi topo -m, NCCL or Slurm wrote; \",price=2.50USD/h\" behind it")
    String cluster = "";

    @Option(names = "--global-batch", paramLabel = "N|4M-tokens", description = "sequences a step, or tokens a step")
    String globalBatch = "";

    @Option(names = "--seq-len", paramLabel = "N", description = "tokens a sequence (default: the model's)")
    private long seqLenOrDefault = UNSET;

    @Option(
            names = "--precision",
            paramLabel = "P",
            description = "bf16, fp16, fp32, fp8, mxfp8, nvfp4 (default: bf16, fp16 where the device has none)")
    String precision = "";

    @Option(names = "--optimizer", paramLabel = "O", description = "adam, sgd-momentum, sgd (default: adam)")
    String optimizer = "";

    @Option(
            names = "--task",
            paramLabel = "TASK",
            description =
                    "pretrain, sft, or lora[:rank=16,targets=attention|all]: adapters beside frozen weights (default: pretrain)")
    String task = "";

    @Option(
            names = "--framework",
            paramLabel = "NAME",
            description = "software generation that will run the plan (default: megatron-core)")
    String framework = "";

    @Option(
            names = "--memory-margin",
            paramLabel = "5%|4GiB",
            description = "memory that must stay free (default: 5%%)")
    String memoryMargin = "";

    @Option(
            names = "--tokens",
            paramLabel = "300B",
            description = "tokens of the whole run: prints days, failures, dollars and kWh to the last one")
    String tokens = "";

    private static final long UNSET = Long.MIN_VALUE;

    /** 0 where it was not given. */
    long seqLen() {
        if (seqLenOrDefault == UNSET) {
            return 0;
        }
        if (seqLenOrDefault < 1) {
            throw new UserError(
                    "--seq-len " + seqLenOrDefault + ": a sequence has at least one token", "Maybe --seq-len 2048");
        }
        return seqLenOrDefault;
    }
}
