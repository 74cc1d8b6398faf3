package org.shardplan.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.shardplan.Checkout;
import org.shardplan.DocumentBlock;
import org.shardplan.form.FrameworkCatalog;
import org.shardplan.form.ModelCatalog;
import org.shardplan.form.Row;
import org.shardplan.form.RowsFile;
import org.shardplan.graph.Block;
import org.shardplan.graph.DataType;
import org.shardplan.plan.PlanText;
import org.shardplan.plan.Schedules;
import org.shardplan.plan.Shorthand;
import org.shardplan.program.BlockProgram;
import org.shardplan.program.Program;
import org.shardplan.program.StageProgram;
import org.shardplan.sim.Prediction;
import org.shardplan.workload.Framework;

/**
 * FEATURE UNDER TEST: memory against figure 1 of Korthikanti et al. 2022, which is analytic: weights and optimizer of the layers
 * alone, 18 bytes a parameter, of an average stage; activations of the layers of the first stage.
 */
final class A11_FigureOneMemoryTest {
    private static final double GIB = 1L << 30;
    private static final Pattern FIGURES =
            Pattern.compile("params\\+optim=([\\d.]+), activations none=([\\d.]+), seq\\+selective=(\\d+\\.\\d+)");

    /** One model of the figure, GiB: published and of our program. */
    private record Model(String name, double[] published, double[] ours) {}

    private static List<Model> models() {
        List<Model> models = new ArrayList<>();
        for (Row row : RowsFile.read(
                Checkout.root().resolve("bench/rows/megatron-korthikanti2022.csv"), ModelCatalog::contains)) {
            Matcher figures = FIGURES.matcher(row.notes());
            boolean known = models.stream().anyMatch(model -> model.name.equals(row.model()));
            if (figures.find() && !known && RowJob.of(row) instanceof RowCase.Ready ready) {
                double[] published = {number(figures, 1), number(figures, 2), number(figures, 3)};
                double[] ours = {states(ready), activations(ready, ""), activations(ready, ",sp,recompute=selective")};
                models.add(new Model(row.model(), published, ours));
            }
        }
        return models;
    }

    private static double number(Matcher figures, int group) {
        return Double.parseDouble(figures.group(group));
    }

    private static Reporter reporter(RowCase.Ready ready) {
        ModelSource.Found model = new ModelSource.Found(ready.sizes(), "", "", List.of());
        Framework framework = FrameworkCatalog.get("megatron-lm-2022", DataType.FP16);
        Setting setting = Setting.of(model, ready.cluster(), ready.workload(), framework, 0, List.of());
        return new Reporter(setting, Prices.load());
    }

    private static Shorthand plan(RowCase.Ready ready, String more) {
        Shorthand plan = ready.plan();
        String chunks = plan.vpp() > 1 ? ",vpp=" + plan.vpp() : "";
        String text = "tp=" + plan.tp() + ",pp=" + plan.pp() + chunks + ",dp=1,mb=" + plan.microBatch() + more;
        return PlanText.parse(text, plan.devices());
    }

    private static StageProgram.Run layers(StageProgram stage) {
        return stage.runs().stream()
                .filter(run -> run.program().block().kind() == Block.Kind.LAYER)
                .findFirst()
                .orElseThrow();
    }

    /** Of the layers on an average stage; bytes a parameter as the memory of the whole program has them. */
    private static double states(RowCase.Ready ready) {
        Reporter reporter = reporter(ready);
        Prediction.StageUse whole = reporter.predict(plan(ready, "")).stages().getFirst();
        long bytes = whole.parametersBytes() + whole.gradientsBytes() + whole.optimizerBytes();
        Program program = reporter.program(plan(ready, ""));
        long elements = layers(program.stages().getFirst()).program().parameterElements();
        double share = (double) ready.sizes().layers() / ready.plan().pp();
        return share * elements * 2 * bytes / whole.parametersBytes() / GIB;
    }

    /** Of the first stage's layers, by as many micro-batches as its schedule keeps in flight. */
    private static double activations(RowCase.Ready ready, String more) {
        Program program = reporter(ready).program(plan(ready, more));
        Shorthand plan = ready.plan();
        int microBatches = (int) program.plan().microBatches();
        StageProgram.Run run = layers(program.stages().getFirst());
        long bytes = BlockProgram.bytes(
                more.isEmpty() ? run.program().saved() : run.program().savedSelective());
        int group = Schedules.group(plan.pp(), plan.vpp(), microBatches);
        int chunks = Schedules.inFlight(plan.schedule(), plan.pp(), plan.vpp(), microBatches, group, 0);
        return (double) bytes * run.repeats() * chunks / GIB;
    }

    @Test
    void withinFourPerCent() {
        List<Model> models = models();
        assertEquals(4, models.size());
        for (Model model : models) {
            for (int i = 0; i < 3; i++) {
                assertEquals(1, model.ours[i] / model.published[i], 0.04, model.name + ", figure " + i);
            }
        }
        assertTrue(models.getFirst().ours[0] > 45);
    }

    @Test
    void theTableStandsInTheDocument() throws IOException {
        StringBuilder table = new StringBuilder(
                "| model | weights and optimizer | ours | activations, nothing recomputed | ours | sequence parallel, selective | ours |\n"
                        + "|---|--:|--:|--:|--:|--:|--:|\n");
        for (Model model : models()) {
            table.append("| ").append(model.name).append(" |");
            for (int i = 0; i < 3; i++) {
                table.append(String.format(Locale.ROOT, " %.2f | %.2f |", model.published[i], model.ours[i]));
            }
            table.append('\n');
        }
        DocumentBlock.check("docs/accuracy.md", "figure 1", table.toString());
    }
}
