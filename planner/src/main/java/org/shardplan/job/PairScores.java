package org.shardplan.job;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.shardplan.form.Row;
import org.shardplan.report.Errors;
import org.shardplan.report.PairScore;

/** Pairs of measured runs that differ in one choice. A blank cell says nothing, so it differs from no value and equals a blank alone. */
final class PairScores {
    /** Runs of equal configuration differ by as much. */
    private static final double LEAST = Math.log(1.03);

    private PairScores() {}

    /** A pair's effect: logarithms of the ratio of its steps. */
    private record Effect(double measured, double predicted) {
        boolean sameSign() {
            return measured * predicted > 0;
        }

        double offPercent() {
            return 100 * Math.abs(predicted / measured - 1);
        }
    }

    /** A line an effect, in the order of the columns; composed rows make no pair. */
    static List<PairScore> of(Collection<ScoredRow> rows) {
        Map<String, List<ScoredRow>> jobs = new TreeMap<>();
        for (ScoredRow row : rows) {
            if (row.result().kind() != null) {
                jobs.computeIfAbsent(job(row.ready().row()), _ -> new ArrayList<>())
                        .add(row);
            }
        }
        if (rows.isEmpty()) {
            return List.of();
        }
        Map<String, List<Effect>> effects = new LinkedHashMap<>();
        jobs.values().forEach(job -> add(job, effects));
        List<PairScore> scores = new ArrayList<>();
        for (String column : choices(rows.iterator().next().ready().row()).keySet()) {
            List<Effect> mine = effects.getOrDefault(column, List.of());
            if (!mine.isEmpty()) {
                double[] off =
                        mine.stream().mapToDouble(Effect::offPercent).sorted().toArray();
                int right = (int) mine.stream().filter(Effect::sameSign).count();
                scores.add(new PairScore(column, mine.size(), right, Errors.quantile(off, 0.5)));
            }
        }
        return scores;
    }

    private static void add(List<ScoredRow> job, Map<String, List<Effect>> effects) {
        for (int i = 0; i < job.size(); i++) {
            for (int j = i + 1; j < job.size(); j++) {
                String column =
                        difference(job.get(i).ready().row(), job.get(j).ready().row());
                double measured = Math.log(seconds(job.get(i), true) / seconds(job.get(j), true));
                if (!column.isEmpty() && Math.abs(measured) > LEAST) {
                    double predicted = Math.log(seconds(job.get(i), false) / seconds(job.get(j), false));
                    effects.computeIfAbsent(column, _ -> new ArrayList<>()).add(new Effect(measured, predicted));
                }
            }
        }
    }

    private static double seconds(ScoredRow row, boolean measured) {
        return measured ? row.result().measuredStepSeconds() : row.result().predictedStepSeconds();
    }

    /** The one column in which two runs differ; empty where it is none, or more, or a blank. */
    private static String difference(Row a, Row b) {
        Map<String, String> mine = choices(a);
        Map<String, String> theirs = choices(b);
        String found = "";
        for (Map.Entry<String, String> choice : mine.entrySet()) {
            String other = theirs.getOrDefault(choice.getKey(), "");
            if (!choice.getValue().equals(other)) {
                if (!found.isEmpty() || other.isEmpty() || choice.getValue().isEmpty()) {
                    return "";
                }
                found = choice.getKey();
            }
        }
        return found.isEmpty() || found.startsWith("recompute") || beside(a).equals(beside(b)) ? found : "";
    }

    /** Sequence parallelism comes with selective recomputation in Korthikanti et al., so that it may differ there. */
    private static String beside(Row row) {
        return row.degrees().sequenceParallel();
    }

    private static Map<String, String> choices(Row row) {
        Row.Degrees degrees = row.degrees();
        Row.Software software = row.software();
        Map<String, String> choices = new LinkedHashMap<>();
        choices.put("tp", text(degrees.tp()));
        choices.put("pp", text(degrees.pp()));
        choices.put("vpp", text(degrees.vpp()));
        choices.put("cp", text(degrees.cp()));
        choices.put("micro_batch", text(degrees.microBatch()));
        choices.put("recompute", recompute(software));
        choices.put("offload", software.offload());
        choices.put("zero_stage", text(degrees.zeroStage()));
        choices.put("ep_overlap", software.switches().exchangeOverlap());
        choices.put("tp_overlap", software.switches().tensorOverlap());
        choices.put("cuda_graph", software.switches().cudaGraph());
        return choices;
    }

    private static String recompute(Row.Software software) {
        String more = software.recomputeLayers() + '/' + software.recomputeModules() + '/' + software.recomputeNote();
        return software.recompute() + (more.equals("//") ? "" : '/' + more);
    }

    /** All else that two runs of a pair have in common. */
    private static String job(Row row) {
        Row.Shape shape = row.shape();
        Row.Machine machine = row.machine();
        Row.Degrees degrees = row.degrees();
        Row.Software software = row.software();
        return String.join(
                "\t",
                row.source(),
                row.task(),
                row.model(),
                String.valueOf(shape),
                String.valueOf(machine),
                text(degrees.globalBatch()),
                text(degrees.ep()) + '/' + text(degrees.etp()),
                software.framework() + '/' + software.family() + '/' + software.release(),
                software.compile() + '/' + software.attention() + '/' + software.gradDtype(),
                software.switches().dispatcher());
    }

    private static String text(OptionalLong value) {
        return value.isPresent() ? String.valueOf(value.getAsLong()) : "";
    }
}
