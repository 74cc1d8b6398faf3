package org.shardplan.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.shardplan.job.ExplainJob;
import org.shardplan.job.ExplainRequest;
import org.shardplan.report.ExplainReport;
import org.shardplan.report.Explanation;
import org.shardplan.search.PlanOutcome;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code shardplan explain}. */
@Command(
        name = "explain",
        description = "Says why this plan, and what the next best lose.",
        footer = "Example: shardplan explain plan.json --against \"tp=4,pp=8,mb=1,sp\"")
final class ExplainCommand implements Callable<Integer> {
    private final Session session;

    @Parameters(paramLabel = "plan.json", description = "written by plan -o")
    private String planFile = "";

    @Option(
            names = "--against",
            paramLabel = "PLAN",
            description = "a plan to compare with, may be repeated (default: the next best ones)")
    private List<String> against = new ArrayList<>();

    ExplainCommand(Session session) {
        this.session = session;
    }

    @Override
    public Integer call() {
        Explanation answer;
        try (Progress progress = new Progress(session)) {
            answer = ExplainJob.run(new ExplainRequest(planFile, against), progress);
        }
        session.out.print(ExplainReport.print(answer, session.style()));
        return answer.result().outcome() instanceof PlanOutcome.Found ? 0 : 1;
    }
}
