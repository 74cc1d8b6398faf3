package org.shardplan.plan;

import static org.shardplan.plan.Legality.illegal;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import org.shardplan.plan.Legality.Case;
import org.shardplan.plan.Verdict.Illegal;

/** Rules of pipeline stages, their schedule and the layout of layers. */
final class PipelineRules {
    private PipelineRules() {}

    static Optional<Illegal> crossAttention(Case given) {
        if (given.plan().pp() == 1 || !given.splits().carries()) {
            return Optional.empty();
        }
        return illegal(
                "cross-attention",
                "layers read what an encoder made, and pp=" + given.plan().pp()
                        + " would part them from it: this version has no pipelines of such models",
                "Maybe pp=1, with tp or zero=3.");
    }

    static Optional<Illegal> interleavingNeedsPipeline(Case given) {
        if (given.plan().vpp() == 1 || given.plan().pp() > 1) {
            return Optional.empty();
        }
        return illegal(
                "vpp-pp",
                "vpp=" + given.plan().vpp() + " interleaves chunks of pipeline ranks, and pp is 1",
                "Maybe leave vpp out, or pp=2.");
    }

    /** What the framework's own statement says it runs. */
    static Optional<Illegal> scheduleExists(Case given) {
        Set<String> known = given.framework().limits().schedules().kinds();
        Shorthand plan = given.plan();
        String word = plan.schedule().word();
        if ((plan.pp() == 1 && plan.schedule() == ScheduleKind.ONE_F_ONE_B) || known.contains(word)) {
            return Optional.empty();
        }
        String all = known.isEmpty() ? "has no pipeline" : "runs " + String.join(", ", new TreeSet<>(known));
        if (plan.schedule() == ScheduleKind.INTERLEAVED) {
            return illegal(
                    "vpp-framework",
                    given.framework().name() + " has no interleaved schedule, and vpp is " + plan.vpp(),
                    "Maybe leave vpp out, or another --framework.");
        }
        return illegal(
                "schedule-framework",
                given.framework().name() + " " + all + ", not "
                        + (word.equals("table") ? "a table of its user's" : "schedule=" + word),
                known.isEmpty()
                        ? "Maybe pp=1, or another --framework."
                        : "Maybe leave schedule out, or another --framework: `shardplan frameworks` says what each runs.");
    }

    /** Chunks, ranks and micro-batches that the schedule can't do without. */
    static Optional<Illegal> scheduleMatches(Case given) {
        Shorthand plan = given.plan();
        if (plan.schedule() == ScheduleKind.INTERLEAVED) {
            return plan.vpp() > 1
                    ? Optional.empty()
                    : illegal(
                            "schedule",
                            "schedule=interleaved needs chunks to interleave, and vpp is 1",
                            "Maybe vpp=2, or schedule=1f1b.");
        }
        if (plan.schedule().chunks() == 1 && plan.vpp() > 1) {
            return illegal(
                    "schedule",
                    "schedule=" + plan.schedule().text() + " runs one chunk a rank, and vpp is " + plan.vpp(),
                    "Maybe schedule=interleaved, or leave vpp out.");
        }
        if (plan.pp() == 1 && !plan.schedule().isClassic()) {
            return illegal(
                    "schedule",
                    "schedule=" + plan.schedule().text() + " fills the bubbles of a pipeline, and pp is 1",
                    "Maybe leave schedule out, or pp=2.");
        }
        return Optional.empty();
    }

    /** After the batch is known to divide: a table, or DualPipe, wants a number of micro-batches. */
    static Optional<Illegal> scheduleRuns(Case given) {
        Shorthand plan = given.plan();
        Optional<String> refusal = plan.schedule().isClassic()
                ? Optional.empty()
                : Schedules.refusal(plan.schedule(), plan.pp(), plan.vpp(), given.microBatches());
        return refusal.flatMap(why -> illegal("schedule-shape", why, scheduleAdvice(given)));
    }

    private static String scheduleAdvice(Case given) {
        Shorthand plan = given.plan();
        ScheduleKind kind = plan.schedule();
        if (kind.table().isPresent()) {
            Schedule table = kind.table().get();
            long batch = (long) table.microBatches() * plan.microBatch() * plan.dp();
            return "Maybe pp=" + table.ranks() + ",vpp=" + kind.chunks() + " and a global batch of " + batch + ".";
        }
        if (kind.chunks() != plan.vpp()) {
            return "Maybe vpp=" + kind.chunks() + ".";
        }
        if (kind == ScheduleKind.DUALPIPE && plan.pp() % 2 == 1) {
            return "Maybe pp=" + (plan.pp() + 1) + ".";
        }
        long perRank = given.workload().globalBatch() / plan.dp();
        OptionalInt smaller = Divisors.nearest(
                perRank,
                plan.microBatch(),
                size -> Schedules.refusal(kind, plan.pp(), plan.vpp(), perRank / size)
                        .isEmpty());
        return smaller.isPresent()
                ? "Maybe mb=" + smaller.getAsInt() + "."
                : "Maybe schedule=1f1b, or a larger global batch.";
    }

    static Optional<Illegal> layoutStages(Case given) {
        int stages = given.plan().layout().size();
        int pp = given.plan().pp();
        if (stages == 0 || stages == given.plan().virtualStages()) {
            return Optional.empty();
        }
        return illegal(
                "layout-stages",
                "the layout has " + stages + " virtual stages, and pp·vpp is " + pp + "·"
                        + given.plan().vpp() + " = " + given.plan().virtualStages(),
                stages % pp == 0 ? "Maybe vpp=" + stages / pp + "." : "Maybe pp=" + stages + ",vpp=1.");
    }

    /** Megatron-LM #381: 30 layers on 4 stages must not become 28. */
    static Optional<Illegal> layoutLayers(Case given) {
        List<Integer> layout = given.plan().layout();
        long sum = layout.stream().mapToLong(Integer::longValue).sum();
        if (layout.isEmpty() || sum == given.layers()) {
            return Optional.empty();
        }
        return illegal(
                "layout-layers",
                "the layout has " + sum + " layers, and the model has " + given.layers(),
                "Maybe layout=" + LayoutText.print(Layouts.even(given.plan(), given.layers())) + ".");
    }

    static Optional<Illegal> layoutHoles(Case given) {
        List<Integer> layout = given.plan().layout();
        for (int q = 1; q < layout.size() - 1; q++) {
            if (layout.get(q) == 0) {
                return illegal(
                        "layout-empty",
                        "virtual stage " + q
                                + " of the layout holds nothing, and only the first (embedding) and the last"
                                + " (head) may hold no layer",
                        "Maybe layout=" + LayoutText.print(Layouts.even(given.plan(), given.layers())) + ".");
            }
        }
        return Optional.empty();
    }

    static Optional<Illegal> enoughLayers(Case given) {
        int pp = given.plan().pp();
        int vpp = given.plan().vpp();
        int stages = given.plan().virtualStages();
        boolean uneven = given.framework().limits().unevenLayouts();
        int least = uneven ? Math.max(1, stages - 2) : stages;
        if (given.layers() >= least) {
            return Optional.empty();
        }
        String why = "the model's " + given.layers() + " layers are too few for pp·vpp = " + pp + "·" + vpp + " = "
                + stages + " virtual stages" + (uneven ? " (embedding and head may have one of their own)" : "");
        int ranks = Math.max(1, given.cluster().devices() / given.plan().tp());
        int most = Math.min(uneven ? given.layers() + 2 : given.layers(), pp > ranks ? ranks : Integer.MAX_VALUE);
        return illegal("layers", why, most / pp >= 1 ? "Maybe vpp=" + most / pp + "." : "Maybe pp=" + most + ",vpp=1.");
    }

    static Optional<Illegal> evenLayers(Case given) {
        int stages = given.plan().virtualStages();
        if (given.framework().limits().unevenLayouts()) {
            return Optional.empty();
        }
        int layers = given.layers();
        List<Integer> layout = given.plan().layout();
        if (layers % stages == 0) {
            boolean even = layout.stream().distinct().count() <= 1;
            return even
                    ? Optional.empty()
                    : illegal(
                            "layout-even",
                            given.framework().name()
                                    + " has the same number of layers on all stages, and the layout is "
                                    + LayoutText.print(layout),
                            "Maybe leave layout out, or another --framework.");
        }
        int vpp = given.plan().vpp();
        OptionalInt pp = Divisors.nearest(layers, given.plan().pp(), degree -> layers % ((long) degree * vpp) == 0);
        return illegal(
                "layers-even",
                layers + " layers are not a multiple of pp·vpp = "
                        + given.plan().pp() + "·" + vpp + ", and "
                        + given.framework().name() + " has no uneven stages",
                pp.isPresent()
                        ? "Maybe pp=" + pp.getAsInt() + "."
                        : "Maybe vpp=1,pp="
                                + Divisors.nearest(layers, given.plan().pp()).orElse(1) + ".");
    }

    /** Layers of the fullest rank. */
    static int mostLayers(Case given) {
        return Arrays.stream(Layouts.layersByRank(given.plan(), given.layers()))
                .max()
                .orElse(0);
    }
}
