package org.shardplan.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.shardplan.cluster.Economics;
import org.shardplan.plan.MeshOrder;
import org.shardplan.plan.Recompute;
import org.shardplan.plan.ScheduleKind;
import org.shardplan.plan.Shorthand;
import org.shardplan.search.Campaign;
import org.shardplan.search.ParetoPoint;
import org.shardplan.search.PlanOutcome;
import org.shardplan.search.PlanningResult;
import org.shardplan.search.PlanningSubject;
import org.shardplan.search.SearchStatistics;
import org.shardplan.sim.Prediction;
import org.shardplan.sim.Prediction.StageUse;
import org.shardplan.sim.Prediction.TimeShares;
import org.shardplan.sim.Timeline;
import org.shardplan.sim.Timeline.Event;
import org.shardplan.sim.Timeline.Kind;
import org.shardplan.sim.Timeline.MemoryPoint;
import org.shardplan.sim.Timeline.Stream;

/** Hand-made predictions and timelines; their numbers are invented. */
public final class Samples {
    private static final long GIB = 1L << 30;

    private Samples() {}

    /** tp=8,pp={@code pp} on 1,024 devices, {@code slowBy} seconds slower than 20 s, all of it bubble. */
    public static Prediction prediction(int pp, double slowBy) {
        return prediction(pp, slowBy, 0);
    }

    /** As above, with {@code moreGib} GiB more of activations on each stage. */
    public static Prediction prediction(int pp, double slowBy, long moreGib) {
        int dp = 128 / pp;
        Shorthand plan = new Shorthand(
                8,
                pp,
                1,
                dp,
                1,
                true,
                1,
                Recompute.SELECTIVE,
                ScheduleKind.ONE_F_ONE_B,
                MeshOrder.PP_DP_TP,
                List.of(),
                List.of());
        List<StageUse> stages = new ArrayList<>();
        for (int i = 0; i < pp; i++) {
            long activations = (pp - i) * 24 * GIB / pp + moreGib * GIB;
            String layout = (i == 0 ? "E+" : "") + 96 / pp + (i == pp - 1 ? "+head" : "");
            long allocated = activations + 26 * GIB;
            stages.add(new StageUse(
                    layout, 6 * GIB, 6 * GIB, 12 * GIB, activations, 2 * GIB, allocated, allocated + 3 * GIB));
        }
        double step = 20 + slowBy;
        TimeShares time = new TimeShares(14.5, 2.25, 0, 0, 0.25, 0.5, 0, 1.5 + slowBy, 0.5, 0.5);
        return new Prediction(
                plan,
                "tp=8,pp=" + pp + ",dp=" + dp + ",mb=1,sp,zero=1,recompute=selective",
                "pp=" + pp + " dp=" + dp + " tp=8",
                1024,
                0,
                "megatron-core",
                "sweep",
                step,
                step * 0.94,
                step * 1.07,
                "errors on 23 published runs on a100",
                1536 * 2048 / step / 1024,
                162.5,
                0.523,
                0.561,
                0.509,
                time,
                79 * GIB,
                (57 + moreGib) * GIB,
                stages,
                1536 / dp,
                (1.5 + slowBy) / step);
    }

    public static PlanningSubject subject() {
        return new PlanningSubject(
                "gpt3-175b",
                174_604_259_328L,
                "dgx-a100-80gb:128",
                "1,024 x a100-sxm-80gb, 8 a node, NVLink, 8 HDR NICs a node",
                1024,
                1536,
                2048,
                "bf16",
                "adam",
                "megatron-core",
                "Megatron-LM core, 2023 and later",
                0.05,
                "time",
                "shardplan 0.1.0",
                "1f3a9c",
                1,
                List.of("no kernel table of h800-sxm: the roofline stands in"));
    }

    /** As {@link #found}, for 300 B tokens on a cluster of which all is known. */
    public static PlanningResult training(Economics economics) {
        PlanningResult found = found(Optional.empty());
        Campaign campaign = new Campaign(300_000_000_000L, 1536L * 2048, 1024, 8, false, economics, 2.4e12);
        return new PlanningResult(
                found.subject(), found.search(), found.outcome(), found.timeline(), Optional.of(campaign));
    }

    public static PlanningResult found(Optional<Timeline> timeline) {
        return new PlanningResult(
                subject(),
                new SearchStatistics("hybrid", "sweep", 1_234_567, 4_321, 1_230_246, 0.42, true, 20, "done", 3),
                new PlanOutcome.Found(
                        List.of(prediction(8, 0), prediction(16, 0.21), prediction(4, 1.5)),
                        List.of(
                                new ParetoPoint(20, 57 * GIB, "tp=8,pp=8,dp=16,mb=1"),
                                new ParetoPoint(23.5, 31 * GIB, "tp=8,pp=16,dp=8,mb=1,recompute=full"))),
                timeline);
    }

    /** The plans of {@link #found}, with three neighbours: slower, about the same, and one that does not fit. */
    public static Explanation explanation() {
        return new Explanation(
                found(Optional.empty()),
                List.of(
                        new Explanation.Neighbour("pp=16 (8)", prediction(16, 0.21)),
                        new Explanation.Neighbour("mb=2 (1)", prediction(8, 0.01)),
                        new Explanation.Neighbour("zero=0 (1)", prediction(8, 0)),
                        new Explanation.Neighbour("recompute=none", prediction(8, -1, 30))),
                75 * GIB,
                0.01);
    }

    public static PlanningResult nothingFits() {
        return new PlanningResult(
                subject(),
                new SearchStatistics("hybrid", "sweep", 900, 12, 888, 0.05, true, Double.NaN, "done", 0),
                new PlanOutcome.NothingFits(prediction(2, 9, 30), 0, 91 * GIB, 79 * GIB, "Maybe recompute=full"),
                Optional.empty());
    }

    /** 1F1B over {@code ranks} ranks and {@code microBatches}: forward 100 ns, backward 200 ns, sends 10 ns, optimizer 50 ns. */
    public static Timeline oneForwardOneBackward(int ranks, int microBatches) {
        long[][] forward = new long[ranks][microBatches];
        long[][] backward = new long[ranks][microBatches];
        long[] free = new long[ranks];
        int[] next = new int[ranks];
        List<Event> events = new ArrayList<>();
        List<MemoryPoint> memory = new ArrayList<>();
        boolean moved = true;
        while (moved) {
            moved = false;
            for (int r = 0; r < ranks; r++) {
                while (next[r] < 2 * microBatches
                        && place(r, ranks, microBatches, next, free, forward, backward, events)) {
                    next[r]++;
                    memory.add(new MemoryPoint(r, free[r], 1000L + next[r]));
                    moved = true;
                }
            }
        }
        long end = java.util.Arrays.stream(free).max().orElseThrow();
        for (int r = 0; r < ranks; r++) {
            events.add(new Event(r, Stream.DATA, Kind.GRADIENT_REDUCE, r, -1, -1, free[r], free[r] + 20));
            events.add(new Event(r, Stream.COMPUTE, Kind.OPTIMIZER, -1, -1, -1, end + 20, end + 70));
        }
        return new Timeline(ranks, 64, events, memory, end + 70);
    }

    /** Slot {@code next[r]} of the rank, if what it waits for is known. */
    private static boolean place(
            int r,
            int ranks,
            int microBatches,
            int[] next,
            long[] free,
            long[][] forward,
            long[][] backward,
            List<Event> events) {
        int warmUp = Math.min(microBatches, ranks - r);
        int slot = next[r];
        boolean back = slot >= warmUp && (slot >= 2 * microBatches - warmUp || (slot - warmUp) % 2 == 0);
        int mb = !back
                ? slot < warmUp ? slot : warmUp + (slot - warmUp) / 2
                : slot >= 2 * microBatches - warmUp ? slot - microBatches : (slot - warmUp) / 2;
        int from = back ? r + 1 : r - 1;
        long ready = 0;
        if (from >= 0 && from < ranks) {
            long end = (back ? backward : forward)[from][mb];
            if (end == 0) {
                return false;
            }
            ready = end + 10;
        }
        long start = Math.max(free[r], ready);
        free[r] = start + (back ? 200 : 100);
        (back ? backward : forward)[r][mb] = free[r];
        events.add(new Event(r, Stream.COMPUTE, back ? Kind.BACKWARD : Kind.FORWARD, r, mb, -1, start, free[r]));
        int to = back ? r - 1 : r + 1;
        if (to >= 0 && to < ranks) {
            Stream stream = back ? Stream.SEND_BACKWARD : Stream.SEND_FORWARD;
            events.add(new Event(r, stream, Kind.SEND, r, mb, to, free[r], free[r] + 10));
        }
        return true;
    }
}
