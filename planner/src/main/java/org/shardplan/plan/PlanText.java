package org.shardplan.plan;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import org.shardplan.units.UserError;

/**
 * The text form of a {@link Shorthand}: {@code tp=8,pp=16,vpp=3,mb=1,sp,zero=1,recompute=selective}.
 *
 * <p>Keys: tp, pp, vpp, dp, cp, cp-type ({@code ring}, {@code all-gather}, {@code ulysses}), ep, etp, mb, sp, zero (0 to 3), replicas, recompute ({@code none}, {@code selective}, {@code full}, {@code full:4},
 * {@code selective+full:4}, by rank {@code full:3/2/2/1} or {@code full:3/2*2/1}), schedule (a {@link ScheduleKind}, or the file of a table), order
 * ({@code pp-dp-tp}, {@code dp-pp-tp}), layout ({@link LayoutText}). Every mistake is a {@link UserError} with the value.
 */
public final class PlanText {
    /** A list of counts by rank that is no longer than this is printed as it is. */
    private static final int PLAIN_RANKS = 8;

    private static final Function<String, ScheduleKind> NO_FILES = file -> {
        throw new UserError("no table of slots can be read here: schedule=" + file, "Maybe a schedule that has a name");
    };

    private PlanText() {}

    /**
     * Reads a whole plan: an omitted key is neutral (1, off, none, zero 0), an omitted dp uses all devices.
     *
     * @param devices of the cluster
     * @throws UserError if it can't be read, or dp is omitted and tp·pp·cp does not divide the devices
     */
    public static Shorthand parse(String text, int devices) {
        return parse(text, devices, NO_FILES);
    }

    /**
     * Likewise where the schedule may be a file.
     *
     * @param tables reads a table of slots by its file's name
     */
    public static Shorthand parse(String text, int devices, Function<String, ScheduleKind> tables) {
        FixedChoices given = new PlanKeys(text, tables).read();
        int tp = given.tp().orElse(1);
        int pp = given.pp().orElse(1);
        int chunks = given.schedule().map(ScheduleKind::chunks).orElse(1);
        int vpp = given.vpp().orElse(Math.max(1, chunks));
        int cp = given.cp().orElse(1);
        double ranks = (double) tp * pp * cp;
        int dp = ranks > Integer.MAX_VALUE ? 1 : given.dp().orElseGet(() -> dataRanks(tp, pp, cp, devices));
        if (ranks * dp > Integer.MAX_VALUE || (long) pp * vpp > Integer.MAX_VALUE) {
            throw new UserError(
                    "plan \"" + text + "\": " + names(cp) + "·dp = " + numbers(tp, pp, cp) + "·" + dp + " or pp·vpp = "
                            + pp
                            + "·" + vpp
                            + " is more than any cluster has",
                    "Maybe a digit too many.");
        }
        return new Shorthand(
                tp,
                pp,
                vpp,
                dp,
                given.microBatch().orElse(1),
                given.sequenceParallel().orElse(false),
                given.zero().orElse(0),
                given.recompute().orElse(Recompute.NONE),
                given.schedule().orElse(defaultSchedule(vpp)),
                given.order().orElse(MeshOrder.PP_DP_TP),
                given.layout().orElse(List.of()),
                given.fullRecomputeByStage().orElse(List.of()),
                given.ep().orElse(1),
                given.etp().orElse(1),
                new ContextParallel(cp, given.contextType().orElse(ContextParallel.Type.RING)),
                given.replicas().orElse(1));
    }

    /**
     * Reads what is fixed: an omitted key is searched.
     *
     * @throws UserError if it can't be read
     */
    public static FixedChoices parseFixed(String text) {
        return parseFixed(text, NO_FILES);
    }

    /** Likewise where the schedule may be a file. */
    public static FixedChoices parseFixed(String text, Function<String, ScheduleKind> tables) {
        return new PlanKeys(text, tables).read();
    }

    /** The canonical form; neutral keys are left out, except tp, pp, dp and mb. {@link #parse} reads it back on any cluster. */
    public static String print(Shorthand plan) {
        StringBuilder out = new StringBuilder("tp=" + plan.tp() + ",pp=" + plan.pp());
        if (plan.vpp() != 1 || plan.schedule().chunks() > 1) {
            out.append(",vpp=").append(plan.vpp());
        }
        out.append(",dp=").append(plan.dp());
        if (plan.cp() != 1) {
            out.append(",cp=").append(plan.cp());
        }
        if (plan.context().type() != ContextParallel.Type.RING) {
            out.append(",cp-type=").append(plan.context().type().text());
        }
        if (plan.ep() != 1) {
            out.append(",ep=").append(plan.ep());
        }
        if (plan.ep() != 1 && plan.etp() != 1) {
            out.append(",etp=").append(plan.etp());
        }
        out.append(",mb=").append(plan.microBatch());
        if (plan.sequenceParallel()) {
            out.append(",sp");
        }
        if (plan.zero() != 0) {
            out.append(",zero=").append(plan.zero());
        }
        if (plan.replicas() != 1) {
            out.append(",replicas=").append(plan.replicas());
        }
        String recompute = recompute(plan.recompute(), plan.fullRecomputeByStage());
        if (!recompute.equals("none")) {
            out.append(",recompute=").append(recompute);
        }
        if (!plan.schedule().equals(defaultSchedule(plan.vpp()))) {
            out.append(",schedule=").append(plan.schedule().text());
        }
        if (plan.order() != MeshOrder.PP_DP_TP) {
            out.append(",order=").append(plan.order().text());
        }
        if (!plan.layout().isEmpty()) {
            out.append(",layout=").append(LayoutText.print(plan.layout()));
        }
        return out.toString();
    }

    /** What runs where no schedule is named: interleaved for vpp &gt; 1, else 1F1B. */
    public static ScheduleKind defaultSchedule(int vpp) {
        return vpp > 1 ? ScheduleKind.INTERLEAVED : ScheduleKind.ONE_F_ONE_B;
    }

    /** For example {@code selective+full:3/2/2/1}. */
    static String recompute(Recompute recompute, List<Integer> byStage) {
        if (byStage.isEmpty()) {
            return recompute.text();
        }
        return (recompute.mode() == Recompute.Mode.SELECTIVE ? "selective+full:" : "full:") + byRank(byStage);
    }

    /** {@code 3/2/2/1}; in a list that is long to read {@code 24*3} stands for {@code 24/24/24}. */
    private static String byRank(List<Integer> counts) {
        int shortest = counts.size() > PLAIN_RANKS ? 2 : Integer.MAX_VALUE;
        StringBuilder out = new StringBuilder();
        for (int rank = 0; rank < counts.size(); ) {
            int end = rank + 1;
            while (end < counts.size() && counts.get(end).equals(counts.get(rank))) {
                end++;
            }
            end = end - rank < shortest ? rank + 1 : end;
            out.append(rank == 0 ? "" : "/").append(counts.get(rank)).append(end - rank > 1 ? "*" + (end - rank) : "");
            rank = end;
        }
        return out.toString();
    }

    private static String names(int cp) {
        return cp > 1 ? "tp·pp·cp" : "tp·pp";
    }

    private static String numbers(int tp, int pp, int cp) {
        return tp + "·" + pp + (cp > 1 ? "·" + cp : "");
    }

    private static int dataRanks(int tp, int pp, int cp, int devices) {
        long modelRanks = (long) tp * pp * cp;
        if (modelRanks > devices || devices % modelRanks == 0) {
            return (int) Math.max(1, devices / modelRanks);
        }
        long dp = devices / modelRanks;
        throw new UserError(
                "world size: " + devices + " devices are not a multiple of " + names(cp) + " = " + numbers(tp, pp, cp)
                        + " = " + modelRanks,
                "Maybe dp=" + dp + ", which leaves " + (devices - dp * modelRanks)
                        + (devices - dp * modelRanks == 1 ? " device idle" : " devices idle")
                        + nearestPipeline(tp * cp, pp, devices) + ".");
    }

    private static String nearestPipeline(int beside, int pp, int devices) {
        if (devices % beside != 0) {
            return "";
        }
        OptionalInt nearest = Divisors.nearest(devices / beside, pp);
        return nearest.isPresent() ? ", or pp=" + nearest.getAsInt() : "";
    }

    static Optional<ScheduleKind> schedule(String text) {
        for (ScheduleKind kind : ScheduleKind.values()) {
            if (kind.text().equals(text)) {
                return Optional.of(kind);
            }
        }
        return Optional.empty();
    }

    static Optional<MeshOrder> order(String text) {
        for (MeshOrder order : MeshOrder.values()) {
            if (order.text().equals(text)) {
                return Optional.of(order);
            }
        }
        return Optional.empty();
    }
}
