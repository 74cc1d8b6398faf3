package org.shardplan.search;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.shardplan.plan.FixedChoices;
import org.shardplan.plan.ScheduleKind;
import org.shardplan.plan.Schedules;
import org.shardplan.workload.Framework;

/** Which schedules a search may choose, over how many chunks a rank: those that the framework runs, of which one may be pinned. */
final class ScheduleChoices {
    private final Framework.Limits limits;
    private final FixedChoices fixed;
    private final int layers;
    /** Embedding and head may have a stage of their own where layouts may be uneven. */
    private final int mostStages;

    private final boolean wholeRounds;
    private final boolean chunked;
    private final int[] oneChunk;
    private final Map<Integer, int[]> allChunks = new ConcurrentHashMap<>();
    private final Map<Integer, int[]> someChunks = new ConcurrentHashMap<>();
    private final List<ScheduleKind> alone;
    private final List<ScheduleKind> pipelined;
    private final List<ScheduleKind> interleaved;
    /** Those that have no formulas: weight gradients apart, two directions, the user's table. */
    private final List<ScheduleKind> others;

    private final int[] oneChunkAndOthers;

    ScheduleChoices(Framework.Limits limits, FixedChoices fixed, int layers) {
        this.limits = limits;
        this.fixed = fixed;
        this.layers = layers;
        mostStages = limits.unevenLayouts() ? layers + 2 : layers;
        wholeRounds = limits.schedules().wholeRounds();
        chunked = limits.interleaved();
        others = otherKinds();
        oneChunk = IntStream.of(1).filter(this::chunksWanted).toArray();
        oneChunkAndOthers = IntStream.concat(IntStream.of(1), others.stream().mapToInt(ScheduleKind::chunks))
                .filter(this::chunksWanted)
                .sorted()
                .distinct()
                .toArray();
        pipelined = wanted(ScheduleKind.ONE_F_ONE_B, ScheduleKind.GPIPE);
        // one rank has nothing to schedule: any framework runs that
        alone = free(ScheduleKind.ONE_F_ONE_B) ? List.of(ScheduleKind.ONE_F_ONE_B) : wanted(ScheduleKind.GPIPE);
        interleaved = wanted(ScheduleKind.INTERLEAVED);
    }

    /** Chunks a rank: 1, and where interleaving is legal more; else as many as some other schedule has. */
    int[] chunks(int pp, int micro) {
        if (interleaves(pp, micro)) {
            return allChunks.computeIfAbsent(pp, this::interleavedChunks);
        }
        return pp == 1 || others.isEmpty() ? oneChunk : someChunks.computeIfAbsent(pp, this::chunksOfOthers);
    }

    private boolean interleaves(int pp, int micro) {
        return pp > 1 && chunked && micro >= pp && !(wholeRounds && micro % pp != 0);
    }

    private int[] chunksOfOthers(int pp) {
        return Arrays.stream(oneChunkAndOthers)
                .filter(vpp -> vpp == 1 || pp * vpp <= mostStages)
                .filter(vpp -> limits.unevenLayouts() || layers % (pp * vpp) == 0)
                .toArray();
    }

    private int[] interleavedChunks(int pp) {
        return IntStream.rangeClosed(1, Math.max(1, mostStages / pp))
                .filter(this::chunksWanted)
                .filter(vpp -> limits.unevenLayouts() || layers % (pp * vpp) == 0)
                .toArray();
    }

    private boolean chunksWanted(int vpp) {
        return fixed.vpp().isEmpty() || fixed.vpp().getAsInt() == vpp;
    }

    /** With one rank or one micro-batch the choice between 1F1B and GPipe is none: 1F1B, or what is pinned. */
    List<ScheduleKind> schedules(int pp, int vpp, int micro) {
        List<ScheduleKind> classic = pp == 1 || (micro == 1 && !pipelined.isEmpty()) ? alone : pipelined;
        if (vpp > 1) {
            classic = interleaves(pp, micro) ? interleaved : List.of();
        }
        if (pp == 1 || others.isEmpty()) {
            return classic;
        }
        List<ScheduleKind> all = new ArrayList<>(classic);
        for (ScheduleKind kind : others) {
            boolean same = kind == ScheduleKind.ZB_H2 && micro <= 2 && others.contains(ScheduleKind.ZB_H1);
            if (!same
                    && kind.chunks() == vpp
                    && Schedules.refusal(kind, pp, vpp, micro).isEmpty()) {
                all.add(kind);
            }
        }
        return all;
    }

    private List<ScheduleKind> wanted(ScheduleKind... kinds) {
        return Arrays.stream(kinds).filter(this::offered).toList();
    }

    /** Whether the framework runs it, and nothing else is pinned. */
    private boolean offered(ScheduleKind kind) {
        return limits.schedules().kinds().contains(kind.word()) && free(kind);
    }

    private boolean free(ScheduleKind kind) {
        return fixed.schedule().isEmpty() || fixed.schedule().get().equals(kind);
    }

    private List<ScheduleKind> otherKinds() {
        Stream<ScheduleKind> tables =
                fixed.schedule().filter(kind -> kind.table().isPresent()).stream();
        return Stream.concat(ScheduleKind.values().stream().filter(kind -> !kind.isClassic()), tables)
                .filter(this::offered)
                .toList();
    }

    /** Whether some schedule keeps weight gradients apart, or runs passes beside each other. */
    boolean splits() {
        return !others.isEmpty();
    }

    /** Choices of schedule and chunks. */
    long count(int pp, int micro) {
        int[] chunks = chunks(pp, micro);
        if (others.isEmpty()) {
            boolean one = chunks.length > 0 && chunks[0] == 1;
            long more = chunks.length - (one ? 1 : 0);
            return (one ? schedules(pp, 1, micro).size() : 0) + more * interleaved.size();
        }
        long count = 0;
        for (int vpp : chunks) {
            count += schedules(pp, vpp, micro).size();
        }
        return count;
    }
}
