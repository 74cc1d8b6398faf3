package org.shardplan.job;

import static org.shardplan.job.RowSizes.fallback;
import static org.shardplan.job.RowSizes.positive;
import static org.shardplan.job.RowSizes.yes;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.shardplan.form.FrameworkCatalog;
import org.shardplan.form.Row;
import org.shardplan.graph.TransformerSizes;
import org.shardplan.plan.ContextParallel;
import org.shardplan.plan.Layouts;
import org.shardplan.plan.MeshOrder;
import org.shardplan.plan.PlanText;
import org.shardplan.plan.Recompute;
import org.shardplan.plan.ScheduleKind;
import org.shardplan.plan.Shorthand;

/** The plan of a row. Blank is not none: what is assumed for it is told. */
final class RowPlans {
    private static final long MOST = 1_000_000;

    /** NVIDIA's recipes split a rank's layers into five or six chunks where the row doesn't say. */
    private static final int USUAL_CHUNKS = 6;

    /** In notes, with Megatron's words. */
    private static final Pattern CONTEXT_TYPE = Pattern.compile("\\bCP comm type ([a-z0-9_]+)");

    private RowPlans() {}

    static Shorthand of(Row row, String framework, TransformerSizes sizes, List<String> assumed) throws RowSkip {
        int layers = sizes.layers();
        Row.Degrees degrees = row.degrees();
        int tp = (int) positive("tp", fallback(degrees.tp(), 1), MOST);
        int pp = (int) positive("pp", fallback(degrees.pp(), 1), MOST);
        long gpus = positive("gpus", row.machine().gpus(), MOST);
        int cp = (int) positive("cp", fallback(degrees.cp(), 1), MOST);
        long modelRanks = (long) tp * pp * cp;
        String product = cp > 1 ? tp + "·" + pp + "·" + cp : tp + "·" + pp;
        String names = cp > 1 ? "tp·pp·cp" : "tp·pp";
        if (degrees.dp().isEmpty() && gpus % modelRanks != 0) {
            throw new RowSkip("gpus " + gpus + " are not a multiple of " + names + " = " + product);
        }
        int dp = (int) positive("dp", fallback(degrees.dp(), gpus / modelRanks), MOST);
        if (modelRanks * dp != gpus) {
            throw new RowSkip("contradiction: " + names + "·dp = " + product + "·" + dp + " is not gpus = " + gpus);
        }
        int microBatch = (int) positive("micro_batch", fallback(degrees.microBatch(), 1), MOST);
        long globalBatch = positive("global_batch", degrees.globalBatch(), 1L << 31);
        if (globalBatch % ((long) dp * microBatch) != 0) {
            throw new RowSkip("contradiction: global_batch " + globalBatch + " is not a multiple of dp·micro_batch = "
                    + dp + "·" + microBatch);
        }
        if (degrees.microBatch().isEmpty()) {
            assumed.add("micro_batch 1");
        }
        int vpp = interleaving(row, framework, pp, layers, assumed);
        Shorthand plan = new Shorthand(
                tp,
                pp,
                vpp,
                dp,
                microBatch,
                tp > 1 && sequenceParallel(row, framework, assumed),
                zero(row, framework, assumed),
                recompute(row, framework, layers, assumed),
                schedule(row, vpp),
                MeshOrder.PP_DP_TP,
                layout(row, framework, sizes, pp, vpp, assumed),
                List.of());
        return cp == 1 ? plan : plan.withContext(context(row, framework, cp, assumed));
    }

    /** How attention gets its keys: as the notes say (no column does), else as the framework usually has it. */
    private static ContextParallel context(Row row, String framework, int cp, List<String> assumed) throws RowSkip {
        Matcher told = CONTEXT_TYPE.matcher(row.notes());
        Optional<ContextParallel.Type> type = told.find() ? ContextParallel.Type.of(told.group(1)) : Optional.empty();
        if (type.isPresent()) {
            return new ContextParallel(cp, type.get());
        }
        List<String> types = FrameworkCatalog.get(framework).sharding().contextTypes();
        if (types.isEmpty()) {
            throw new RowSkip("cp " + cp + ", and " + framework + " has no context parallelism");
        }
        assumed.add("cp-type " + types.getFirst());
        return new ContextParallel(cp, ContextParallel.Type.of(types.getFirst()).orElseThrow());
    }

    /** Megatron's experts ask for sequence_parallel beside tp, NVIDIA's recipes set it wherever tp > 1, and torchtitan has no tensor parallelism without: blank means yes there. */
    private static boolean sequenceParallel(Row row, String framework, List<String> assumed) throws RowSkip {
        if (row.degrees().sequenceParallel().isEmpty()
                && (RowFrameworks.isRecipe(framework) || framework.startsWith("torchtitan") || RowExperts.has(row))) {
            assumed.add("sequence_parallel yes");
            return true;
        }
        return yes("sequence_parallel", row.degrees().sequenceParallel());
    }

    private static int interleaving(Row row, String framework, int pp, int layers, List<String> assumed)
            throws RowSkip {
        OptionalLong vpp = row.degrees().vpp();
        boolean blank = vpp.isEmpty() && row.software().schedule().isEmpty();
        if (blank && RowFrameworks.isRecipe(framework) && pp > 1 && layers % pp == 0) {
            int usual = IntStream.rangeClosed(1, USUAL_CHUNKS)
                    .filter(chunks -> layers / pp % chunks == 0)
                    .max()
                    .orElse(1);
            assumed.add("vpp " + usual);
            return usual;
        }
        boolean interleaved = row.software().schedule().equals("interleaved");
        if (vpp.isEmpty() && interleaved && pp > 1) {
            throw new RowSkip("schedule is interleaved, and vpp is blank");
        }
        return pp == 1 ? 1 : (int) positive("vpp", fallback(vpp, 1), layers);
    }

    private static ScheduleKind schedule(Row row, int vpp) throws RowSkip {
        return switch (row.software().schedule()) {
            case "", "1f1b", "interleaved" -> PlanText.defaultSchedule(vpp);
            case "gpipe" -> ScheduleKind.GPIPE;
            default -> throw new RowSkip("schedule " + row.software().schedule() + " comes with a later issue");
        };
    }

    /**
     * Megatron-DeepSpeed's users run ZeRO 1 (its BLOOM and MT-NLG recipes do), NVIDIA's recipes the distributed optimizer; the other
     * generations shard nothing by default.
     */
    private static int zero(Row row, String framework, List<String> assumed) throws RowSkip {
        OptionalLong zero = row.degrees().zeroStage();
        if (zero.isEmpty()) {
            int usual = framework.equals("megatron-deepspeed") || RowFrameworks.isRecipe(framework) ? 1 : 0;
            assumed.add("zero_stage " + usual);
            return usual;
        }
        if (zero.getAsLong() > 3) {
            throw new RowSkip("zero_stage is " + zero.getAsLong() + ", and ZeRO has stages 0 to 3");
        }
        return (int) zero.getAsLong();
    }

    /** Blank means none in NVIDIA's recipes; MaxText's set a policy that keeps the products of attention alone. */
    private static Recompute recompute(Row row, String framework, int layers, List<String> assumed) throws RowSkip {
        Row.Software software = row.software();
        String count = software.recomputeLayers().replaceFirst("/stage$", "").strip();
        if (!count.isEmpty() && !count.matches("\\d{1,5}")) {
            throw new RowSkip("recompute_layers is \"" + software.recomputeLayers() + "\", not a number");
        }
        switch (software.recompute()) {
            case "full":
                return count.isEmpty() ? Recompute.FULL : new Recompute(Recompute.Mode.NONE, Integer.parseInt(count));
            case "selective":
                if (software.recomputeNote().equals("selective layer")) {
                    return new Recompute(Recompute.Mode.NONE, layers / 2); // torchtitan: every second layer
                }
                return Recompute.SELECTIVE;
            case "none":
                return Recompute.NONE;
            case "":
                boolean policy = framework.equals("maxtext");
                assumed.add(policy ? "recompute selective" : "recompute none");
                return policy ? Recompute.SELECTIVE : Recompute.NONE;
            default:
                throw new RowSkip("recompute is \"" + software.recompute() + "\", none of none, selective, full");
        }
    }

    /** The layers of an uneven first or last stage; else the even layout, which counts embedding and head where they do not divide. */
    private static List<Integer> layout(
            Row row, String framework, TransformerSizes sizes, int pp, int vpp, List<String> assumed) throws RowSkip {
        int layers = sizes.layers();
        OptionalLong first = row.degrees().firstStageLayers();
        OptionalLong last = row.degrees().lastStageLayers();
        if ((first.isEmpty() && last.isEmpty()) || pp == 1) {
            if (!framework.equals("nanotron") || pp == 1) {
                return List.of();
            }
            assumed.add("layers by cost");
            double hidden = sizes.hidden();
            double layer = 4 * hidden * hidden + 3 * hidden * sizes.ffn();
            return Layouts.ofRanks(Layouts.byCost(layers, layer, hidden * sizes.vocab(), pp), vpp);
        }
        int even = layers / pp;
        int[] byRank = new int[pp];
        byRank[0] = (int) positive("first_stage_layers", fallback(first, even), layers);
        byRank[pp - 1] = (int) positive("last_stage_layers", fallback(last, even), layers);
        int rest = layers - byRank[0] - byRank[pp - 1];
        if (rest < 0 || (pp == 2 ? rest != 0 : rest % (pp - 2) != 0)) {
            throw new RowSkip("contradiction: first_stage_layers " + byRank[0] + " and last_stage_layers "
                    + byRank[pp - 1] + " leave " + rest + " of " + layers + " layers to " + (pp - 2) + " stages");
        }
        for (int rank = 1; rank < pp - 1; rank++) {
            byRank[rank] = rest / (pp - 2);
        }
        return Layouts.ofRanks(byRank, vpp);
    }
}
