package org.shardplan.plan;

import static org.shardplan.plan.Legality.illegal;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
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

    static Optional<Illegal> interleavingExists(Case given) {
        if (given.plan().vpp() == 1 || given.framework().limits().interleaved()) {
            return Optional.empty();
        }
        return illegal(
                "vpp-framework",
                given.framework().name() + " has no interleaved schedule, and vpp is "
                        + given.plan().vpp(),
                "Maybe leave vpp out, or another --framework.");
    }

    static Optional<Illegal> scheduleMatches(Case given) {
        boolean interleaved = given.plan().schedule() == ScheduleKind.INTERLEAVED;
        if (interleaved == (given.plan().vpp() > 1)) {
            return Optional.empty();
        }
        return interleaved
                ? illegal(
                        "schedule",
                        "schedule=interleaved needs chunks to interleave, and vpp is 1",
                        "Maybe vpp=2, or schedule=1f1b.")
                : illegal(
                        "schedule",
                        "schedule=" + given.plan().schedule().text() + " runs one chunk a rank, and vpp is "
                                + given.plan().vpp(),
                        "Maybe schedule=interleaved, or leave vpp out.");
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
                "Maybe layout="
                        + LayoutText.print(Layouts.even(
                                given.layers(), given.plan().pp(), given.plan().vpp())) + ".");
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
                        "Maybe layout="
                                + LayoutText.print(Layouts.even(
                                        given.layers(),
                                        given.plan().pp(),
                                        given.plan().vpp()))
                                + ".");
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
        List<Integer> layout = Layouts.of(given.plan(), given.layers());
        return Arrays.stream(Layouts.layersByRank(layout, given.plan().pp()))
                .max()
                .orElse(0);
    }
}
