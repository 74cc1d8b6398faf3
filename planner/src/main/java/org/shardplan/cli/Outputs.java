package org.shardplan.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;
import org.shardplan.form.PlanFile;
import org.shardplan.job.PlanAnswer;
import org.shardplan.job.ToolVersion;
import org.shardplan.plan.Plan;
import org.shardplan.report.JsonReport;
import org.shardplan.report.TextReport;
import org.shardplan.report.TraceReport;
import org.shardplan.search.PlanOutcome;
import org.shardplan.sim.Prediction;
import org.shardplan.units.UserError;
import picocli.CommandLine.Option;

/** Where plan and simulate write. */
final class Outputs {
    @Option(
            names = "--json",
            paramLabel = "F",
            description = "write the result document; - = stdout, instead of the text")
    private @Nullable String json;

    @Option(names = "--trace", paramLabel = "F", description = "write the best plan's timeline for Perfetto")
    private @Nullable String trace;

    @Option(names = "-o", paramLabel = "plan.json", description = "write the plan with all that it was made for")
    private @Nullable String plan;

    private @Nullable FileOutput jsonFile;
    private @Nullable FileOutput traceFile;
    private @Nullable FileOutput planFile;

    /** Refuses what can't be written, before the work. */
    void check() {
        jsonFile = file("--json", json);
        traceFile = file("--trace", trace);
        planFile = file("-o", plan);
        @Nullable FileOutput[] files = {jsonFile, traceFile, planFile};
        for (int i = 0; i < files.length; i++) {
            FileOutput before = files[i];
            FileOutput after = files[(i + 1) % files.length];
            if (before != null && before.same(after)) {
                throw new UserError(before + " is named by two of --json, --trace, -o", "Maybe another name for one");
            }
        }
    }

    static @Nullable FileOutput file(String option, @Nullable String name) {
        return name == null || (name.equals("-") && option.equals("--json")) ? null : new FileOutput(option, name);
    }

    /** Writes all that was asked for; the exit status. */
    int write(PlanAnswer answer, Session session) {
        if ("-".equals(json)) {
            print(session, out -> JsonReport.write(answer.result(), out));
        } else {
            session.out.print(TextReport.print(answer.result(), session.style()));
            session.out.flush();
        }
        if (jsonFile != null) {
            jsonFile.write(out -> JsonReport.write(answer.result(), out));
            session.say("wrote " + jsonFile);
        }
        FileOutput traces = traceFile;
        if (traces != null) {
            answer.result()
                    .timeline()
                    .ifPresentOrElse(
                            timeline -> {
                                traces.write(out -> TraceReport.write(timeline, title(answer), out));
                                session.say("wrote " + traces + "; Maybe open it at https://ui.perfetto.dev");
                            },
                            () -> session.say("no trace: there is no timeline of this plan"));
        }
        if (planFile != null) {
            plan(answer, planFile, session);
        }
        return status(answer);
    }

    private static void plan(PlanAnswer answer, FileOutput file, Session session) {
        Plan best = answer.best();
        if (best == null) {
            session.say("no " + file + ": there is no plan to write");
            return;
        }
        Prediction prediction = switch (answer.result().outcome()) {
            case PlanOutcome.Found found -> found.best();
            case PlanOutcome.NothingFits no -> no.nearest();
            case PlanOutcome.NoneWithin no -> no.nearest();
        };
        PlanFile content = new PlanFile(
                ToolVersion.text(),
                answer.model().source(),
                answer.model().hash(),
                answer.model().sizes(),
                answer.cluster(),
                answer.workload(),
                answer.framework().name(),
                answer.result().subject().memoryMargin(),
                best);
        file.write(out -> content.write(out, json -> JsonReport.plan(json, prediction)));
        session.say("wrote " + file);
    }

    static int status(PlanAnswer answer) {
        return answer.result().outcome() instanceof PlanOutcome.Found ? 0 : 1;
    }

    /** To stdout; a reader that has gone away is no error. */
    static void print(Session session, FileOutput.Content content) {
        try {
            content.writeTo((OutputStream) session.out);
            session.out.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String title(PlanAnswer answer) {
        String plan = answer.result().outcome() instanceof PlanOutcome.Found found
                ? " " + found.best().planText()
                : "";
        return answer.result().subject().model() + " on "
                + answer.result().subject().cluster() + plan;
    }
}
