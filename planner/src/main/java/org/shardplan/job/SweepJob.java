package org.shardplan.job;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.shardplan.form.SweepFile;
import org.shardplan.report.Catalog;
import org.shardplan.search.Campaign;
import org.shardplan.search.PlanOutcome;
import org.shardplan.search.SearchObserver;
import org.shardplan.sim.Prediction;
import org.shardplan.units.UserError;

/** Models × clusters × batches × tokens, planned one by one: one table, the cheapest way to each goal first. */
public final class SweepJob {
    private static final int MOST_CASES = 10_000;
    private static final List<String> COLUMNS = List.of(
            "model",
            "tokens",
            "cluster",
            "global_batch",
            "devices",
            "step_seconds",
            "mfu",
            "days",
            "dollars",
            "kilowatt_hours",
            "plan");

    private SweepJob() {}

    /**
     * What was found.
     *
     * @param table a row a case
     * @param reached whether each model has a way to each number of tokens
     */
    public record Outcome(Catalog table, boolean reached) {}

    /** One case, answered. {@code days} and {@code dollars} NaN = unknown, or none fits. */
    private record Case(String goal, boolean found, double days, double dollars, List<Object> row) {}

    /** @throws UserError on any mistake in the file, and in what it names */
    public static Outcome run(String name, SearchObserver observer) {
        SweepFile file = SweepFile.read(path(name));
        long count = (long) file.models().size()
                * file.clusters().size()
                * file.globalBatches().size()
                * file.tokens().size();
        if (count > MOST_CASES) {
            throw new UserError(
                    name + ": " + count + " cases, at most " + MOST_CASES + " are planned", "Maybe several files.");
        }
        List<Case> cases = new ArrayList<>();
        for (String model : file.models()) {
            for (String tokens : file.tokens()) {
                for (String cluster : file.clusters()) {
                    for (String batch : file.globalBatches()) {
                        cases.add(answer(name, file.options(), model, tokens, cluster, batch, observer));
                    }
                }
            }
        }
        return table(cases);
    }

    private static Path path(String name) {
        try {
            Path path = Path.of(name);
            if (Files.exists(path)) {
                return path;
            }
        } catch (InvalidPathException e) {
            throw new UserError("no file can have the name " + name, "Maybe sweep.yaml");
        }
        throw new UserError("there is no file " + name, "Maybe start from examples/sweep/cheapest.yaml");
    }

    private static Case answer(
            String file,
            SweepFile.Options options,
            String model,
            String tokens,
            String cluster,
            String batch,
            SearchObserver observer) {
        PlanRequest request = new PlanRequest(
                model,
                cluster,
                batch,
                options.seqLen(),
                options.precision(),
                options.optimizer(),
                options.framework(),
                "",
                options.objective(),
                options.atMost(),
                options.fix(),
                "",
                1,
                options.budget(),
                1,
                tokens,
                "");
        PlanAnswer answer;
        try {
            answer = PlanJob.run(request, observer);
        } catch (UserError e) {
            throw new UserError(file + ": " + model + " on " + cluster + ": " + e.getMessage(), e.maybe());
        }
        return answered(model, tokens, batch, answer);
    }

    private static Case answered(String model, String tokens, String batch, PlanAnswer answer) {
        boolean found = answer.result().outcome() instanceof PlanOutcome.Found;
        Campaign campaign = answer.result().campaign().orElseThrow();
        Prediction plan = null;
        String text = "nothing fits";
        switch (answer.result().outcome()) {
            case PlanOutcome.Found yes -> {
                plan = yes.best();
                text = plan.planText();
            }
            case PlanOutcome.NothingFits no -> text = "nothing fits";
            case PlanOutcome.NoneWithin no -> text = "none within " + no.limit() + ": " + no.reached();
        }
        double step = plan == null ? Double.NaN : plan.stepSeconds();
        int devices = plan == null ? answer.cluster().devices() : plan.devices();
        int charged = campaign.charged(devices);
        double days = campaign.days(step, devices);
        double dollars = campaign.dollars(step, devices);
        double energy = campaign.run(step, step, step, devices).kilowattHours();
        double mfu = plan == null ? Double.NaN : plan.mfu();
        return new Case(
                model + ", " + tokens + " tokens",
                found,
                days,
                dollars,
                List.of(
                        model,
                        tokens,
                        answer.cluster().name(),
                        batch,
                        charged,
                        step,
                        mfu,
                        days,
                        dollars,
                        energy,
                        text));
    }

    /** By goal as in the file; within it what is found first, then the cheapest, then the fastest. */
    private static Outcome table(List<Case> cases) {
        Map<String, List<Case>> goals = new LinkedHashMap<>();
        cases.forEach(
                each -> goals.computeIfAbsent(each.goal, _ -> new ArrayList<>()).add(each));
        List<List<Object>> rows = new ArrayList<>();
        List<String> notes = new ArrayList<>();
        boolean reached = true;
        for (Map.Entry<String, List<Case>> goal : goals.entrySet()) {
            List<Case> ordered = goal.getValue();
            ordered.sort(Comparator.<Case, Boolean>comparing(each -> !each.found)
                    .thenComparingDouble(each -> each.dollars)
                    .thenComparingDouble(each -> each.days));
            ordered.forEach(each -> rows.add(each.row));
            Case first = ordered.getFirst();
            reached &= first.found;
            String what = Double.isNaN(first.dollars) ? "fastest, prices are unknown" : "cheapest";
            notes.add(
                    first.found
                            ? goal.getKey() + ": " + what + " on " + first.row.get(COLUMNS.indexOf("cluster"))
                            : goal.getKey() + ": no cluster of the list does it");
        }
        return new Outcome(new Catalog("runs", COLUMNS, rows, notes), reached);
    }
}
