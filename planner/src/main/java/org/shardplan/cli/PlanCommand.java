package org.shardplan.cli;

import java.util.concurrent.Callable;
import org.shardplan.job.PlanAnswer;
import org.shardplan.job.PlanJob;
import org.shardplan.job.PlanRequest;
import org.shardplan.units.UserError;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code shardplan plan}. */
@Command(
        name = "plan",
        description = "Finds the best plan of a model on a cluster.",
        footer = "Example: shardplan plan gpt3-175b --cluster dgx-a100-80gb:128 --global-batch 1536")
final class PlanCommand implements Callable<Integer> {
    private static final int MOST_PLANS = 1000;

    private final Session session;

    @Parameters(paramLabel = "MODEL", description = "catalog name, or a Hugging Face config.json")
    private String model = "";

    @Mixin
    private WorkloadOptions workload = new WorkloadOptions();

    @Option(names = "--method", paramLabel = "NAME", description = "how to search (default: hybrid)")
    private String method = "";

    @Option(
            names = "--objective",
            paramLabel = "time|cost|memory|devices",
            description = "what to make small (default: time)")
    private String objective = "";

    @Option(
            names = "--at-most",
            paramLabel = "LIMITS",
            description = "limits that a plan must keep: \"step=25s,memory=70GiB,devices=512,days=30\"")
    private String atMost = "";

    @Option(
            names = "--fix",
            paramLabel = "PLAN",
            description = "part of the plan that is given: \"tp=8,recompute=full\"; the rest is searched")
    private String fix = "";

    @Option(names = "--top", paramLabel = "N", defaultValue = "10", description = "plans to list (default: 10)")
    private int top;

    @Option(
            names = "--budget",
            paramLabel = "10s|100000-plans",
            description = "end the search after this much (default: when it is proven, or after 30s)")
    private String budget = "";

    @Option(names = "--seed", paramLabel = "N", defaultValue = "1", description = "of random choices (default: 1)")
    private long seed;

    @Mixin
    private Outputs outputs = new Outputs();

    PlanCommand(Session session) {
        this.session = session;
    }

    @Override
    public Integer call() {
        require("--cluster", workload.cluster, "Maybe --cluster dgx-h100:8; `shardplan clusters` lists the catalog");
        require("--global-batch", workload.globalBatch, "Maybe --global-batch 1536, or --global-batch 4M-tokens");
        if (top < 1) {
            throw new UserError("--top " + top + ": at least one plan must be listed", "Maybe --top 10");
        }
        if (top > MOST_PLANS) {
            throw new UserError("--top " + top + ": at most " + MOST_PLANS + " plans can be listed", "Maybe --top 10");
        }
        outputs.check();
        PlanRequest request = new PlanRequest(
                model,
                workload.cluster,
                workload.globalBatch,
                workload.seqLen(),
                workload.precision,
                workload.optimizer,
                workload.framework,
                method,
                objective,
                atMost,
                fix,
                workload.memoryMargin,
                top,
                budget,
                seed,
                workload.tokens,
                workload.task);
        PlanAnswer answer;
        try (Progress progress = new Progress(session)) {
            answer = PlanJob.run(request, progress);
        }
        return outputs.write(answer, session);
    }

    static void require(String option, String value, String maybe) {
        if (value.isEmpty()) {
            throw new UserError(option + " is missing", maybe);
        }
    }
}
