package org.shardplan.cli;

import java.util.concurrent.Callable;
import org.shardplan.job.PlanAnswer;
import org.shardplan.job.SimulateJob;
import org.shardplan.job.SimulateRequest;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code shardplan simulate}. */
@Command(
        name = "simulate",
        description = "Predicts time and memory of one plan.",
        footer = {
            "Examples: shardplan simulate llama3-70b --cluster dgx-h100:8 --global-batch 512 --plan \"tp=4,pp=8,mb=1,sp,zero=1\"",
            "          shardplan simulate plan.json"
        })
final class SimulateCommand implements Callable<Integer> {
    private final Session session;

    @Parameters(
            paramLabel = "MODEL|plan.json",
            description = "catalog name, a Hugging Face config.json, or a plan.json")
    private String model = "";

    @Mixin
    private WorkloadOptions workload = new WorkloadOptions();

    @Option(
            names = "--plan",
            paramLabel = "PLAN",
            description = "\"tp=8,pp=16,vpp=3,mb=1,sp,zero=1,recompute=selective\"; an omitted key is neutral")
    private String plan = "";

    @Mixin
    private Outputs outputs = new Outputs();

    SimulateCommand(Session session) {
        this.session = session;
    }

    @Override
    public Integer call() {
        outputs.check();
        PlanAnswer answer = SimulateJob.run(new SimulateRequest(
                model,
                workload.cluster,
                workload.globalBatch,
                workload.seqLen(),
                workload.precision,
                workload.optimizer,
                workload.framework,
                plan,
                workload.memoryMargin,
                workload.tokens,
                workload.task));
        return outputs.write(answer, session);
    }
}
